import { useState } from 'react';

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  /** Empty: without this filter. */
  readonly onSet: (value: string) => void;
}

/** A filter that takes effect with Enter, or when the person leaves the field. */
export function TextFilter({ label, value, onSet }: TextFilterProps) {
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
