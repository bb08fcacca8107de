/** Buttons. A disabled button says why. */
import type { ComponentProps, ReactNode } from 'react';

type Look = 'usual' | 'main' | 'quiet' | 'danger' | 'dangerFill';

const classes: Readonly<Record<Look, string>> = {
  usual: '',
  main: ' main-btn',
  quiet: ' quiet',
  danger: ' danger',
  dangerFill: ' danger-fill',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: Look;
  readonly isTiny?: boolean;
  readonly icon?: ReactNode;
  /** Shown on hover, and read by screen readers. The name of a button without text. */
  readonly label?: string;
  readonly isBusy?: boolean;
}

const refuse = (event: React.MouseEvent): void => event.preventDefault();

/** A busy button keeps the focus, which a disabled one would lose. */
export function Button({ look = 'usual', isTiny, icon, label, isBusy, children, onClick, ...rest }: ButtonProps) {
  const isIcon = children === undefined;
  const name = `btn${classes[look]}${isTiny === true ? ' tiny' : ''}${isIcon ? ' icon-btn' : ''}`;
  return (
    <button
      type="button"
      className={name}
      title={label}
      aria-label={isIcon ? label : undefined}
      aria-busy={isBusy}
      aria-disabled={isBusy === true || undefined}
      onClick={isBusy === true ? refuse : onClick}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}
