/** A finding for a person: place, code, the lines around it with the message at the caret, and the hint. */
import { type Finding, formatFinding } from '@baton/language';
import { cleanText } from '@baton/primitives';

import type { Paint } from '../output/output.ts';

interface FindingDisplay {
  readonly paint: Paint;
  /** Cells in a row; undefined if lines may have any length. */
  readonly columns?: number | undefined;
}

/** Highlights the words of the language. */
export function findingLines(finding: Finding, file: string, { paint, columns }: FindingDisplay): string[] {
  const isError = finding.severity === 'error';
  const colour = isError ? paint.red : paint.yellow;
  const [head = '', ...rest] = cleanText(formatFinding(finding, file, columns)).split('\n');
  const [place = '', severity = '', code = ''] = head.split('  ');
  return [
    `${paint.bold(place)}  ${colour(severity)}  ${paint.dim(code)}`,
    ...rest.map((line) => coloured(line, paint, colour)),
  ];
}

function coloured(line: string, paint: Paint, colour: (text: string) => string): string {
  const [, gutter, caret] = /^(\s*\d*\s*\|)(\s*\^.*)?/.exec(line) ?? [];
  if (gutter !== undefined && caret !== undefined) return paint.dim(gutter) + colour(caret);
  if (gutter !== undefined) return paint.dim(gutter) + line.slice(gutter.length);
  return line.replace(
    /^(\s*)(hint|expected):/,
    (_, indent: string, word: string) => `${indent}${paint.cyan(`${word}:`)}`,
  );
}
