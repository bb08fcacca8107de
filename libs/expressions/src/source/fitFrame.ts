/** Cuts the frame of a finding to the width of a terminal. */
import { cellsIn } from './source.ts';

const sourceWidthMin = 20;

/** The rows of the frame, a window around the carets if one of them has more than `room` cells. */
export function fitFrame(frame: string, room: number): string[] {
  const rows = frame.split('\n');
  if (rows.every((row) => cellsIn(row) <= room)) return rows;
  const carets = rows.find(isCarets);
  const gutter = (carets ?? rows[0] ?? '').indexOf('|') + 2;
  const width = Math.max(sourceWidthMin, room - gutter);
  const [first, end] = carets === undefined ? [0, 0] : [carets.indexOf('^') - gutter, carets.length - gutter];
  // What stands before the place tells more than what follows, if both do not fit.
  const from = end < width ? 0 : Math.max(0, first - Math.floor(width / 3));
  return rows.map((row) => {
    if (row !== carets) return row.slice(0, gutter) + windowOf(row.slice(gutter), from, width);
    const before = first - from;
    return row.slice(0, gutter) + ' '.repeat(before) + '^'.repeat(Math.min(end - first, width - before));
  });
}

/** Whether the row has the carets of a frame, and nothing else. */
export const isCarets = (row: string): boolean => /^ +\| +\^+$/.test(row);

/** The cells `from` to `from + width` of a line, with an ellipsis at each side where it is cut. */
function windowOf(line: string, from: number, width: number): string {
  const isCutAfter = cellsIn(line) > from + width;
  const [low, high] = [from > 0 ? from + 1 : 0, from + width - (isCutAfter ? 1 : 0)];
  let shown = from > 0 && line !== '' ? '…' : '';
  let at = 0;
  for (const character of line) {
    const next = at + cellsIn(character);
    if (at >= low && next <= high) shown += character;
    // The second half of a character that the edge cuts keeps what follows above its carets.
    else if (at < low && next > low) shown += ' ';
    at = next;
  }
  return isCutAfter ? `${shown}…` : shown;
}
