/** One tool for a terminal: its effect, what it is for, and its arguments. */
import type { Tool } from '@baton/api/client';
import { declaredText } from '@baton/language';
import { isObject } from '@baton/primitives';

import { fieldLines } from '../output/fieldLines.ts';
import type { Output } from '../output/output.ts';
import { oneLine, wrap } from '../output/text.ts';
import { shellWord } from '../shellWord.ts';

export function drawTool(server: string, tool: Tool, { paint, columns }: Output): string[] {
  const { name, title, description, effect, effectFrom, declared, inputSchema } = tool;
  const about = description ?? title;
  // People copy this line into a shell, and a server chose the names.
  const word = (text: string): string => shellWord(oneLine(text));
  const given = requiredOf(inputSchema).map((one) => ` -i ${word(one)}=…`);
  return [
    `${paint.bold(oneLine(`${server}/${name}`))}  ${effect}${paint.dim(`, by ${sources[effectFrom] ?? oneLine(effectFrom)}`)}`,
    ...(about === undefined ? [] : wrap(oneLine(about), columns() ?? 100)),
    ...declaredText(declared).map(oneLine),
    '',
    ...fieldLines(inputSchema, { heading: 'Arguments:', none: 'It takes no arguments.', dim: paint.dim }),
    '',
    `Call it: baton servers call ${word(server)} ${word(name)}${given.join('')}`,
  ];
}

const sources: Readonly<Record<string, string>> = {
  server: 'mcp.json',
  annotations: 'what the server says',
  default: 'default: neither mcp.json nor the server says it',
};

/** Names of the arguments, the optional ones with a question mark. */
export function argumentNames({ inputSchema }: Tool): string {
  const properties = isObject(inputSchema) && isObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const required = new Set(requiredOf(inputSchema));
  return Object.keys(properties)
    .map((name) => (required.has(name) ? name : `${name}?`))
    .join(', ');
}

function requiredOf(schema: Tool['inputSchema']): string[] {
  const required = isObject(schema) ? schema['required'] : undefined;
  return Array.isArray(required) ? required.map(String) : [];
}
