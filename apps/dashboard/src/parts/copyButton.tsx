import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

import { Button } from './button.tsx';

const shownMs = 1_500;

/** Writes text to the clipboard; on pages without TLS, which have no clipboard API, through a hidden field. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string | (() => string);
  readonly label?: string;
}) {
  const [isDone, setDone] = useState(false);
  const onClick = (event: React.MouseEvent): void => {
    event.stopPropagation();
    void copyText(typeof text === 'string' ? text : text()).then(() => {
      setDone(true);
      setTimeout(() => setDone(false), shownMs);
    });
  };
  const icon = isDone ? <Check size={13} /> : <Copy size={13} />;
  return <Button look="quiet" isTiny label={isDone ? 'Copied' : label} icon={icon} onClick={onClick} />;
}
