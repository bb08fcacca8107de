/** Shows the differences between two texts, with a few lines of context. */
import { useMemo } from 'react';

import { type DiffLine, diffOf } from './diff.ts';

import './diff.css';

const around = 3;
const signs = { same: ' ', added: '+', removed: '-' } as const;

/** Drops the last line break, which would count as an empty line. */
const lastLineEnded = (text: string): string => text.replace(/\n$/, '');

export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = useMemo(() => diffOf(lastLineEnded(before), lastLineEnded(after)), [before, after]);
  const shown = useMemo(() => nearChanges(lines), [lines]);
  if (shown.length === 0) return <p className="dim">Nothing differs.</p>;
  return (
    <pre className="code diff" tabIndex={0} aria-label="Changes">
      {shown.map((line, at) =>
        line === 'gap' ? (
          <span key={at} className="diff-gap">
            …{'\n'}
          </span>
        ) : (
          <span key={at} className={`diff-${line.kind}`}>
            {signs[line.kind]} {line.text}
            {'\n'}
          </span>
        ),
      )}
    </pre>
  );
}

function nearChanges(lines: readonly DiffLine[]): (DiffLine | 'gap')[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 'same'),
  );
  if (!isNear.includes(true)) return [];
  return lines.flatMap((line, at): (DiffLine | 'gap')[] => {
    if (isNear[at] === true) return [line];
    return isNear[at - 1] === true || at === 0 ? ['gap'] : [];
  });
}
