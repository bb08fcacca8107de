/** Formats differences for a person: the step once, then the expected and found values. */
import type { Json } from '@baton/primitives';

import type { Paint } from '../output/output.ts';
import { oneLine } from '../output/text.ts';
import type { RecordingDifference } from './differences.ts';

/** The most of a value that is shown; of two texts, from where they differ. */
const charactersMax = 160;
const before = 30;

export function differenceLines(differences: readonly RecordingDifference[], paint: Paint): string[] {
  let heading = '';
  return differences.flatMap((difference) => {
    const { path, message, at, expected, found } = difference;
    const about = oneLine(path === undefined ? message : `${path}: ${message}`);
    const lines = about === heading ? [] : [`  ${about}`];
    heading = about;
    if (at === undefined) return lines;
    const [was, is] = shown(expected, found);
    return [
      ...lines,
      `    ${paint.bold(oneLine(at))}`,
      `    ${paint.green(`- ${was}`)}`,
      `    ${paint.red(`+ ${is}`)}`,
    ];
  });
}

function shown(expected: Json | undefined, found: Json | undefined): readonly [string, string] {
  const [a, b] = [textOf(expected), textOf(found)];
  if (a.length <= charactersMax && b.length <= charactersMax) return [a, b];
  let parting = 0;
  while (parting < a.length && a[parting] === b[parting]) parting += 1;
  const from = Math.max(0, parting - before);
  const cut = (text: string): string => {
    const part = text.slice(from, from + charactersMax);
    return `${from > 0 ? '…' : ''}${part}${from + charactersMax < text.length ? '…' : ''}`;
  };
  return [cut(a), cut(b)];
}

const textOf = (value: Json | undefined): string =>
  value === undefined ? '(nothing)' : oneLine(JSON.stringify(value));
