import type { ComponentProps } from 'react';

interface JsonFieldProps extends Pick<ComponentProps<'textarea'>, 'rows'> {
  readonly label: string;
  readonly text: string;
  /** Why the text is not what is wanted. */
  readonly problem: string | undefined;
  readonly onText: (text: string) => void;
}

/** A field for a value that is typed as JSON. */
export const JsonField = ({ label, text, problem, rows, onText }: JsonFieldProps) => (
  <label className="field">
    <span className="label">{label}</span>
    <textarea
      className="input"
      spellCheck={false}
      rows={rows}
      value={text}
      aria-invalid={problem !== undefined}
      onChange={(event) => onText(event.target.value)}
    />
    {problem !== undefined && <span className="hint red">{problem}</span>}
  </label>
);
