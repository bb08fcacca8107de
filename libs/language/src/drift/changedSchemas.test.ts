import type { Json, JsonObject } from '@baton/primitives';
import { describe, expect, test } from 'vitest';

import type { ServerOffers } from '../servers/offer.ts';
import { proveDrift } from './proveDrift.ts';

const text = { type: 'string' };
const mapOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});

/** Why nothing proves that the workflow can go on with the changed tool `s/get`, beside which there is `s/put`. */
function doubtsOf(steps: readonly JsonObject[], before: JsonObject, now: JsonObject, more: JsonObject = {}): string[] {
  const any = { type: 'object' };
  const get = { name: 'get', inputSchema: any };
  const changed = { before: { ...get, ...before }, now: { ...get, ...now } };
  const tools = [changed.now, { name: 'put', inputSchema: any }];
  const servers: ServerOffers = new Map([
    ['s', { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] }],
  ]);
  const document = JSON.stringify({ workflow: 'reads', steps, ...more });
  return proveDrift(document, new Map([['s/get', changed]]), { servers }).map(({ message }) => message);
}

/** Of a workflow that hands on what the expression gives. */
const readDoubts = (expression: string, before: JsonObject, now: JsonObject): string[] =>
  doubtsOf(
    [
      { id: 'got', tool: 's/get' },
      { tool: 's/put', with: { x: `\${{ ${expression} }}` } },
    ],
    { outputSchema: before },
    { outputSchema: now },
  );

const id = 'steps.got.output.id';
const list = 'steps.got.output.list';
const items = { type: 'array', items: mapOf({ id: text, note: text }), minItems: 1 };

/** The member `id` may have been there, and the new schema, which is the narrower one, knows none or has none. */
const lostMembers: readonly (readonly [string, JsonObject, JsonObject])[] = [
  [
    'lost a member where there are no others',
    { ...mapOf({ id: text, note: text }), required: ['note'] },
    mapOf({ note: text }, { additionalProperties: false }),
  ],
  ['lost a member of any type', { ...mapOf({ id: {}, note: text }), required: ['note'] }, mapOf({ note: text })],
  ['lost an alternative with a member', { anyOf: [mapOf({ id: text }), mapOf({ note: text })] }, mapOf({ note: text })],
  [
    'can never have a member',
    { ...mapOf({ id: text, note: text }), required: ['note'] },
    { ...mapOf({ id: text, note: text }), required: ['note'], maxProperties: 1 },
  ],
];

describe('Nothing proves that a read gives what it gave', () => {
  test.each<[string, string, JsonObject, JsonObject]>([
    ['may be null by `nullable`', id, mapOf({ id: text }), mapOf({ id: { ...text, nullable: true } })],
    [
      'is in a map that may be null by `nullable`',
      'steps.got.output.inner.id',
      mapOf({ inner: mapOf({ id: text, note: text }) }),
      mapOf({ inner: mapOf({ id: text }, { nullable: true }) }),
    ],
    [
      'is the first item of a list that may be empty',
      `${list}[0].id`,
      mapOf({ list: items, old: text }),
      mapOf({ list: { ...items, minItems: 0 } }),
    ],
    [
      'is the first item of a list without `minItems`',
      `${list}[0].id`,
      mapOf({ list: items }),
      mapOf({ list: { type: 'array', items: items.items } }),
    ],
    ['is no longer required', id, mapOf({ id: text }), { ...mapOf({ id: text }), required: [] }],
    [
      'is tested for, and no longer required',
      `has(${id})`,
      mapOf({ id: text, note: text }),
      { ...mapOf({ id: text }), required: [] },
    ],
    ['is of a map without `minProperties`', 'size(steps.got.output)', mapOf({}, { minProperties: 1 }), mapOf({})],
    [
      'is an item without `prefixItems`',
      `${list}[0]`,
      mapOf({ list: { type: 'array', prefixItems: [text], minItems: 1 } }),
      mapOf({ list: { type: 'array', minItems: 1 } }),
    ],
    [
      'is of a list without `contains`',
      `${list}.exists(one, one == "a")`,
      mapOf({ list: { type: 'array', contains: { const: 'a' } } }),
      mapOf({ list: { type: 'array' } }),
    ],
    [
      'is of a list without `uniqueItems`',
      `size(${list})`,
      mapOf({ list: { type: 'array', items: text, uniqueItems: true } }),
      mapOf({ list: { type: 'array', items: text } }),
    ],
    [
      'is a further member, of another type',
      'steps.got.output.other',
      mapOf({ note: text }, { additionalProperties: text }),
      { type: 'object', additionalProperties: { type: 'integer' } },
    ],
    [
      'is a further member, of any type',
      'steps.got.output.other',
      { type: 'object', additionalProperties: text },
      { type: 'object' },
    ],
    [
      'depends on another member no longer',
      'steps.got.output.?a.orValue("")',
      mapOf({ note: text }, { properties: { a: text, b: text }, dependentRequired: { b: ['a'] } }),
      { type: 'object', properties: { a: text, b: text } },
    ],
    ...(
      [
        ['is a member by a computed name', 'steps.got.output[inputs.name]'],
        ['is a member by a name that is one of two', 'steps.got.output[inputs.name == "" ? "id" : "note"]'],
        ['is an optional member by a computed name', 'steps.got.output[?inputs.name].orValue("")'],
        ['is looked for', '"id" in steps.got.output'],
        ['is gone through', 'steps.got.output.all(name, name != "")'],
        ['is gone through with its values', 'steps.got.output.transformList(name, value, value)'],
        ['is counted', 'size(steps.got.output)'],
        ['is compared as a whole', 'steps.got.output == {"note": "a"}'],
        ['is made a text', 'json(steps.got.output)'],
        ['is a list of names', 'keys(steps.got.output)'],
        ['is merged', 'merge({"b": 1}, steps.got.output)'],
        ['has another name', 'cel.bind(all, steps.got.output, all[inputs.name])'],
        ['is all that a step gave', 'steps.got'],
        ['is all that steps gave', 'steps[inputs.name]'],
      ] as const
    ).flatMap(([how, expression]) =>
      lostMembers.map(([where, before, now]): [string, string, JsonObject, JsonObject] => [
        `${how}, and ${where}`,
        expression,
        before,
        now,
      ]),
    ),
    ['is a whole answer', 'steps.got.output', mapOf({ id: text, note: text }), mapOf({ id: text })],
    ['is in a list', '[steps.got.output]', mapOf({ id: text, note: text }), mapOf({ id: text })],
    [
      'is all items',
      `${list}.map(one, one)`,
      mapOf({ list: items }),
      mapOf({ list: { ...items, items: mapOf({ id: text }) } }),
    ],
    [
      'has an unknown keyword that holds schemas',
      id,
      mapOf({ id: text, note: text }),
      mapOf({ id: { ...text, oddly: { a: text } } }),
    ],
    ['has an unknown keyword', id, mapOf({ id: text }), mapOf({ id: { ...text, odd: 2 } })],
    [
      'is of a map by another pattern',
      'steps.got.output.title',
      { type: 'object', patternProperties: { title: text } },
      { type: 'object', patternProperties: {} },
    ],
  ])('An answer whose part %s is not proven.', (_, expression, before, now) => {
    expect(readDoubts(expression, before, now)).toContainEqual(expect.stringMatching(/^Nothing proves that `/));
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['of another type', { type: 'integer' }, text],
    ['one of more texts', { enum: ['open', 'closed'] }, { enum: ['open', 'closed', 'pending'] }],
  ])('The doubt about a member that is %s now does not call it gone.', (_, before, now) => {
    expect(readDoubts(id, mapOf({ id: before, note: text }), mapOf({ id: now, note: text }))).toEqual([
      `Nothing proves that \`${id}\` is what it was.`,
    ]);
  });

  test('A member that is read by its name can be there no longer, and what is read beside it is proven.', () => {
    for (const [, before, now] of lostMembers) expect(readDoubts(`has(${id})`, before, now)).not.toEqual([]);
    const [[, before, now] = ['', {}, {}]] = lostMembers;
    expect(readDoubts('steps.got.output.note', before, now)).toEqual([]);
  });

  test('The answer of a step in a race is read as the output of the race.', () => {
    const race = { id: 'race', parallel: [{ tool: 's/get' }, { tool: 's/put' }], until: 'first' };
    const reads = { tool: 's/put', with: { x: '${{ steps.race.output.id }}' } };
    const [before, now] = [{ outputSchema: mapOf({ id: text }) }, { outputSchema: mapOf({}) }];
    expect(doubtsOf([race, reads], before, now)).toContain(
      'Nothing proves that what is read of the answer of "s/get" is what it was.',
    );
  });
});

describe('What the server configuration declares for a tool', () => {
  const asks = { name: 'asks', inputSchema: { type: 'object' } };
  const declared = { undo: { tool: 'put', with: { x: '${{ call.output.id }}' } } };

  /** `s/asks` is called; `s/put` takes it back. */
  const undoDoubts = (name: 'asks' | 'put', before: JsonObject, now: JsonObject): string[] => {
    const changed = { before: { name, inputSchema: asks.inputSchema, ...before }, now: { ...asks, name, ...now } };
    const tools = [changed.now, { ...asks, name: name === 'asks' ? 'put' : 'asks' }];
    const servers: ServerOffers = new Map([
      ['s', { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] }],
    ]);
    const document = JSON.stringify({ workflow: 'asks', steps: [{ tool: 's/asks', undo: 'declared' }] });
    const declarations = (_: string, tool: string): object | undefined => (tool === 'asks' ? declared : undefined);
    return proveDrift(document, new Map([[`s/${name}`, changed]]), { servers, declarations }).map(
      ({ message }) => message,
    );
  };

  test('A tool whose declared undo reads less of its answer than before is not proven.', () => {
    const [before, now] = [mapOf({ id: text }), mapOf({ id: text, note: text })];
    expect(undoDoubts('asks', { outputSchema: before }, { outputSchema: now })).toEqual([]);
    expect(undoDoubts('asks', { outputSchema: now }, { outputSchema: before })).toEqual([
      'Nothing proves that "s/asks" does in what is declared for "s/asks" what it did.',
    ]);
  });

  test('A tool that takes less than before is not proven where it is a declared undo.', () => {
    const [before, now] = [mapOf({}), mapOf({ x: { ...text, maxLength: 2 } })];
    expect(undoDoubts('put', { inputSchema: now }, { inputSchema: before })).toEqual([]);
    expect(undoDoubts('put', { inputSchema: before }, { inputSchema: now })).toEqual([
      'Nothing proves that "s/put" does in what is declared for "s/asks" what it did.',
    ]);
  });
});

describe('It is proven that a read gives what it gave', () => {
  test.each<[string, string, JsonObject, JsonObject]>([
    ['is beside one that is gone', id, mapOf({ id: text, note: text }), mapOf({ id: text })],
    ['has a keyword for people that differs', id, mapOf({ id: text }), mapOf({ id: { ...text, title: 'The id' } })],
    ['may be fewer values', id, mapOf({ id: text, note: text }), mapOf({ id: { enum: ['a'] } })],
    [
      'is a member of each item, beside one that is gone',
      `${list}.map(one, one.id)`,
      mapOf({ list: items }),
      mapOf({ list: { ...items, items: mapOf({ id: text }) } }),
    ],
    [
      'is a member of the first item of a list with `minItems`',
      `${list}[0].id`,
      mapOf({ list: items }),
      mapOf({ list: { ...items, items: mapOf({ id: text }), minItems: 2 } }),
    ],
    [
      'is a whole answer of which the schema says more',
      'steps.got.output',
      mapOf({ id: text }),
      mapOf({ id: text, note: text }),
    ],
  ])('An answer whose part %s is proven.', (_, expression, before, now) => {
    expect(readDoubts(expression, before, now)).toEqual([]);
  });

  test('The members of each item of a `forEach` are read, and not the items as a whole.', () => {
    const loop = (x: string): readonly JsonObject[] => [
      { id: 'got', tool: 's/get' },
      { forEach: `\${{ ${list} }}`, steps: [{ tool: 's/put', with: { x } }] },
    ];
    const [before, now] = [mapOf({ list: items }), mapOf({ list: { ...items, items: mapOf({ id: text }) } })];
    const schemas = [{ outputSchema: before }, { outputSchema: now }] as const;
    expect(doubtsOf(loop('${{ item.id }}'), ...schemas)).toEqual([]);
    expect(doubtsOf(loop('${{ item }}'), ...schemas)).toEqual(['Nothing proves that `item` is what it was.']);
  });
});

describe('The arguments of a call', () => {
  const any = { type: 'object' };
  const callDoubts = (written: JsonObject, before: JsonObject, now: JsonObject, inputs: JsonObject = {}): string[] =>
    doubtsOf(
      [{ tool: 's/get', with: written }],
      { inputSchema: before },
      { inputSchema: now },
      {
        inputs: {
          type: 'object',
          properties: inputs,
          required: Object.keys(inputs).filter((name) => name !== 'optional'),
        },
      },
    );
  const p = '${{ inputs.p }}';

  test.each<[string, JsonObject, JsonObject, JsonObject, JsonObject?]>([
    [
      'were not limited where `patternProperties` names them',
      { title: p },
      { ...any, patternProperties: { '^t': {} }, additionalProperties: { type: 'integer' } },
      {
        ...any,
        properties: { title: { type: 'integer' } },
        patternProperties: { '^t': {} },
        additionalProperties: { type: 'integer' },
      },
      { p: {} },
    ],
    [
      'depend on each other by `dependentRequired`',
      { a: p, b: p },
      { ...any, properties: { a: text, b: text } },
      { ...any, properties: { a: text, b: text }, dependentRequired: { title: ['c'], a: ['c'] } },
      { p: {} },
    ],
    [
      'depend on each other by another `dependentRequired`',
      { title: p },
      { ...any, properties: { title: text, b: text }, dependentRequired: {} },
      { ...any, properties: { title: text, b: text }, dependentRequired: { title: ['b'] } },
      { p: {} },
    ],
    [
      'depend on each other by `dependencies`',
      { title: p },
      { ...any, dependencies: {} },
      { ...any, dependencies: { title: ['b'] } },
      { p: {} },
    ],
    [
      'refer to a schema, and are limited beside that',
      { a: p },
      { ...any, properties: { a: {} } },
      { ...any, properties: { a: { $ref: '#/$defs/a', maxLength: 1 } }, $defs: { a: text } },
      { p: text },
    ],
    [
      'have another nested default',
      { a: p },
      { ...any, properties: { a: mapOf({}, { properties: { b: { ...text, default: 'x' } } }) } },
      { ...any, properties: { a: mapOf({}, { properties: { b: { ...text, default: 'y' } } }) } },
      { p: {} },
    ],
    [
      'have another default behind a reference',
      {},
      { ...any, properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { ...text, default: 'x' } } },
      { ...any, properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { ...text, default: 'y' } } },
    ],
    [
      'get a default that does not fit any more',
      {},
      { ...any, properties: { a: { ...text, default: 'abc' } }, required: ['a'] },
      { ...any, properties: { a: { ...text, default: 'abc', maxLength: 1 } }, required: ['a'] },
    ],
    [
      'are in a list in which none is null',
      { a: ['${{ inputs.?optional }}'] },
      { ...any, properties: { a: { type: 'array' } } },
      { ...any, properties: { a: { type: 'array', items: text } } },
      { optional: text },
    ],
    [
      'are in a list of schemas',
      { a: ['x', p] },
      { ...any, $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { type: 'array' } } },
      {
        ...any,
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { items: [text, { type: 'integer' }] } },
      },
      { p: {} },
    ],
    [
      'become a header',
      { a: p },
      { ...any, properties: { a: text } },
      { ...any, properties: { a: { ...text, 'x-mcp-header': 'Key' } } },
      { p: text },
    ],
    [
      'are read by another dialect',
      { a: p },
      { ...any, properties: { a: { prefixItems: [text] } } },
      { ...any, $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { prefixItems: [text] } } },
      { p: {} },
    ],
  ])('A call whose arguments %s is not proven.', (_, written, before, now, inputs) => {
    expect(callDoubts(written, before, now, inputs)).not.toEqual([]);
  });

  test.each<[string, JsonObject, JsonObject, JsonObject, Json?]>([
    [
      'are described anew by the same keywords',
      { title: p },
      { ...any, properties: { title: text }, dependentRequired: { title: [] } },
      { ...any, properties: { title: { ...text, description: 'Why' } }, dependentRequired: { title: [] } },
    ],
    [
      'may be left out now, and have the default that Baton filled in',
      {},
      { ...any, properties: { a: { ...text, default: 'x' } }, required: ['a'] },
      { ...any, properties: { a: { ...text, default: 'x' } } },
    ],
    [
      'have a new member with a default',
      { a: p },
      { ...any, properties: { a: mapOf({}) } },
      { ...any, properties: { a: mapOf({}, { properties: { b: { default: 1 } } }) } },
    ],
  ])('A call whose arguments %s is proven.', (_, written, before, now) => {
    expect(callDoubts(written, before, now, { p: {} })).toEqual([]);
  });
});
