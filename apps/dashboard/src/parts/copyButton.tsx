import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

import { Button } from './button.tsx';
import { copyText } from './copyText.ts';
import { toastError } from './toast.tsx';

const shownMs = 1_500;

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
    }, toastError);
  };
  const icon = isDone ? <Check size={13} /> : <Copy size={13} />;
  return <Button look="quiet" isTiny label={isDone ? 'Copied' : label} icon={icon} onClick={onClick} />;
}
