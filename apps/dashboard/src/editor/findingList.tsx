import type { Findings } from './checkerCalls.ts';

interface FindingListProps {
  readonly findings: Findings | undefined;
  /** The findings are of the tools that are known now. */
  readonly isOfKnown: boolean;
  /** Servers that the workflow calls, and whose tools are still being read. */
  readonly reading: readonly string[];
  readonly onShow: (span: readonly [number, number]) => void;
}

/** Lists the findings below the text, in the words of `baton check`. */
export function FindingList({ findings, isOfKnown, reading, onShow }: FindingListProps) {
  const all = findings?.diagnostics ?? [];
  const isChecked = findings !== undefined && isOfKnown;
  const isRead = reading.length === 0;
  return (
    <div className="findings" role="status" aria-live="polite" aria-label="Findings" tabIndex={0}>
      {isRead && !isChecked && all.length === 0 && <p className="faint">Checking</p>}
      {!isRead && (
        <p className="dim">
          Reading the tools of {reading.join(', ')}. Until they are known, calls of them are not checked.
        </p>
      )}
      {isRead && isChecked && all.length === 0 && <p className="good">Nothing is wrong.</p>}
      <ul>
        {all.map(({ code, severity, message, hint, line, column, span }) => (
          <li key={`${line} ${column} ${code} ${message}`}>
            <button type="button" onClick={() => onShow(span)}>
              <span className="num faint">
                {line}:{column}
              </span>
              <span className={severity === 'error' ? 'chip bad' : 'chip warn'}>{code}</span>
              <span>
                {message} {hint !== undefined && <span className="dim">{hint}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
