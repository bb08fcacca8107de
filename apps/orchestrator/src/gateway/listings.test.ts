import { readCatalogue, type Catalogue } from '@baton/protocol';
import { isSpecType } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';

import { offersOf } from '../tools/serverOffers.ts';
import { listedPrompts, listedResources, listedTools } from './listings.ts';

/** A catalogue as Baton reads it from a server that lists this. */
const catalogueOf = (lists: Readonly<Record<string, readonly unknown[]>>): Promise<Catalogue> =>
  readCatalogue(
    {
      protocolVersion: '2025-11-25',
      server: { name: 'scripted', version: '1' },
      capabilities: { tools: {}, prompts: {}, resources: {} },
      instructions: undefined,
      prior: { kind: 'legacy' },
    },
    {
      request: async (method) => {
        const [member = ''] = method.split('/').slice(-2);
        return Promise.resolve({ [member]: method === 'resources/templates/list' ? [] : (lists[member] ?? []) });
      },
      now: () => 0,
    },
  );

const offers = async (lists: Readonly<Record<string, Promise<Catalogue>>>, names = Object.keys(lists)) => {
  const none = await catalogueOf({});
  const catalogueCache = { catalogue: async (name: string) => (await lists[name]) ?? none };
  return offersOf({ config: { servers: new Map() }, catalogueCache }, names, {});
};

const good = { name: 'good', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };

test('one odd tool costs no other, and is offered as far as clients take it', async () => {
  const odd = [
    { inputSchema: { type: 'object', properties: [] } },
    { inputSchema: { type: 'object', properties: { n: { type: 'integer', maximum: '9223372036854775807' } } } },
    { inputSchema: 'none' },
    { inputSchema: { type: 'any' } },
    { inputSchema: { anyOf: [{ properties: { a: {} } }] } },
    { outputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } },
    { outputSchema: { type: 'array' } },
    { icons: [{ src: 7 }, { src: 'https://example.com/i.png' }], _meta: { 'ui/resourceUri': 'ui://x' } },
    { icons: 'none', _meta: 7 },
    { annotations: { title: 'T', readOnlyHint: true, other: 1 } },
  ].map((more, at) => ({ ...good, name: `odd ${at}`, ...more }));
  const { tools } = await offers({ s: catalogueOf({ tools: [good, ...odd] }) });
  const listed = listedTools(tools);
  expect(listed).toHaveLength(odd.length + 1);
  expect(isSpecType.ListToolsResult({ tools: listed })).toBe(true);
  expect(listed.filter(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(listed[0]).toMatchObject({ name: 's__good', inputSchema: good.inputSchema });
  expect(listed[2]?.inputSchema.properties).toEqual({ n: { type: 'integer', maximum: 2 ** 63 } });
  expect(listed[8]).toMatchObject({
    title: 'odd 7',
    icons: [{ src: 'https://example.com/i.png' }],
    _meta: { 'ui/resourceUri': 'ui://x' },
  });
  expect(listed[9]).not.toHaveProperty('icons');
});

test('a server offers nothing under a name that leads to another server', async () => {
  const catalogue = catalogueOf({
    tools: ['b__c', 'c'].map((name) => ({ ...good, name })),
    prompts: [{ name: 'b__p' }],
  });
  const namesOf = async (servers: readonly string[]): Promise<string[]> => {
    const { tools, prompts } = await offers({ a: catalogue, a__b: catalogue }, [...servers]);
    return [...listedTools(tools), ...listedPrompts(prompts)].map(({ name }) => name);
  };
  expect(await namesOf(['a'])).toEqual(['a__b__c', 'a__c', 'a__b__p']);
  expect(await namesOf(['a', 'a__b'])).toEqual([
    expect.stringMatching(/^a__b__c--/),
    'a__c',
    'a__b__b__c',
    'a__b__c',
    expect.stringMatching(/^a__b__p--/),
    'a__b__b__p',
  ]);
});

test('no name and no title that an agent is shown would be drawn as another', async () => {
  const names = ['plain', 'a\u001b[31m', 'b\u202ec', 'new\nline', 'zero\u200bwidth'];
  const { tools, prompts, catalogues } = await offers({
    a: catalogueOf({
      tools: names.map((name) => ({ ...good, name })),
      prompts: names.map((name) => ({ name })),
      resources: names.map((name) => ({ uri: 'file:///x', name })),
    }),
  });
  const shown = [...listedTools(tools), ...listedPrompts(prompts)].flatMap(({ name, title = '' }) => [name, title]);
  expect(shown).toHaveLength(names.length * 4);
  expect(shown.filter((text) => !/^[\x20-\x7e\n]*$/.test(text))).toEqual([]);
  expect(listedResources(catalogues).map(({ name }) => name)).toEqual(
    ['plain', 'a', 'bc', 'new\nline', 'zerowidth'].map((name) => `a__${name}`),
  );
});
