import type { Findings } from './checkerCalls.ts';

interface FindingListProps {
  readonly findings: Findings | undefined;
  readonly onShow: (span: readonly [number, number]) => void;
}

/** Lists the findings below the text, in the words of `baton check`. */
export function FindingList({ findings, onShow }: FindingListProps) {
  const all = findings?.diagnostics ?? [];
  return (
    <div className="findings" role="status" aria-live="polite" aria-label="Findings" tabIndex={0}>
      {findings === undefined && <p className="faint">Checking</p>}
      {findings !== undefined && all.length === 0 && <p className="good">Nothing is wrong.</p>}
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
