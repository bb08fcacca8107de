/**
 * Goal: a recipe tells the truth about the server that it is for.
 * Method: the published server makes the call; the recipe's check is asked before, after, and after the undo.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { valueView } from '@baton/engine';
import { type Block, compileDeclaredCheck, compileDeclaredUndo, resolveDeclaration } from '@baton/language';
import { type JsonObject, isObject } from '@baton/primitives';
import { decideEffect, readServers, recipes } from '@baton/protocol';
import { callContext } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openServers } from './servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-recipes-'));
const files = join(folder, 'files');
const program = (name: string): string => createRequire(import.meta.url).resolve(`${name}/dist/index.js`);

const entries: Readonly<Record<string, object>> = {
  filesystem: { args: [program('@modelcontextprotocol/server-filesystem'), files] },
  memory: {
    args: [program('@modelcontextprotocol/server-memory')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
  },
};

/** A call of each tool of each recipe. */
const calls: readonly [recipe: string, tool: string, given: JsonObject][] = [
  ['filesystem', 'move_file', { source: join(files, 'a b.txt'), destination: join(files, 'c.txt') }],
  ['memory', 'create_entities', { entities: [{ name: 'ada', entityType: 'person', observations: ['writes'] }] }],
  ['memory', 'create_relations', { relations: [{ from: 'bob', to: 'eve', relationType: 'knows' }] }],
  ['memory', 'add_observations', { observations: [{ entityName: 'bob', contents: ['reads'] }] }],
];

const servers = openServers(
  readServers(
    JSON.stringify({
      mcpServers: Object.fromEntries(
        recipes.map(({ name, tools }) => [name, { command: process.execPath, ...entries[name], baton: { tools } }]),
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
  const known = ['bob', 'eve'].map((name) => ({ name, entityType: 'person', observations: [] }));
  await answerOf('memory', 'create_entities', { entities: known });
});

afterAll(async () => {
  await servers.close();
  rmSync(folder, { recursive: true });
});

test('Each tool of each recipe is called here', () => {
  const named = recipes.flatMap(({ name, tools }) => Object.keys(tools).map((tool) => `${name} ${tool}`));
  expect(calls.map(([recipe, tool]) => `${recipe} ${tool}`)).toEqual(named);
});

describe.each(recipes)('The recipe $name', ({ name, tools: declared }) => {
  test(`The recipe fits the tools of its server as npm has it`, async () => {
    const { tools } = await servers.catalogue(name);
    const offer = { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] } as const;
    const effects = (_: string, tool: string) =>
      decideEffect({ tool, annotations: tools.find((one) => one.name === tool)?.annotations });
    for (const [tool, one] of Object.entries(declared)) {
      const known = { servers: new Map([[name, offer]]), effects };
      expect(resolveDeclaration(one, { server: name, tool }, known)).not.toHaveProperty('unusable');
    }
  });
});

test.each(calls)('The recipe %s finds out whether %s happened, and undoes it', async (name, tool, given) => {
  const { check, undo } = recipeOf(name).tools[tool] ?? {};
  if (check === undefined || undo === undefined) throw new Error('it has no check or no undo');
  const compiled = compileDeclaredCheck(name, check);
  const made = async ({ steps: [step] }: Block, scope: object): Promise<JsonObject> => {
    if (step?.verb !== 'tool') throw new Error('it calls no tool');
    return answerOf(name, step.tool, step.with.evaluate({ call: scope }));
  };
  const look = async (): Promise<readonly [happened: unknown, output: unknown]> => {
    const scope = { call: { arguments: given }, result: await made(compiled.block, { arguments: given }) };
    const happened = compiled.happened.evaluate(scope);
    return [happened, happened === true ? compiled.output?.evaluate(scope) : undefined];
  };
  expect(await look()).toEqual([false, undefined]);
  const { output } = await answerOf(name, tool, given);
  const [happened, found] = await look();
  expect([happened, found]).toEqual([true, output]);
  await made(compileDeclaredUndo(name, undo), { arguments: given, output: isObject(found) ? found : {} });
  expect(await look()).toEqual([false, undefined]);
});
