/** A native dialog: the browser traps the focus, Escape closes it, and the focus returns to where it was. */
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';

import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
  /** Only its buttons close it: what it shows is not shown again. */
  readonly isKept?: boolean;
}

const firstField = ['input', 'select', 'textarea'].map((one) => `.content ${one}:not(:disabled)`).join();

export function Dialog({ title, onClose, children, footer, isWide, isKept = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const hasField = useRef(false);
  const isPressedBeside = useRef(false);
  const heading = useId();
  // Focuses the first field; the browser would focus the close button. Fields may appear later.
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (!element.open) element.showModal();
    const field = element.querySelector<HTMLElement>(firstField);
    if (hasField.current || field === null) return;
    hasField.current = true;
    field.focus();
  });
  // A dialog that is only removed leaves the focus nowhere.
  useLayoutEffect(() => {
    const element = dialog.current;
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide === true ? 'wide' : undefined}
      aria-labelledby={heading}
      onClose={() => {
        // In development React removes and adds each element once.
        if (dialog.current?.open !== true) onClose();
      }}
      onCancel={(event) => {
        event.stopPropagation();
        if (event.target !== dialog.current) return;
        // The browser would close it at once and tell of it later: a key in between would open nothing.
        event.preventDefault();
        if (!isKept) onClose();
      }}
      onPointerDown={({ target }) => {
        isPressedBeside.current = target === dialog.current;
      }}
      onClick={({ target }) => {
        // Text that is selected up to the backdrop is no click on it.
        if (target === dialog.current && isPressedBeside.current && !isKept) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="dlg">
        <header>
          <h2 id={heading} className="grow">
            {title}
          </h2>
          <Button look="quiet" isTiny label="Close" icon={<X size={15} />} onClick={onClose} />
        </header>
        <div className="content">{children}</div>
        {footer !== undefined && <footer>{footer}</footer>}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** The consequences. */
  readonly children: ReactNode;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly isBusy?: boolean;
  readonly isHarmless?: boolean;
}

/** Asks for confirmation of an action that cannot be undone; the button names the action. */
export function ConfirmDialog({ title, children, action, onConfirm, onClose, isBusy, isHarmless }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{isHarmless === true ? 'Cancel' : 'Keep'}</Button>
          <Button look={isHarmless === true ? 'main' : 'dangerFill'} isBusy={isBusy ?? false} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
