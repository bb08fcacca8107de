import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import { admitResult } from '../messages/admit.ts';
import { readCatalogue, type Catalogue, type IntroducedServer } from './catalogue.ts';

const introduction: IntroducedServer = {
  protocolVersion: '2025-11-25',
  server: { name: 'scripted', version: '1' },
  capabilities: { tools: {}, prompts: {}, resources: {} },
  instructions: undefined,
  prior: { kind: 'legacy' },
};
const modern: IntroducedServer = { ...introduction, protocolVersion: '2026-07-28', prior: { kind: 'modern' } };

type Answers = Readonly<Record<string, (params: JsonObject) => unknown>>;

const read = async (answers: Answers, from: IntroducedServer = introduction): Promise<Catalogue> =>
  readCatalogue(from, {
    request: async (method, params) => Promise.resolve(admitResult(method, answers[method]?.(params))),
    now: () => 0,
  });

const namesOf = (catalogue: Catalogue): readonly string[] => catalogue.tools.map(({ name }) => name);
const tool = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };

test('no null and no empty list costs a tool, and all of them have the schema of a tool without', async () => {
  const odd = [
    { description: null },
    { title: null },
    { outputSchema: null },
    { execution: null },
    { execution: { taskSupport: null } },
    { execution: [] },
    { annotations: null },
    { annotations: [] },
    { annotations: { title: null, readOnlyHint: null, destructiveHint: null } },
    { icons: null },
    { _meta: null },
    { _meta: [] },
    { inputSchema: { ...tool.inputSchema, required: null, additionalProperties: null, $defs: [] } },
  ];
  const { tools, problems } = await read({
    'tools/list': () => ({ tools: odd.map((more, i) => ({ ...tool, ...more, name: `t${i}` })), nextCursor: null }),
  });
  expect(problems).toEqual([]);
  expect(tools.map(({ name, inputSchema, outputSchema }) => [name, inputSchema['properties'], outputSchema])).toEqual(
    odd.map((_, i) => [`t${i}`, tool.inputSchema.properties, undefined]),
  );
});

test('a schema that is null or an empty list is one without properties', async () => {
  const schemas = [null, [], { type: 'object', properties: [] }];
  const { tools, problems } = await read({
    'tools/list': () => ({ tools: schemas.map((inputSchema, i) => ({ name: `t${i}`, inputSchema })) }),
  });
  expect(problems).toEqual([]);
  expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([
    { type: 'object' },
    { type: 'object' },
    { type: 'object', properties: {} },
  ]);
});

test('prompts, resources and templates with null members are kept', async () => {
  const { prompts, resources, resourceTemplates, problems } = await read({
    'prompts/list': () => ({
      prompts: [
        { name: 'a', description: null, arguments: null },
        { name: 'b', arguments: [{ name: 'x', description: null, required: null }] },
      ],
    }),
    'resources/list': () => ({ resources: [{ name: 'r', uri: 'x:1', mimeType: null, size: null, annotations: null }] }),
    'resources/templates/list': () => ({ resourceTemplates: [{ name: 't', uriTemplate: 'x:{a}', title: null }] }),
  });
  expect(problems).toEqual([]);
  expect([prompts, resources, resourceTemplates].map((list) => list.length)).toEqual([2, 1, 1]);
  expect(prompts.map((prompt) => prompt.arguments)).toEqual([[], [{ name: 'x' }]]);
});

test('what is left out is named with the reason', async () => {
  const { tools, problems, leftOut } = await read({
    'tools/list': () => ({
      tools: [
        tool,
        { ...tool, name: 'typed', description: 7 },
        { inputSchema: {} },
        { ...tool, name: 'x'.repeat(300) },
      ],
    }),
  });
  expect(tools).toHaveLength(1);
  expect(leftOut).toEqual([{ name: 'typed', why: expect.stringContaining('description') as string }]);
  expect(problems).toHaveLength(3);
});

const pages = ({ cursor }: JsonObject): unknown =>
  cursor === undefined
    ? { tools: [{ ...tool, name: 'first' }], nextCursor: '' }
    : { tools: [{ ...tool, name: 'second' }] };

test('an empty cursor ends a list before 2026-07-28, and is a cursor since', async () => {
  expect(namesOf(await read({ 'tools/list': pages }))).toEqual(['first']);
  expect(namesOf(await read({ 'tools/list': pages }, modern))).toEqual(['first', 'second']);
  const { prompts } = await read(
    {
      'tools/list': () => ({ tools: [] }),
      'prompts/list': ({ cursor }) =>
        cursor === '' ? { prompts: [{ name: 'b' }] } : { prompts: [{ name: 'a' }], nextCursor: '' },
    },
    modern,
  );
  expect(prompts.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('a server that declares no capability is asked for tools all the same', async () => {
  const bare = { ...introduction, capabilities: {} };
  const catalogue = await read({ 'tools/list': () => ({ tools: [tool] }) }, bare);
  expect(namesOf(catalogue)).toEqual(['echo']);
  expect(catalogue.problems).toEqual([expect.stringContaining('does not declare the capability "tools"')]);
  const refusing = await read(
    {
      'tools/list': () => {
        throw new FailureError('server-error', 'not here');
      },
    },
    bare,
  );
  expect([refusing.tools, refusing.problems]).toEqual([[], []]);
});
