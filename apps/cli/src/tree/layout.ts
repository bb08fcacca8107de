/** Lays out rows as lines: label, target, note, duration. */
import { durationText } from '@baton/primitives';

import type { Paint } from '../output/output.ts';
import { oneLine, padEnd, padStart, truncate, widthOf } from '../output/text.ts';
import { colourOf, glyphOf } from './glyphs.ts';
import type { ProgressBar, TreeRow } from './row.ts';

/** Wider lines are hard to follow. */
export const widestPicture = 100;
const indent = 2;
const tookWidth = 9;
const labelMax = 32;
const gap = 2;

/** Cells for the labels of these rows, indents and glyphs included. */
export function labelWidthOf(rows: readonly TreeRow[], width: number): number {
  const widest = Math.max(0, ...rows.map(({ depth, label }) => depth * indent + indent + widthOf(oneLine(label))));
  return Math.min(widest, labelMax, Math.floor(width * 0.4));
}

export function lineOf(row: TreeRow, labelWidth: number, width: number, paint: Paint): string {
  const { status, depth } = row;
  const colour = colourOf(status, paint);
  const before = ' '.repeat(depth * indent);
  const label = padEnd(
    truncate(oneLine(row.label), labelWidth - before.length - indent),
    labelWidth - before.length - indent,
  );
  const took = row.tookMs === undefined ? '' : durationText(row.tookMs);
  const middle = middleOf(row, width - labelWidth - gap - tookWidth, paint);
  const isQuiet = status === 'pending' || status === 'skipped';
  const line = `${before}${colour(glyphOf(status))} ${isQuiet ? paint.dim(label) : label}  ${middle}${paint.dim(padStart(took, tookWidth))}`;
  return line.trimEnd();
}

/** The target on the left, the note on the right. The target is shortened first, then the note, then the bar. */
function middleOf({ target = '', bar, note, status }: TreeRow, width: number, paint: Paint): string {
  const [barText, barWidth] = shownBar(bar, width - gap, paint);
  const between = barWidth === 0 ? 0 : gap;
  const said = truncate(oneLine(note ?? ''), width - gap - barWidth - between);
  const saidWidth = widthOf(said);
  const rightWidth = saidWidth + barWidth + (saidWidth === 0 ? 0 : between);
  const leftWidth = Math.max(0, width - rightWidth - (rightWidth === 0 ? 0 : gap));
  const left = paint.dim(padEnd(truncate(oneLine(target), leftWidth), leftWidth));
  if (rightWidth === 0) return left;
  const colour = status === 'running' || status === 'succeeded' ? paint.dim : colourOf(status, paint);
  const right = [said === '' ? '' : colour(said), barText].filter((part) => part !== '').join(' '.repeat(gap));
  return `${left}${' '.repeat(gap)}${right}`;
}

/** Returns the bar and its width in cells; without room only the number, or nothing. */
function shownBar(bar: ProgressBar | undefined, width: number, paint: Paint): readonly [text: string, width: number] {
  if (bar === undefined) return ['', 0];
  const text = padStart(bar.text, 6);
  const whole = barCells + 1 + widthOf(text);
  if (whole <= width) return [`${drawBar(bar, paint)} ${text}`, whole];
  return widthOf(text) <= width ? [text, widthOf(text)] : ['', 0];
}

const barCells = 16;

function drawBar({ part }: ProgressBar, paint: Paint): string {
  const halves = Math.floor(part * barCells * 2);
  const whole = Math.floor(halves / 2);
  const half = halves % 2 === 1 ? '╸' : '';
  const rest = '─'.repeat(barCells - whole - half.length);
  return `${paint.cyan('━'.repeat(whole) + half)}${paint.dim(rest)}`;
}
