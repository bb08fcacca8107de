import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { readServers } from '@baton/protocol';
import { systemClock } from '@baton/runner';
import { definitionOf, deployWorkflow, getWorkflow, getWorkflowVersion, listEntries } from '@baton/store';
import { type FreshStore, appFile, freshStore, offeringServer, TestClock, testSecrets } from '@baton/testing';
import { type Servers, openServers } from '@baton/transports';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { refusals } from '../installation/refusals.ts';
import { CatalogueCache } from './catalogueCache.ts';
import { Checker } from './checker.ts';
import { deployedWorkflowsFor } from './deployedWorkflows.ts';
import { DriftGuard } from './driftGuard.ts';
import { Repinner } from './repinner.ts';
import { CheckThreads } from './threads/checkThreads.ts';

const schema = { type: 'object', properties: { message: { type: 'string' } }, additionalProperties: false };
const echo = { name: 'echo', inputSchema: schema };
const takesMore = { ...echo, inputSchema: { ...schema, properties: { ...schema.properties, volume: {} } } };
const needsMore = { ...takesMore, inputSchema: { ...takesMore.inputSchema, required: ['volume'] } };

const folder = mkdtempSync(join(tmpdir(), 'baton-repinning-'));
const file = join(folder, 'tools.json');
const { config } = readServers(JSON.stringify({ mcpServers: { work: offeringServer(file, [echo]) } }));

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

/** The server offers something else, and this process has read its list. */
async function offer(tool: object): Promise<void> {
  offeringServer(file, [tool]);
  await servers.catalogue('work', 0);
}

const textOf = (workflow: string): string =>
  `workflow: ${workflow}\nsteps: [{ tool: work/echo, with: { message: hello } }]\n`;

/** Deployed with the tools of now. */
async function deployed(workflow: string, by = 'ada'): Promise<string> {
  const text = textOf(workflow);
  const { pins } = await checker.deployable(
    text,
    deployedWorkflowsFor({ store, secrets: testSecrets(store) }, { scopes: new Set(['admin']) }),
  );
  const definition = definitionOf(by === 'ada' ? text : `${text}# by ${by}\n`, 'yaml', pins);
  await deployWorkflow(store, { workflow, definition, findings: [], by });
  return definition.digest;
}

const newRepinner = (proving: Pick<Checker, 'prove'> = checker): Repinner =>
  new Repinner({
    store,
    secrets: testSecrets(store),
    checker: proving,
    clock: systemClock,
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

test('A version that a person deploys while a proof is made stays the newest one.', async () => {
  await offer(echo);
  await deployed('edited');
  await offer(takesMore);
  const slow: Pick<Checker, 'prove'> = {
    async prove(...asked) {
      const proof = await checker.prove(...asked);
      await deployed('edited', 'eve');
      return proof;
    },
  };
  expect(await newRepinner(slow).repin('edited')).toEqual({ kind: 'nothing' });
  expect(await versionOf('edited')).toBe(2);
  expect(await getWorkflowVersion(store, 'edited', 2)).toMatchObject({ deployedBy: 'eve' });
});

test('A start that meets a compatible change learns of the newer version, and after another change it learns why not.', async () => {
  await offer(echo);
  const definition = await deployed('starts');
  const repinner = newRepinner();
  const prove = (digest: string): Promise<readonly string[] | undefined> => repinner.prove(digest);
  const clock = new TestClock();
  const guard = new DriftGuard({ store, config, servers, clock, onDrift: () => {}, onTrouble: () => {}, prove });
  await offer(takesMore);
  await expect(guard.check(definition)).rejects.toMatchObject({ isPinnedAnew: true });
  expect(await versionOf('starts')).toBe(2);
  const renewed = (await getWorkflowVersion(store, 'starts', 2))?.definition.digest ?? '';
  await expect(guard.check(renewed)).resolves.toBeUndefined();
  await offer(needsMore);
  clock.pass(60_000);
  const refused = await Promise.resolve(guard.check(renewed)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ isPinnedAnew: false, message: expect.stringContaining('Line 2 (/steps/0/with)') });
  expect(await versionOf('starts')).toBe(2);
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
