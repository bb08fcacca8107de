/** A finding as the command line prints it. */
import { fitFrame, isCarets } from '@baton/expressions';
import { wrapWords } from '@baton/primitives';

import type { Finding } from './finding.ts';

const widthMax = 80;
const indent = '  ';

/**
 * `file:line:column  severity  code`, the lines around the place, the message under it, and the hint. With `width` the
 * lines are cut to it around the place, and a message that does not fit beside the carets is below them.
 */
export function formatFinding(finding: Finding, file = finding.file ?? 'workflow', width = Infinity): string {
  const { line, column, severity, code, message, expected, hint, frame } = finding;
  const room = width - indent.length;
  const shown = fitFrame(frame, room);
  const rows = shown.map((row) =>
    isCarets(row) && row.length + 1 + message.length <= room ? `${row} ${message}` : row,
  );
  const told = rows.some((row) => row.endsWith(message)) ? rows : withMessage(rows, message, room);
  const tail = [
    ...(expected === undefined ? [] : labelledLines('expected: ', expected, room)),
    ...(hint === undefined ? [] : labelledLines('hint: ', hint, room)),
  ];
  return [
    `${file}:${line}:${column}  ${severity}  ${code}`,
    ...[...told, ...tail].map((row) => `${indent}${row}`),
  ].join('\n');
}

/** Under the carets, in line with the source; at the end if there are none. */
function withMessage(rows: readonly string[], message: string, room: number): string[] {
  const at = rows.findIndex(isCarets);
  const gutter = rows[at]?.replace(/\|.*$/, '| ') ?? '';
  const lines = wrapWords(message, room - gutter.length).map((line) => `${gutter}${line}`);
  return at < 0 ? [...rows, ...lines] : rows.toSpliced(at + 1, 0, ...lines);
}

/** Breaks at spaces; what follows stands under what came first. */
const labelledLines = (word: string, text: string, room: number): string[] =>
  wrapWords(text, Math.min(room, widthMax - indent.length) - word.length).map((line, i) =>
    i === 0 ? `${word}${line}` : `${' '.repeat(word.length)}${line}`,
  );
