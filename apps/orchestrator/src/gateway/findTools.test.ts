import type { Catalogue } from '@baton/protocol';
import { expect, test } from 'vitest';

import { findTools, oneLine } from './findTools.ts';
import { listedPrompts, listedResources } from './listings.ts';
import { namedAt, offeredName, offeredUri, uriAt } from './names.ts';
import type { OfferedTool } from './serverOffers.ts';
import { offersOf } from './serverOffers.ts';

const tool = (server: string, name: string, description: string): OfferedTool => ({
  server,
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

test('a line is the first sentence', () => {
  expect(tools.map(({ tool: one }) => oneLine(one))[0]).toBe('Reads a file as text.');
});

test('names lead back to their server, also where one name begins with another', () => {
  const servers = ['a', 'a__b'];
  expect(namedAt(servers, offeredName('a__b', 'c'))).toEqual({ server: 'a__b', name: 'c' });
  expect(namedAt(servers, 'none__c')).toBeUndefined();
  expect(uriAt(servers, offeredUri('a', 'file:///x'))).toEqual({ server: 'a', uri: 'file:///x' });
});

test('a server offers nothing under a name that leads to another server', async () => {
  const catalogue = {
    tools: [{ name: 'b__c' }, { name: 'c' }],
    prompts: [{ name: 'b__p', arguments: [] }],
  } as unknown as Catalogue;
  const offers = (servers: readonly string[]) =>
    offersOf({ config: { servers: new Map() }, catalogueCache: { catalogue: async () => catalogue } }, servers, {});
  const namesOf = async (servers: readonly string[]): Promise<string[]> => {
    const { tools, catalogues } = await offers(servers);
    return [
      ...tools.map((one) => offeredName(one.server, one.tool.name)),
      ...listedPrompts(catalogues).map(({ name }) => name),
    ];
  };
  expect(await namesOf(['a'])).toEqual(['a__b__c', 'a__c', 'a__b__p']);
  // The second is of `a__b`, and so would the first be.
  expect(await namesOf(['a', 'a__b'])).toEqual(['a__c', 'a__b__b__c', 'a__b__c', 'a__b__b__p']);
});

test('a name that would be drawn as another is offered to no agent', async () => {
  const names = [
    'plain',
    'über',
    '__proto__',
    'a\u001b[31m',
    'b\u202ec',
    'new\nline',
    'nul\0',
    '\ud800',
    'zero\u200bwidth',
  ];
  const catalogue = {
    tools: names.map((name) => ({ name })),
    prompts: names.map((name) => ({ name, arguments: [] })),
    resources: names.map((name) => ({ uri: 'file:///x', name })),
  } as unknown as Catalogue;
  const catalogueCache = { catalogue: async () => catalogue };
  const { tools, catalogues } = await offersOf({ config: { servers: new Map() }, catalogueCache }, ['a'], {});
  const plain = ['plain', 'über', '__proto__'];
  expect(tools.map((one) => one.tool.name)).toEqual(plain);
  expect(listedPrompts(catalogues).map(({ name }) => name)).toEqual(plain.map((name) => `a__${name}`));
  const shown = [...plain, 'a', 'bc', 'new\nline', 'nul', '', 'zerowidth'];
  expect(listedResources(catalogues).map(({ name }) => name)).toEqual(shown.map((name) => `a__${name}`));
});
