/** Prints the outputs of a run: one after the other for a person, JSON for a program. */
import { type Json, cleanText } from '@baton/primitives';

import { jsonText } from './json.ts';
import type { Output } from './output.ts';
import { oneLine } from './text.ts';

/** Instead of the values of a run. */
export const valuesHidden = 'Values are hidden: your role may not read them (runs:values).';

export function printOutputs(output: Output, outputs: Json | undefined): void {
  // Only a successful run has outputs.
  if (outputs === undefined) return;
  if (!output.isTerminal) return output.line(jsonText(outputs));
  for (const line of outputLines(outputs, output)) output.line(line);
}

/** For a person: texts as they are, other values as JSON. */
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
