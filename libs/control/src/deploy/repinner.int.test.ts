import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { type EventOf, type PlayOptions, play } from '@baton/engine';
import { readServers } from '@baton/protocol';
import { type Clock, advance, systemClock } from '@baton/runner';
import {
  type Definition,
  type Deployment,
  cachedPins,
  cachedPlans,
  definitionOf,
  deployWorkflow,
  getRun,
  getWorkflow,
  getWorkflowVersion,
  listEntries,
  putDefinition,
} from '@baton/store';
import {
  type FreshStore,
  appFile,
  freshStore,
  MemoryBell,
  offeringServer,
  planOf,
  TestClock,
  testSecrets,
} from '@baton/testing';
import { type Servers, openServers } from '@baton/transports';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { refusals } from '../installation/refusals.ts';
import { RunStarter } from '../intake/starter.ts';
import type { Principal } from '../keys/scopes.ts';
import { CatalogueCache } from './catalogueCache.ts';
import { Checker } from './checker.ts';
import { deployedWorkflowsFor } from './deployedWorkflows.ts';
import { DriftGuard, ToolsChanged } from './driftGuard.ts';
import { type ProofAnswer, Repinner } from './repinner.ts';
import { CheckThreads } from './threads/checkThreads.ts';

const schema = { type: 'object', properties: { message: { type: 'string' } }, additionalProperties: false };
const echo = { name: 'echo', inputSchema: schema };
const takesMore = { ...echo, inputSchema: { ...schema, properties: { ...schema.properties, volume: {} } } };
const needsMore = { ...takesMore, inputSchema: { ...takesMore.inputSchema, required: ['volume'] } };

const folder = mkdtempSync(join(tmpdir(), 'baton-repinning-'));
const file = join(folder, 'tools.json');
const offering = offeringServer(file, [echo]);
const { config } = readServers(
  JSON.stringify({ mcpServers: { work: offering, strict: { ...offering, baton: { tools: 'exact' } } } }),
);

let store: FreshStore;
let servers: Servers;
let threads: CheckThreads;
let checker: Checker;

beforeAll(async () => {
  store = await freshStore();
  const asThere = { environment: {}, secret: async () => undefined, root: folder, version: 'test', handlers: refusals };
  servers = openServers(config, asThere);
  threads = new CheckThreads({}, pathToFileURL(appFile('checkThread')));
  checker = new Checker(threads, new CatalogueCache(config, servers, systemClock), systemClock);
});

afterAll(async () => {
  await threads.close();
  await servers.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** The servers offer something else, and this process has read their lists. */
async function offer(...tools: readonly object[]): Promise<void> {
  offeringServer(file, tools);
  await Promise.all(['work', 'strict'].map((server) => servers.catalogue(server, 0)));
}

const textOf = (workflow: string, calls: readonly string[] = ['work']): string =>
  `workflow: ${workflow}\nsteps:\n${calls.map((server) => `  - { tool: ${server}/echo, with: { message: hello } }\n`).join('')}`;

/** With the tools of now. */
async function definitionFor(text: string): Promise<Definition> {
  const { pins } = await checker.deployable(
    text,
    deployedWorkflowsFor({ store, secrets: testSecrets(store) }, { scopes: new Set(['admin']) }),
  );
  return definitionOf(text, 'yaml', pins);
}

/** Deployed with the tools of now. */
async function deployed(
  workflow: string,
  { by = 'ada', text = textOf(workflow), ...more }: Partial<Deployment> & { readonly text?: string } = {},
): Promise<string> {
  const definition = await definitionFor(by === 'ada' ? text : `${text}# by ${by}\n`);
  await deployWorkflow(store, { findings: [], ...more, workflow, definition, by });
  return definition.digest;
}

const newRepinner = (proving: Pick<Checker, 'prove'> = checker, clock: Clock = systemClock): Repinner =>
  new Repinner({
    store,
    secrets: testSecrets(store),
    checker: proving,
    clock,
    deployedPins: cachedPins(store),
    onRepinned: () => undefined,
    onTrouble: () => undefined,
  });

const versionOf = async (workflow: string): Promise<number | undefined> =>
  (await getWorkflow(store, workflow))?.version;

test('Two processes that prove the same make one version, and the audit says what was proven.', async () => {
  await offer(echo);
  const before = await deployed('says');
  await offer(takesMore);
  const outcomes = await Promise.all([newRepinner(), newRepinner()].map((one) => one.repin('says')));
  expect(outcomes.some(({ kind }) => kind === 'pinned')).toBe(true);
  expect(await versionOf('says')).toBe(2);
  const found = await getWorkflowVersion(store, 'says', 2);
  expect(found).toMatchObject({ deployedBy: 'repinning', definition: { source: textOf('says') } });
  const { entries } = await listEntries(store, { action: 'tools.repinned', target: 'says' }, { limit: 5 });
  expect(entries.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([
    {
      version: 2,
      workflow: 'says',
      before,
      now: found?.definition.digest,
      tools: { 'work/echo': { before: expect.any(String), now: expect.any(String) } },
      changes: ['work/echo: The argument "volume" is new.'],
      answers: 0,
    },
  ]);
  expect(await newRepinner().repin('says')).toEqual({ kind: 'nothing' });
});

test('A version that a proof makes keeps its title and its warnings, but none about changed tools.', async () => {
  await offer(echo);
  const kept = { code: 'untested', message: 'Kept.' };
  const findings = [{ code: 'tool-changed', message: 'Of the version before.' }, kept];
  await deployed('warned', { findings, title: 'Warned', description: 'It says hello.' });
  await offer(takesMore);
  expect(await newRepinner().repin('warned')).toEqual({ kind: 'pinned', version: 2 });
  expect(await getWorkflowVersion(store, 'warned', 2)).toMatchObject({ findings: [kept] });
  expect(await getWorkflow(store, 'warned')).toMatchObject({ title: 'Warned', description: 'It says hello.' });
});

test('A version that a person deploys while a proof is made stays the newest one.', async () => {
  await offer(echo);
  const definition = await deployed('edited');
  await offer(takesMore);
  const slow: Pick<Checker, 'prove'> = {
    async prove(...asked) {
      const proof = await checker.prove(...asked);
      await deployed('edited', { by: 'eve' });
      return proof;
    },
  };
  expect(await newRepinner(slow).prove(definition)).toEqual({ isPinnedAnew: true, why: [] });
  expect(await versionOf('edited')).toBe(2);
  expect(await getWorkflowVersion(store, 'edited', 2)).toMatchObject({ deployedBy: 'eve' });
});

const guardOf = (repinner: Repinner, clock: Clock = new TestClock()): DriftGuard => {
  const prove = (definition: string): Promise<ProofAnswer> => repinner.prove(definition);
  return new DriftGuard({ store, config, servers, clock, onDrift: () => {}, onTrouble: () => {}, prove });
};

const refusalOf = async (guard: DriftGuard, definition: string): Promise<string> => {
  const refused = await Promise.resolve(guard.check(definition)).catch((error: unknown) => error);
  return refused instanceof ToolsChanged ? refused.message : 'not refused';
};

const ada: Principal = { id: 'ada', name: 'ada', by: 'ada', scopes: new Set(['runs:write']) };

const starterWith = (checkTools: (definition: string) => Promise<void>): RunStarter =>
  new RunStarter({
    store,
    secrets: testSecrets(store),
    plans: cachedPlans(store),
    bell: new MemoryBell(),
    clock: systemClock,
    onBellFailed: () => undefined,
    checkTools,
  });

test('A start that meets a compatible change learns of the newer version, and after another change it learns why not.', async () => {
  await offer(echo);
  const definition = await deployed('starts');
  const clock = new TestClock();
  const guard = guardOf(newRepinner(), clock);
  await offer(takesMore);
  expect(await refusalOf(guard, definition)).toContain('A newer version is pinned');
  expect(await versionOf('starts')).toBe(2);
  const renewed = (await getWorkflowVersion(store, 'starts', 2))?.definition.digest ?? '';
  await expect(guard.check(renewed)).resolves.toBeUndefined();
  await offer(needsMore);
  clock.pass(60_000);
  const refused = await refusalOf(guard, renewed);
  expect(refused).toContain('Deploy it again');
  expect(refused).toContain('Line 3 (/steps/0/with)');
  expect(await versionOf('starts')).toBe(2);
});

test.each([
  ['exact', ['strict']],
  ['exact-beside-another', ['strict', 'work']],
])('A start of the workflow %s learns of no newer version, because no proof may make one.', async (workflow, calls) => {
  await offer(echo);
  const definition = await deployed(workflow, { text: textOf(workflow, calls) });
  await offer(takesMore);
  expect(await refusalOf(guardOf(newRepinner()), definition)).toContain('Deploy it again, or approve the server.');
  expect(await versionOf(workflow)).toBe(1);
});

test('A start of an inline definition, or of an older version that a client names, learns of no newer version.', async () => {
  await offer(echo);
  const { digest: inline, ...rest } = await definitionFor(textOf('inline'));
  await putDefinition(store, { digest: inline, ...rest });
  const older = await deployed('named');
  await deployed('named', { by: 'eve' });
  await offer(takesMore);
  const guard = guardOf(newRepinner());
  for (const definition of [inline, older])
    expect(await refusalOf(guard, definition)).toContain('Deploy it again, or approve the server.');
});

test('A start that finds a version which another process replaces before its check starts the newer version.', async () => {
  await offer(echo);
  await deployed('raced');
  await offer(takesMore);
  const guard = guardOf(newRepinner());
  const starter = starterWith(async (definition) => {
    await newRepinner().repin('raced');
    await guard.check(definition);
  });
  // A start by MCP does not go by the version that this process remembers.
  const { runId } = await starter.start({ workflow: 'raced' }, { principal: ada, trigger: { kind: 'mcp' } });
  expect(await getRun(store, runId)).toMatchObject({ version: 2 });
});

test('A start that goes by an outdated version, whose newer one a proof replaces, starts the one of the proof.', async () => {
  await offer(echo);
  await deployed('remembered');
  const guard = guardOf(newRepinner());
  const starter = starterWith(async (definition) => guard.check(definition));
  const start = (): Promise<{ readonly runId: string }> =>
    starter.start({ workflow: 'remembered' }, { principal: ada });
  await start();
  await deployed('remembered', { by: 'eve' });
  await offer(takesMore);
  expect(await getRun(store, (await start()).runId)).toMatchObject({ version: 3 });
});

test('A start that no newer version can help is tried once.', async () => {
  await offer(echo);
  await deployed('once', { text: textOf('once', ['strict']) });
  await offer(takesMore);
  const guard = guardOf(newRepinner());
  let checks = 0;
  const starter = starterWith(async (definition) => {
    checks += 1;
    await guard.check(definition);
  });
  await expect(starter.start({ workflow: 'once' }, { principal: ada })).rejects.toThrow('Deploy it again');
  expect(checks).toBe(1);
});

const answering = (name: string, size: object): object => ({
  name,
  inputSchema: schema,
  outputSchema: { type: 'object', properties: { size } },
});

/** A run of the workflow, whose calls of these tools are answered so. */
async function record(
  text: string,
  tools: readonly string[],
  answer: NonNullable<PlayOptions['answer']>,
  startMs = Date.now(),
): Promise<void> {
  const plan = planOf(text, Object.fromEntries(tools.map((tool) => [tool, 'write'])));
  const [first, ...rest] = play(plan, { answer, startMs }).journal;
  const { runId } = await store.request({ event: first as EventOf<'run.requested'> });
  await advance(store.journal, runId, () => rest);
}

/** A run whose calls are answered with texts of these lengths. */
const recordLengths = (text: string, lengths: Readonly<Record<string, number>>): Promise<void> =>
  record(text, Object.keys(lengths), ({ target }) => {
    const size = lengths[target] ?? 0;
    return { result: { content: [{ type: 'text', text: 'x'.repeat(size) }], structuredContent: { size } } };
  });

const noted = /^The answer of work\/note to note in the run .* does not fit any more/;
const leftOut = /^The answer of work\/load to load in the run .* is too large to be compared\.$/;

test.each([
  ['large', 1_500_000, [noted]],
  ['too-large', 5_000_000, [leftOut, noted]],
])('A tool whose answers are %s keeps no answer of another tool from a proof.', async (workflow, length, reasons) => {
  const tools = ['load', 'more', 'most', 'note'];
  const offerWith = (size: object): Promise<void> => offer(...tools.map((name) => answering(name, size)));
  await offerWith({ type: 'integer' });
  const text = `workflow: ${workflow}\nsteps:\n${tools.map((name) => `  - { id: ${name}, tool: work/${name} }\n`).join('')}`;
  await deployed(workflow, { text });
  const lengths = { 'work/load': length, 'work/more': length, 'work/most': length, 'work/note': 7 };
  for (let n = 1; n <= 2; n += 1) await recordLengths(text, lengths);
  await offerWith({ type: 'integer', minimum: 8 });
  const why = expect.arrayContaining(reasons.map((reason) => expect.stringMatching(reason)));
  expect(await newRepinner().repin(workflow)).toMatchObject({ kind: 'unproven', why });
});

test('A server that lists another schema each minute makes 24 versions a day, and then a person decides.', async () => {
  await offer(echo);
  await deployed('restless');
  const repinner = newRepinner();
  for (let n = 1; n <= 24; n += 1) {
    const properties = { ...schema.properties, [`volume${n}`]: {} };
    await offer({ ...echo, inputSchema: { ...schema, properties } });
    expect(await repinner.repin('restless')).toEqual({ kind: 'pinned', version: n + 1 });
  }
  await offer(takesMore);
  expect(await repinner.repin('restless')).toMatchObject({
    kind: 'unproven',
    why: [expect.stringContaining('24 times')],
  });
});

/** What no start meets is looked at each half minute. */
const lookMs = 30_000;

/** Lets half a minute pass; resolves when the look is over. */
async function look(clock: TestClock): Promise<void> {
  clock.pass(lookMs);
  await expect.poll(() => clock.isAwaited(lookMs)).toBe(true);
}

/** How many statements ask the database meanwhile. */
async function statementsOf(work: () => Promise<void>): Promise<number> {
  let statements = 0;
  const count = (): void => void (statements += 1);
  store.pool.on('acquire', count);
  await work();
  store.pool.off('acquire', count);
  return statements;
}

test('A tool whose server says that it changed is proved within half a minute, although nothing starts.', async () => {
  await offer(echo);
  await deployed('unstarted');
  const clock = new TestClock();
  const repinner = newRepinner(checker, clock);
  onTestFinished(() => repinner.close());
  repinner.start();
  await offer(takesMore);
  await look(clock);
  expect(await versionOf('unstarted')).toBe(1);
  repinner.changed('work');
  clock.pass(lookMs - 1);
  expect(await versionOf('unstarted')).toBe(1);
  clock.pass(1);
  await expect.poll(() => versionOf('unstarted')).toBe(2);
});

test('A workflow of which a worker refused a run is proved within half a minute.', async () => {
  await offer(echo);
  await deployed('refused');
  const clock = new TestClock();
  const repinner = newRepinner(checker, clock);
  onTestFinished(() => repinner.close());
  repinner.start();
  await offer(takesMore);
  const failure = { code: 'tool-changed', message: 'work/echo has changed.' };
  await record(textOf('refused'), ['work/echo'], () => ({ failure, delivery: 'unsent' }), clock.now());
  await look(clock);
  expect(await versionOf('refused')).toBe(2);
});

test('A look at the workflows that use a server takes as many statements for ten new ones as for two.', async () => {
  await offer(echo);
  const clock = new TestClock();
  // Runs that other tests had refused are not looked at.
  clock.pass(60 * lookMs);
  const repinner = newRepinner(checker, clock);
  onTestFinished(() => repinner.close());
  repinner.start();
  const statements: number[] = [];
  for (const [group, count] of Object.entries({ warm: 1, few: 2, many: 10 })) {
    for (let n = 1; n <= count; n += 1) await deployed(`${group}-${n}`);
    repinner.changed('unused');
    statements.push(await statementsOf(() => look(clock)));
  }
  expect(statements[2]).toBe(statements[1]);
});
