/** A native dialog: the browser traps the focus, and Escape closes it. */
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';

import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
}

const firstField = ['input', 'select', 'textarea'].map((one) => `.content ${one}:not(:disabled)`).join();

export function Dialog({ title, onClose, children, footer, isWide }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const hasField = useRef(false);
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
  return (
    <dialog
      ref={dialog}
      className={isWide === true ? 'wide' : undefined}
      aria-labelledby={heading}
      onClose={onClose}
      onCancel={(event) => event.stopPropagation()}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
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
          <Button onClick={onClose}>Do nothing</Button>
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
