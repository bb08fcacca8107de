/** Rows to lines: label, target, what there is to say, how long it took. */
import type { Paint } from '../output/output.ts';
import { oneLine, padEnd, padStart, truncate, widthOf } from '../output/text.ts';
import { durationText } from '../output/time.ts';
import { colourOf, glyphOf } from './glyphs.ts';
import type { Bar, Row } from './row.ts';

/** Wider than this, the eye loses the line. */
export const widestPicture = 100;
const indent = 2;
const tookWidth = 9;
const labelMax = 32;
const gap = 2;

/** Cells for the labels of these rows, indents and glyphs included. */
export function labelWidthOf(rows: readonly Row[], width: number): number {
  const widest = Math.max(0, ...rows.map(({ depth, label }) => depth * indent + indent + widthOf(oneLine(label))));
  return Math.min(widest, labelMax, Math.floor(width * 0.4));
}

export function lineOf(row: Row, labelWidth: number, width: number, paint: Paint): string {
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

/** The target on the left, what there is to say on the right. The target gives way. */
function middleOf({ target = '', bar, note, status }: Row, width: number, paint: Paint): string {
  const barText = bar === undefined ? '' : padStart(bar.text, 6);
  const noteMax = width - (bar === undefined ? 0 : barCells + 1 + widthOf(barText) + gap);
  const said = truncate(oneLine(note ?? ''), noteMax);
  const rightWidth = [
    said === '' ? 0 : widthOf(said),
    bar === undefined ? 0 : barCells + 1 + widthOf(barText),
    said === '' || bar === undefined ? 0 : gap,
  ].reduce((sum, one) => sum + one, 0);
  const leftWidth = Math.max(0, width - rightWidth - (rightWidth === 0 ? 0 : gap));
  const left = padEnd(truncate(oneLine(target), leftWidth), leftWidth);
  const shownBar = bar === undefined ? '' : `${drawBar(bar, paint)} ${barText}`;
  const colour = status === 'running' || status === 'succeeded' ? paint.dim : colourOf(status, paint);
  const right = [said === '' ? '' : colour(said), shownBar].filter((part) => part !== '').join(' '.repeat(gap));
  return rightWidth === 0 ? paint.dim(left) : `${paint.dim(left)}${' '.repeat(gap)}${right}`;
}

const barCells = 16;

function drawBar({ part }: Bar, paint: Paint): string {
  const halves = Math.floor(part * barCells * 2);
  const whole = Math.floor(halves / 2);
  const half = halves % 2 === 1 ? '╸' : '';
  const rest = '─'.repeat(barCells - whole - half.length);
  return `${paint.cyan('━'.repeat(whole) + half)}${paint.dim(rest)}`;
}
