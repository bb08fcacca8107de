import { useState } from 'react';

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onSet: (value: string) => void;
}

/** Takes effect with Enter, or when the field is left. */
export function Filter({ label, value, onSet }: FilterProps) {
  const [text, setText] = useState<string>();
  const done = (): void => {
    if (text !== undefined && text.trim() !== value) onSet(text.trim());
    setText(undefined);
  };
  return (
    <input
      className={`input short${value === '' ? '' : ' chosen'}`}
      aria-label={label}
      placeholder={label}
      value={text ?? value}
      onChange={(event) => setText(event.target.value)}
      onBlur={done}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') done();
      }}
    />
  );
}
