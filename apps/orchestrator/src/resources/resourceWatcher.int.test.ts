import { DeployedTriggers, cachedTriggers, RunStarter, ResourceWatcher } from '@baton/control';
import { readServers } from '@baton/protocol';
import { systemClock as clock } from '@baton/runner';
import {
  type RunSummary,
  type Store,
  cachedPlans,
  definitionOf,
  deleteWorkflow,
  deployWorkflow,
  listRuns,
  openStore,
} from '@baton/store';
import { type FreshStore, freshStore, MemoryBell, testSecretKey, testSecrets } from '@baton/testing';
import { openServers } from '@baton/transports';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { type TestLibrary, testLibrary, uri } from '../testing/testLibrary.ts';
import { testModernLibrary } from '../testing/testModernLibrary.ts';

let store: FreshStore;
beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

/** An orchestrator, as far as Postgres and the server can tell. It looks when it is told to. */
class Process {
  readonly watcher: ResourceWatcher;
  readonly troubles: string[] = [];
  readonly #store: Store;
  readonly #servers: ReturnType<typeof openServers>;

  constructor(library: TestLibrary) {
    this.#store = openStore({ url: store.url, secretKey: testSecretKey });
    const { config } = readServers(JSON.stringify({ mcpServers: { wiki: library.entry } }));
    this.#servers = openServers(config, { environment: {}, secret: () => undefined, root: '/', version: 'test' });
    const note = (what: unknown): void => void this.troubles.push(String(what));
    const deployed = new DeployedTriggers(this.#store, cachedTriggers(this.#store), note);
    const starter = new RunStarter({
      store: this.#store,
      secrets: testSecrets(this.#store),
      plans: cachedPlans(this.#store),
      bell: new MemoryBell(),
      clock,
      onBellFailed: (error) => this.troubles.push(String(error)),
    });
    this.watcher = new ResourceWatcher({
      store: this.#store,
      servers: this.#servers,
      deployed,
      starter,
      clock,
      onUnwatched: note,
      onTrouble: note,
    });
  }

  tick = (): Promise<void> => this.watcher.tick();

  /** As if it were killed, as far as others can tell. */
  async end(): Promise<void> {
    await this.watcher.close();
    await this.#servers.close();
    await this.#store.close();
  }
}

let count = 0;

async function deployed(more: string, inputs = ''): Promise<string> {
  count += 1;
  const workflow = `watching-${count}`;
  const text = `workflow: ${workflow}
on:
  - resource: wiki
    uri: ${uri}
    inputs: { text: "\${{ event.text }}" }
    ${more}
inputs: { text: { type: string${inputs} } }
steps: [{ set: { a: 1 } }]
`;
  await deployWorkflow(store, { workflow, definition: definitionOf(text, 'yaml', {}), findings: [], by: 'test' });
  onTestFinished(async () => {
    await deleteWorkflow(store, workflow, 'test');
  });
  return workflow;
}

async function surroundings(
  processes: number,
  open: () => Promise<TestLibrary> = testLibrary,
): Promise<{ library: TestLibrary; all: readonly Process[] }> {
  const library = await open();
  const all = Array.from({ length: processes }, () => new Process(library));
  onTestFinished(async () => {
    await Promise.all(all.map((one) => one.end()));
    await library.close();
  });
  return { library, all };
}

const runsOf = async (workflow: string): Promise<readonly RunSummary[]> =>
  (await listRuns(store, { workflow }, { limit: 50 })).runs.toReversed();

const textsOf = async (workflow: string): Promise<readonly unknown[]> =>
  (await runsOf(workflow)).map(({ inputs }) => ('json' in inputs ? (inputs.json as { text: string }).text : undefined));

/** The server has been asked to tell, and what it says now has been seen. */
async function watched(library: TestLibrary, one: Process | undefined): Promise<void> {
  const [subscribed, reads] = [library.subscribed(), library.reads()];
  const isWatched = async (): Promise<boolean> => {
    // Postgres notices a little later that an owner is gone.
    await one?.tick();
    return library.subscribed() > subscribed && library.reads() > reads;
  };
  await expect.poll(isWatched).toBe(true);
}

describe.each([
  ['2024-11-05, with a session', testLibrary],
  ['2026-07-28, without', testModernLibrary],
])('a resource that changes, of a server of %s,', (_, open) => {
  test('starts a run with what it says, and none while it stays the same', async () => {
    const workflow = await deployed('');
    const { library, all } = await surroundings(1, open);
    await watched(library, all[0]);
    library.tell();
    library.text = 'two';
    library.tell();
    await expect.poll(() => textsOf(workflow)).toEqual(['two']);
    const { reads } = library;
    const before = reads();
    library.tell();
    await expect.poll(() => reads() > before).toBe(true);
    library.text = 'three';
    library.tell();
    await expect.poll(() => textsOf(workflow)).toEqual(['two', 'three']);
    const [run] = await runsOf(workflow);
    expect(run).toMatchObject({
      version: 1,
      trigger: { kind: 'resource', detail: { trigger: 'resource-1', server: 'wiki', uri } },
    });
    expect(all[0]?.troubles).toEqual([]);
  });

  test('starts one run, however many processes there are', async () => {
    const workflow = await deployed('');
    const { library, all } = await surroundings(3, open);
    await watched(library, all[0]);
    await Promise.all(all.map((one) => one.tick()));
    expect(library.subscribed()).toBe(1);
    for (const text of ['two', 'three', 'two']) {
      library.text = text;
      library.tell();
      await expect.poll(async () => (await textsOf(workflow)).at(-1)).toBe(text);
    }
    expect(await textsOf(workflow)).toEqual(['two', 'three', 'two']);
  });

  test('without a listener starts a run when an orchestrator listens again', async () => {
    const workflow = await deployed('');
    const { library, all } = await surroundings(2, open);
    await watched(library, all[0]);
    library.text = 'two';
    library.tell();
    await expect.poll(() => textsOf(workflow)).toEqual(['two']);
    library.text = 'three';
    library.cut();
    await expect.poll(() => textsOf(workflow)).toEqual(['two', 'three']);
    await all[0]?.watcher.close();
    library.text = 'four';
    await watched(library, all[1]);
    await expect.poll(() => textsOf(workflow)).toEqual(['two', 'three', 'four']);
  });

  test('again and again starts a run when it is quiet', async () => {
    const workflow = await deployed('debounce: 1s');
    const { library, all } = await surroundings(1, open);
    await watched(library, all[0]);
    const before = library.reads();
    for (const text of ['two', 'three', 'four']) {
      library.text = text;
      library.tell();
    }
    await expect.poll(() => textsOf(workflow)).toEqual(['four']);
    expect(library.reads()).toBeLessThan(before + 3);
  });
});

test('`if` says for which changes it is, and `dedupe` which of them are the same', async () => {
  const filtered = await deployed('if: event.text != "two"');
  const same = await deployed('dedupe: all of them');
  const { library, all } = await surroundings(1);
  await watched(library, all[0]);
  await expect.poll(() => library.reads()).toBe(2);
  for (const text of ['two', 'three', 'two', 'four']) {
    const before = library.reads();
    library.text = text;
    library.tell();
    await expect.poll(() => library.reads()).toBe(before + 2);
  }
  await expect.poll(() => textsOf(filtered)).toEqual(['three', 'four']);
  expect(await textsOf(same)).toEqual(['two']);
});

test('a change that can start no run is reported, and a trigger that was removed is not watched', async () => {
  const workflow = await deployed('', ', maxLength: 3');
  const { library, all } = await surroundings(1);
  const [one] = all;
  await watched(library, one);
  library.text = 'too long';
  library.tell();
  await expect.poll(() => one?.troubles.join('\n')).toContain('started no run');
  await deleteWorkflow(store, workflow, 'test');
  await one?.tick();
  const before = library.reads();
  library.text = 'ok';
  library.tell();
  const other = await deployed('');
  await watched(library, one);
  expect(await textsOf(workflow)).toEqual([]);
  expect(await textsOf(other)).toEqual([]);
  expect(library.reads()).toBe(before + 1);
});
