/** Shortens a drawing to the height of the terminal: keeps running steps, counts ended and pending ones. */
import type { Paint } from '../output/output.ts';
import type { DrawnLine } from './drawRun.ts';
import { glyphOf } from './glyphs.ts';

/** At most `height` lines. */
export function fitLines(lines: readonly DrawnLine[], height: number, paint: Paint): string[] {
  let left = lines;
  left = countAway(left, height, 'over', (n) => `${glyphOf('succeeded')} ${n} more are done`, paint);
  left = countAway(left, height, 'pending', (n) => `${glyphOf('pending')} ${n} more are to come`, paint);
  left = countAway(left, height, 'open', (n) => `${glyphOf('running')} ${n} more are under way`, paint);
  return left.slice(0, Math.max(0, height)).map(({ text }) => text);
}

/** Removes lines of a kind, ended ones oldest first, others last first, until the rest fits. */
function countAway(
  lines: readonly DrawnLine[],
  height: number,
  kind: DrawnLine['kind'],
  said: (count: number) => string,
  paint: Paint,
): readonly DrawnLine[] {
  if (lines.length <= height) return lines;
  const of = lines.flatMap((line, i) => (line.kind === kind ? [i] : []));
  // Plus one, for the line with the count.
  const count = Math.min(of.length, lines.length - height + 1);
  if (count < 2) return lines;
  const gone = new Set(kind === 'over' ? of.slice(0, count) : of.slice(-count));
  const [first = 0] = gone;
  const instead: DrawnLine = { kind: 'heading', text: paint.dim(said(count)) };
  return lines.flatMap((line, i) => {
    if (i === first) return [instead];
    return gone.has(i) ? [] : [line];
  });
}
