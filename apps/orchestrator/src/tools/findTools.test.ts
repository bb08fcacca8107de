import { expect, test } from 'vitest';

import { foundTools } from '../gateway/gatewayTools.ts';
import { findTools, oneLine } from './findTools.ts';
import type { OfferedTool } from './serverOffers.ts';

const tool = (server: string, name: string, description: string): OfferedTool => ({
  server,
  name: `${server}__${name}`,
  tool: { name, description, inputSchema: {}, digests: { contract: '', text: '' } },
  effect: { effect: 'read', from: 'server' },
});

const tools = [
  tool('files', 'read_text_file', 'Reads a file as text. Takes a path.'),
  tool('files', 'writeFile', 'Creates or replaces a file.'),
  tool('issues', 'list_issues', 'Lists what was reported.'),
];

const found = (query: string): string[] => findTools(tools, query, 10).map((one) => one.tool.name);

test('tools are found by the words of their names, titles and descriptions, the best first', () => {
  expect(found('write a file')).toEqual(['writeFile', 'read_text_file']);
  expect(found('reported issue')).toEqual(['list_issues']);
  expect(found('weather')).toEqual([]);
  expect(found('')).toHaveLength(3);
});

test('a tool was seen where its whole definition was given, and not where its name was', () => {
  expect(foundTools(tools, { query: 'file' }).shown).toEqual([]);
  expect(foundTools(tools, { name: 'files__writeFile' }).shown).toEqual([tools[1]]);
});

test('a line is the first sentence', () => {
  expect(tools.map(({ tool: one }) => oneLine(one))[0]).toBe('Reads a file as text.');
});
