/** The members of an object schema, one a line: name, type, whether it is required, what it means. */
import { type JsonSchema, isObject } from '@baton/primitives';

import { oneLine, padEnd, widthOf } from './text.ts';

interface FieldTexts {
  readonly heading: string;
  readonly none: string;
  readonly dim: (text: string) => string;
}

export function fieldLines(schema: JsonSchema, { heading, none, dim }: FieldTexts): string[] {
  const properties = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (properties.length === 0 || !isObject(schema)) return [none];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const rows = properties.map(([name, input]) => {
    const details = isObject(input) ? input : {};
    return [oneLine(name), typeText(details), needText(details, required.includes(name)), textIn(details)] as const;
  });
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
  return [
    heading,
    ...rows.map(([name, type, need, about]) =>
      `  ${padEnd(name, widths[0] ?? 0)}  ${padEnd(type, widths[1] ?? 0)}  ${dim(padEnd(need, widths[2] ?? 0))}  ${about}`.trimEnd(),
    ),
  ];
}

function typeText({ type, enum: choices }: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(choices)) return oneLine(choices.map((choice) => JSON.stringify(choice)).join(' | '));
  if (Array.isArray(type)) return oneLine(type.join(' | '));
  return typeof type === 'string' ? oneLine(type) : 'any';
}

function needText(details: Readonly<Record<string, unknown>>, isRequired: boolean): string {
  const fallback = details['default'];
  if (fallback !== undefined) return oneLine(`default ${JSON.stringify(fallback)}`);
  return isRequired ? 'required' : 'optional';
}

const textIn = ({ description }: Readonly<Record<string, unknown>>): string =>
  typeof description === 'string' ? oneLine(description) : '';
