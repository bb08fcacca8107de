/** What a run hands back: for a person one output after the other, for a program JSON. */
import type { Json } from '@baton/language';
import { cleanText } from '@baton/protocol';

import { jsonText } from './json.ts';
import type { Output } from './output.ts';
import { oneLine } from './text.ts';

export function printOutputs(output: Output, outputs: Json | undefined): void {
  // A run that did not succeed has none.
  if (outputs === undefined) return;
  if (!output.isTerminal) return output.line(jsonText(outputs));
  for (const line of outputLines(outputs, output)) output.line(line);
}

/** As a person reads them; texts as they are, everything else as JSON. */
export function outputLines(outputs: Json | undefined, { paint }: Pick<Output, 'paint'>): string[] {
  if (outputs === undefined || outputs === null || typeof outputs !== 'object' || Array.isArray(outputs)) return [];
  return Object.entries(outputs).flatMap(([name, value]: [string, Json]) => {
    const [first = '', ...rest] = (typeof value === 'string' ? cleanText(value).trimEnd() : jsonText(value)).split(
      '\n',
    );
    const heading = paint.bold(`${oneLine(name)}:`);
    return rest.length === 0 ? [`${heading} ${first}`] : [heading, ...[first, ...rest].map((line) => `  ${line}`)];
  });
}
