/** Notes about empty lists, problems, warnings and loading data. */
import { ProblemError } from '@baton/api/client';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

import { CopyButton } from './copyButton.tsx';

/** The note of an empty list, with what to do next: a button, a command. */
export function Empty({
  title,
  children,
  action,
  command,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  readonly command?: string;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {action}
      {children !== undefined && <p>{children}</p>}
      {command !== undefined && (
        <div className="row">
          <code className="chip">{command}</code>
          <CopyButton text={command} label="Copy the command" />
        </div>
      )}
    </div>
  );
}

/** In a dialog that scrolls, a person who pressed its button would not see a note that appears out of view. */
function showInDialog(note: HTMLElement | null): void {
  const isInDialog = note !== null && note.closest('dialog') !== null;
  if (isInDialog) note.scrollIntoView({ block: 'nearest' });
}

/** A problem with its message and details. */
export function ProblemNote({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  const message = error instanceof Error ? error.message : 'Something went wrong.';
  const errors = error instanceof ProblemError ? error.errors : [];
  return (
    <div ref={showInDialog} className="note bad" role="alert">
      <CircleAlert size={15} />
      <div className="col">
        <div>{message}</div>
        {errors.length > 0 && (
          <ul>
            {errors.slice(0, 20).map(({ pointer, line, message: said, hint }) => (
              <li key={`${pointer ?? ''}${line ?? ''}${said}`}>
                {pointer !== undefined && pointer !== '' && <code>{pointer} </code>}
                {said} {hint !== undefined && <span className="dim">{hint}</span>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

export function Warning({ children }: { readonly children: ReactNode }) {
  return (
    <div className="note warn">
      <TriangleAlert size={15} />
      <div>{children}</div>
    </div>
  );
}

/** Findings of a text, each with its line. */
export function LineWarnings({
  findings,
}: {
  readonly findings: readonly { readonly line: number; readonly message: string }[];
}) {
  if (findings.length === 0) return null;
  return (
    <Warning>
      {findings.map(({ line, message }) => (
        <div key={`${line} ${message}`}>
          Line {line}: {message}
        </div>
      ))}
    </Warning>
  );
}

const widths = ['72%', '54%', '86%', '40%', '64%', '78%', '48%', '60%'];

/** A placeholder for rows that are loading. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div className="col" aria-busy="true" aria-label="Loading" role="status" style={{ padding: '12px 24px', gap: 18 }}>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="skeleton" style={{ height: 14, width: widths[at % widths.length] }} />
      ))}
    </div>
  );
}
