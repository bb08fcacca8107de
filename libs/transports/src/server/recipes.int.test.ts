/**
 * Goal: a recipe tells the truth about the server that it is for, and its undo takes back only what the call did.
 * Method: the published server makes the call; the recipe's check is asked before, after, and after the undo. What was
 * there before stays. Of a server that needs an account, the arguments of the undo are compared with the published schema.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { valueView } from '@baton/engine';
import { type Block, compileDeclaredCheck, compileDeclaredUndo, resolveDeclaration } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { decideEffect, readServers, recipes } from '@baton/protocol';
import { callContext } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openServers } from './servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-recipes-'));
const files = join(folder, 'files');
const person = (name: string): JsonObject => ({ name, entityType: 'person', observations: [] });
const knows = (from: string, to: string): JsonObject => ({ from, to, relationType: 'knows' });
const program = (name: string): string => createRequire(import.meta.url).resolve(`${name}/dist/index.js`);

const entries: Readonly<Record<string, object>> = {
  filesystem: { args: [program('@modelcontextprotocol/server-filesystem'), files] },
  memory: {
    args: [program('@modelcontextprotocol/server-memory')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
  },
};

const started = recipes.filter(({ testedWith }) => testedWith !== undefined);

/** Of each recipe that is tested with its server: a call of each tool, and what of it was there before. */
const calls: readonly [recipe: string, tool: string, given: JsonObject, before: JsonObject][] = [
  ['filesystem', 'move_file', { source: join(files, 'a b.txt'), destination: join(files, 'c.txt') }, {}],
  ['memory', 'create_entities', { entities: [person('bob'), person('ada')] }, { entities: [person('bob')] }],
  [
    'memory',
    'create_relations',
    { relations: [knows('bob', 'eve'), knows('eve', 'bob')] },
    { relations: [knows('bob', 'eve')] },
  ],
  [
    'memory',
    'add_observations',
    { observations: [{ entityName: 'bob', contents: ['reads', 'writes'] }] },
    { observations: [{ entityName: 'bob', contents: ['reads'] }] },
  ],
];

const servers = openServers(
  readServers(
    JSON.stringify({
      mcpServers: Object.fromEntries(
        started.map(({ name, tools }) => [name, { command: process.execPath, ...entries[name], baton: { tools } }]),
      ),
    }),
  ).config,
  { environment: process.env, secret: async () => undefined, root: folder, version: '0' },
);

const answerOf = async (server: string, tool: string, given: JsonObject): Promise<JsonObject> => {
  const { result } = await servers.calls.callTool({ server, tool, arguments: given }, callContext());
  return valueView('tool', result);
};

const recipeOf = (name: string) => {
  const found = recipes.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no recipe ${name}`);
  return found;
};

beforeAll(async () => {
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, 'a b.txt'), 'text');
  await answerOf('memory', 'create_entities', { entities: [person('bob'), person('eve')] });
  for (const [recipe, tool, , before] of calls) if (recipe === 'memory') await answerOf(recipe, tool, before);
});

afterAll(async () => {
  await servers.close();
  rmSync(folder, { recursive: true });
});

test('Each tool of each recipe is called here', () => {
  const named = started.flatMap(({ name, tools }) => Object.keys(tools).map((tool) => `${name} ${tool}`));
  expect(calls.map(([recipe, tool]) => `${recipe} ${tool}`)).toEqual(named);
});

test.each(started)('The recipe $name fits the tools of its server as npm has it', async ({ name, tools: declared }) => {
  const { tools } = await servers.catalogue(name);
  const offer = { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] } as const;
  const effects = (_: string, tool: string) =>
    decideEffect({ tool, annotations: tools.find((one) => one.name === tool)?.annotations });
  for (const [tool, one] of Object.entries(declared)) {
    const known = { servers: new Map([[name, offer]]), effects };
    expect(resolveDeclaration(one, { server: name, tool }, known)).not.toHaveProperty('unusable');
  }
});

const madeBy = async (name: string, { steps: [step] }: Block, call: object): Promise<JsonObject> => {
  if (step?.verb !== 'tool') throw new Error('it calls no tool');
  return answerOf(name, step.tool, step.with.evaluate({ call }));
};

/** What the check of the recipe finds; undefined where it ships none. */
async function happened(name: string, tool: string, given: JsonObject): Promise<unknown> {
  const { check } = recipeOf(name).tools[tool] ?? {};
  if (check === undefined) return undefined;
  const call = { arguments: given };
  const { block, happened: condition } = compileDeclaredCheck(name, check);
  return condition.evaluate({ call, result: await madeBy(name, block, call) });
}

/** All that the server has. */
const everything = async (name: string): Promise<unknown> =>
  name === 'memory' ? (await answerOf(name, 'read_graph', {}))['output'] : readdirSync(files);

test.each(calls)(
  'The recipe %s finds out whether %s happened, and undoes only what it did',
  async (name, tool, given) => {
    const { check, undo } = recipeOf(name).tools[tool] ?? {};
    if (undo === undefined) throw new Error('it has no undo');
    const isChecked = check !== undefined;
    const before = await everything(name);
    expect(await happened(name, tool, given)).toBe(isChecked ? false : undefined);
    const { output = null } = await answerOf(name, tool, given);
    expect(await happened(name, tool, given)).toBe(isChecked ? true : undefined);
    await madeBy(name, compileDeclaredUndo(name, undo), { arguments: given, output });
    expect(await happened(name, tool, given)).toBe(isChecked ? false : undefined);
    expect(await everything(name)).toEqual(before);
  },
);

const checked = calls.filter(([name, tool]) => recipeOf(name).tools[tool]?.check !== undefined);

test.each(checked)(
  'The recipe %s undoes nothing of %s whose answer is lost: what was new is not known',
  async (name, tool, _, before) => {
    const { check, undo } = recipeOf(name).tools[tool] ?? {};
    if (check === undefined || undo === undefined) throw new Error('it has no check or no undo');
    expect(await happened(name, tool, before)).toBe(true);
    const call = { arguments: before };
    const { block, output: said } = compileDeclaredCheck(name, check);
    const output = said?.evaluate({ call, result: await madeBy(name, block, call) }) ?? {};
    const kept = await everything(name);
    await expect(madeBy(name, compileDeclaredUndo(name, undo), { ...call, output })).rejects.toThrow('there is no');
    expect(await everything(name)).toEqual(kept);
  },
);

const html = 'https://github.com/o/r';
const place = { owner: 'o', repo: 'r' };

/** As the published definitions say: what a call answers, the arguments of its undo, and those that its tool requires. */
const compared: readonly [recipe: string, tool: string, call: JsonObject, undo: JsonObject, required: string[]][] = [
  [
    'github',
    'create_pull_request',
    { arguments: { ...place, title: 't', head: 'h', base: 'main' }, output: { id: '9001', url: `${html}/pull/12` } },
    { ...place, pullNumber: 12, state: 'closed' },
    ['owner', 'repo', 'pullNumber'],
  ],
  [
    'github',
    'issue_write',
    { arguments: { ...place, method: 'create', title: 't' }, output: { id: '9002', url: `${html}/issues/13` } },
    { ...place, method: 'update', issue_number: 13, state: 'closed', state_reason: 'not_planned' },
    ['method', 'owner', 'repo'],
  ],
  [
    'notion',
    'API-post-page',
    { arguments: { parent: {}, properties: {} }, output: { object: 'page', id: 'p-1' } },
    { page_id: 'p-1', in_trash: true },
    ['page_id'],
  ],
];

const undoArguments = (name: string, tool: string, call: JsonObject): JsonObject => {
  const { undo } = recipeOf(name).tools[tool] ?? {};
  if (undo === undefined) throw new Error('it has no undo');
  const [step] = compileDeclaredUndo(name, undo).steps;
  if (step?.verb !== 'tool') throw new Error('it calls no tool');
  return step.with.evaluate({ call });
};

test('Each tool of a recipe for a server that needs an account is compared here', () => {
  const named = recipes
    .filter(({ comparedWith }) => comparedWith !== undefined)
    .flatMap(({ name, tools }) => Object.keys(tools).map((tool) => `${name} ${tool}`));
  expect(compared.map(([recipe, tool]) => `${recipe} ${tool}`)).toEqual(named);
});

test.each(compared)('The recipe %s undoes %s with what its answer names', (name, tool, call, undo, required) => {
  const given = undoArguments(name, tool, call);
  expect(given).toEqual(undo);
  expect(required.filter((key) => !(key in given))).toEqual([]);
  expect(() => undoArguments(name, tool, { ...call, output: {} })).toThrow('there is no');
});

test('The recipe github closes no issue that was there before', () => {
  const call = { arguments: { ...place, method: 'update', issue_number: 13 }, output: { url: `${html}/issues/13` } };
  expect(() => undoArguments('github', 'issue_write', call)).toThrow('there is no item 0');
});
