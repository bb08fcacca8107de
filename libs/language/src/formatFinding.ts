/** A finding as the command line prints it. */
import { wrapWords } from '@baton/primitives';

import type { Finding } from './finding.ts';

const widthMax = 80;
const indent = '  ';

/** `file:line:column  severity  code`, the lines around the place, the message under it, and the hint. */
export function formatFinding(finding: Finding, file = finding.file ?? 'workflow'): string {
  const { line, column, severity, code, message, expected, hint, frame } = finding;
  const rows = frame.split('\n').map((row) => (/^ +\| +\^+$/.test(row) ? `${row} ${message}` : row));
  const told = rows.some((row) => row.endsWith(message)) ? rows : [...rows, message];
  const tail = [
    ...(expected === undefined ? [] : labelledLines('expected: ', expected)),
    ...(hint === undefined ? [] : labelledLines('hint: ', hint)),
  ];
  return [
    `${file}:${line}:${column}  ${severity}  ${code}`,
    ...[...told, ...tail].map((row) => `${indent}${row}`),
  ].join('\n');
}

/** Breaks at spaces; what follows stands under what came first. */
const labelledLines = (word: string, text: string): string[] =>
  wrapWords(text, widthMax - indent.length - word.length).map((line, i) =>
    i === 0 ? `${word}${line}` : `${' '.repeat(word.length)}${line}`,
  );
