/** A finding as the command line prints it. */
import type { Finding } from './finding.ts';

/** `file:line:column  severity  code`, the lines around the place, the message under it, and the hint. */
export function formatFinding(finding: Finding, file = finding.file ?? 'workflow'): string {
  const { line, column, severity, code, message, expected, hint, frame } = finding;
  const rows = frame.split('\n').map((row) => (/^ +\| +\^+$/.test(row) ? `${row} ${message}` : row));
  const told = rows.some((row) => row.endsWith(message)) ? rows : [...rows, message];
  const tail = [
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ];
  return [`${file}:${line}:${column}  ${severity}  ${code}`, ...[...told, ...tail].map((row) => `  ${row}`)].join('\n');
}
