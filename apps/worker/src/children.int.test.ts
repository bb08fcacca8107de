/** Runs that a step asks for, on a real journal: other workflows, and the items of a distributed `forEach`. */
import type { RunLimits } from '@baton/engine';
import { limits } from '@baton/expressions';
import type { JsonObject } from '@baton/primitives';
import { type Ports, advance, RunDrivers, requested, systemClock } from '@baton/runner';
import {
  cachedPlans,
  countUnderWay,
  definitionOf,
  deployWorkflow,
  getChildRun,
  getRun,
  type Store,
} from '@baton/store';
import { type FreshStore, freshStore, testPorts } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { childRuns } from './children.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

/** Its timers end at once. */
const hasty: Ports['clock'] = {
  ...systemClock,
  after: (_ms, callback) => {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

/** `rung`: the bells that have not been heard. */
function workerOf(worker: string, on: Store = store, rung: string[] = []): RunDrivers {
  const plans = cachedPlans(on);
  const bell: Ports['bell'] = {
    ring: async (rings) => void rung.push(...rings.map(({ runId }) => runId)),
    close: async () => {},
  };
  const bus: Ports['bus'] = { publish: () => {}, subscribe: () => () => {}, close: async () => {} };
  const children = childRuns({ store: on, worker, plans, bell, bus, clock: hasty });
  return new RunDrivers(testPorts({ worker, journal: on.journal, blobs: on.blobs, plans, children, bell, bus }));
}

/** Two workers that take turns. */
function workers(): { driveAll: (runId: string) => Promise<void> } {
  const rung: string[] = [];
  const both = [workerOf('one', store, rung), workerOf('two', store, rung)];
  const driveAll = async (runId: string): Promise<void> => {
    rung.push(runId);
    for (let turn = 0, next = rung.shift(); next !== undefined; next = rung.shift(), turn += 1) {
      await both[turn % 2]?.drive(next);
    }
  };
  return { driveAll };
}

async function deploy(workflow: string, source: string): Promise<string> {
  const definition = definitionOf(source, 'yaml', {});
  await deployWorkflow(store, { workflow, title: workflow, definition, findings: [], by: 'key' });
  return definition.digest;
}

interface RunOptions {
  readonly inputs?: JsonObject;
  readonly by?: string;
  readonly limits?: RunLimits;
}

async function run(
  workflow: string,
  definition: string,
  { inputs = {}, by = 'key', ...more }: RunOptions = {},
): Promise<string> {
  const order = { workflow, version: 1, definition, inputs, trigger: { kind: 'api' }, by, ...more } as const;
  const { runId } = await store.request(requested(order, Date.now()));
  await workers().driveAll(runId);
  return runId;
}

test('[L-077] items run as child runs on any worker, and what they give is collected in order', async () => {
  const long = 'x'.repeat(100_000);
  const definition = await deploy(
    'spread',
    `
workflow: spread
inputs: { base: { type: integer }, unread: { type: string } }
steps:
  - id: around
    set: { text: ${long}, factor: 10 }
  - id: each
    forEach: [1, 2, 3]
    as: n
    distribute: true
    onItemError: collect
    steps:
      - id: made
        set: { value: "\${{ n * steps.around.factor + inputs.base + size(steps.around.text) }}" }
      - switch:
          - when: n == 2
            steps: [{ fail: "not \${{ n }}", code: not-two }]
    collect: "\${{ steps.made.value }}"
outputs: { all: "\${{ steps.each.output }}" }
`,
  );
  const runId = await run('spread', definition, { inputs: { base: 5, unread: 'no item needs it' } });
  const error = { code: 'not-two', message: 'not 2' };
  expect(await getRun(store, runId)).toMatchObject({
    status: 'succeeded',
    outputs: { json: { all: [100_015, { error }, 100_035] } },
  });
  const item = await getChildRun(store, { runId, path: 'each/0/run', attempt: 1 });
  expect(item?.inputs).toEqual({ json: { base: 5 } });
});

test('[L-069] a child run is of the version that is named, and its outputs come back', async () => {
  await deploy(
    'inner',
    'workflow: inner\ninputs: { x: { type: integer } }\nsteps: [{ set: { y: 1 } }]\noutputs: { z: "${{ inputs.x * 2 }}" }\n',
  );
  await deploy('inner', 'workflow: inner\nsteps: [{ fail: this is the second }]\n');
  const definition = await deploy(
    'outer',
    'workflow: outer\nsteps: [{ id: c, workflow: inner@1, with: { x: 21 } }]\noutputs: { z: "${{ steps.c.output.z }}" }\n',
  );
  const runId = await run('outer', definition);
  expect(await getRun(store, runId)).toMatchObject({ status: 'succeeded', outputs: { json: { z: 42 } } });
});

test('[L-069] runs that ask for each other are stopped at the depth that there may be, and say so all the way up', async () => {
  const asking = (name: string, other: string): string =>
    `workflow: ${name}\nsteps: [{ id: next, workflow: ${other} }]\n`;
  const definition = await deploy('ping', asking('ping', 'pong'));
  await deploy('pong', asking('pong', 'ping'));
  const first = await run('ping', definition);
  const chain = [first];
  for (let runId: string | undefined = first; runId !== undefined;) {
    runId = (await getChildRun(store, { runId, path: 'next', attempt: 1 }))?.id;
    if (runId !== undefined) chain.push(runId);
  }
  expect(chain).toHaveLength(1 + limits.run.depth);
  expect(await getRun(store, first)).toMatchObject({
    status: 'failed',
    failure: { code: 'child-failed', message: expect.stringContaining(`${limits.run.depth} deep`) as string },
  });
});

test('[L-069] a child run is cancelled with its parent, for the limit that ended it', async () => {
  await deploy('sleeping', 'workflow: sleeping\nsteps: [{ wait: 7d }]\n');
  const definition = await deploy('resting', 'workflow: resting\nsteps: [{ id: c, workflow: sleeping }]\n');
  const runId = await run('resting', definition);
  const child = await getChildRun(store, { runId, path: 'c', attempt: 1 });
  expect(child?.status).toBe('waiting');
  const cause = { code: 'run-timed-out', message: 'The run took longer than 3s.' };
  await advance(store.journal, runId, ({ at }) => [{ type: 'run.cancelRequested', at, by: 'run above', cause }]);
  await workers().driveAll(runId);
  const { events = [] } = (await store.journal.open(child?.id ?? '')) ?? {};
  expect(events.find(({ type }) => type === 'run.cancelRequested')).toMatchObject({ by: `run ${runId}`, cause });
  expect(await getRun(store, child?.id ?? '')).toMatchObject({ status: 'cancelled' });
  expect(await getRun(store, runId)).toMatchObject({ status: 'cancelled' });
});

test('A worker that was given up while it asked for a child begins none after the parent was cancelled', async () => {
  await deploy('late', 'workflow: late\nsteps: [{ set: { a: 1 } }]\n');
  const definition = await deploy('asking', 'workflow: asking\nsteps: [{ id: c, workflow: late }]\n');
  const order = {
    workflow: 'asking',
    version: 1,
    definition,
    inputs: {},
    trigger: { kind: 'api' },
    by: 'key',
  } as const;
  const { runId } = await store.request(requested(order, Date.now()));
  const stopped = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const driven = workerOf('old', {
    ...store,
    request: async (request) => {
      stopped.resolve();
      await goesOn.promise;
      return store.request(request);
    },
  }).drive(runId);
  await stopped.promise;
  await advance(store.journal, runId, ({ at }) => [{ type: 'run.cancelRequested', at, by: 'ada' }]);
  expect(await workerOf('next').drive(runId)).toBe('finished');
  goesOn.resolve();
  expect(await driven).toBe('lost');
  expect(await getChildRun(store, { runId, path: 'c', attempt: 1 })).toBeUndefined();
});

test.each([
  ['called', 'parallel: [{ workflow: asks }, { workflow: asks }, { workflow: asks }]'],
  ['distributed', '{ id: each, forEach: [1, 2, 3], distribute: true, steps: [{ ask: Go on? }] }'],
])('a key has no more unfinished runs than it may, where runs are %s', async (name, step) => {
  await deploy('asks', 'workflow: asks\nsteps: [{ ask: Go on? }]\n');
  const definition = await deploy(name, `workflow: ${name}\nsteps:\n  - ${step}\n`);
  const unfinished = (by: string) => countUnderWay(store).then((runs) => runs.get(by));
  const few = await run(name, definition, { by: `${name} few`, limits: { runs: 3 } });
  const refused = expect.stringContaining('3 runs of') as string;
  expect(await getRun(store, few)).toMatchObject({ status: 'failed', failure: { message: refused } });
  await run(name, definition, { by: `${name} enough`, limits: { runs: 4 } });
  expect(await unfinished(`${name} enough`)).toBe(4);
});

test('a child run that is to go on from a run that has not ended, or is not kept any more, is refused', async () => {
  await deploy('begun', 'workflow: begun\nsteps: [{ wait: { signal: never } }]\n');
  const definition = await deploy('goes-on', 'workflow: goes-on\nsteps: [{ id: c, workflow: begun }]\n');
  const waiting = await run('goes-on', definition);
  const child = (await getChildRun(store, { runId: waiting, path: 'c', attempt: 1 }))?.id ?? '';
  const gone = '0197a000-0000-7000-8000-00000000dead';
  for (const [kept, why] of [
    [child, 'has not ended'],
    [gone, 'is not kept any more'],
  ] as const) {
    const order = {
      workflow: 'goes-on',
      version: 1,
      definition,
      inputs: {},
      trigger: { kind: 'api' },
      by: 'key',
    } as const;
    const more = [{ type: 'child.kept', at: Date.now(), step: 'c', runId: kept }] as const;
    const { runId } = await store.request({ ...requested(order, Date.now()), more });
    await workers().driveAll(runId);
    expect(await getRun(store, runId)).toMatchObject({
      status: 'failed',
      failure: {
        message: expect.stringContaining(`The run ${kept}, from which this child run was to go on, ${why}`) as string,
      },
    });
    expect(await getChildRun(store, { runId, path: 'c', attempt: 1 })).toBeUndefined();
  }
});

test('A workflow that may write is not started by an `ensure`, and one that only reads is.', async () => {
  await deploy('looks', 'workflow: looks\nsteps: [{ set: { ok: true } }]\noutputs: { ok: true }\n');
  const looking =
    'workflow: looking\nsteps: [{ set: { x: 1 } }]\nensure: [{ workflow: looks, that: result.output.ok }]\n';
  const definition = await deploy('looking', looking);
  const ensured = await run('looking', definition);
  expect(await getRun(store, ensured)).toMatchObject({ status: 'succeeded' });
  // The parent was checked against the version before.
  await deploy('looks', 'workflow: looks\nsteps: [{ tool: bank/pay }]\noutputs: { ok: true }\n');
  const unproven = await run('looking', definition);
  expect(await getRun(store, unproven)).toMatchObject({ status: 'failed', failure: { code: 'not-verified' } });
  const parent = { runId: unproven, path: 'ensure.1/0/workflow-1', attempt: 1 };
  expect(await getChildRun(store, parent)).toBeUndefined();
});
