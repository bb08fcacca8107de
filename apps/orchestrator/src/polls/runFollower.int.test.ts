import { DeployedTriggers, RunFollower, RunQuota, RunStarter, cachedTriggers } from '@baton/control';
import { type Clock, type RunOrder, advance, systemClock as clock, requested } from '@baton/runner';
import {
  cachedPlans,
  countUnderWay,
  definitionOf,
  deleteWorkflow,
  deployWorkflow,
  listRuns,
  openStore,
} from '@baton/store';
import { type FreshStore, MemoryBell, freshStore, neverEnded, testSecretKey, testSecrets } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

let store: FreshStore;
let all: Orchestrator[];
/** By so much the clock of the orchestrators is ahead. */
let laterMs = 0;
beforeAll(async () => {
  store = await freshStore();
  all = [new Orchestrator(), new Orchestrator()];
  await deploy('payments/pay', 'steps: [{ set: { a: 1 } }]');
  await deploy('payments/refund', 'steps: [{ set: { a: 1 } }]');
  await deploy('alert', alertOn('workflow: payments/*'));
  await deploy('third', alertOn('workflow: payments/*, after: 3'));
  await deploy('loop', alertOn('workflow: "*", status: [failed, succeeded, cancelled]'));
  await Promise.all(all.map((one) => one.follower.tick()));
});

afterAll(async () => {
  await Promise.all(all.map((one) => one.end()));
  await store.close();
});

const alertOn = (run: string): string => `on:
  - run: { ${run} }
    inputs: { run: "\${{ event.run }}", text: "\${{ event.workflow + ': ' + event.error.?message.orValue('well') }}", url: "\${{ event.url }}" }
inputs: { run: { type: string }, text: { type: string }, url: { type: string } }
steps: [{ set: { a: 1 } }]`;

interface OrchestratorParts {
  readonly checkTools?: (definition: string) => Promise<void>;
  /** The clock of the follower. */
  readonly watched?: Clock;
  /** Unfinished runs that one trigger may have. Absent: any number. */
  readonly runsMax?: number;
}

/** As far as Postgres can tell. */
class Orchestrator {
  readonly follower: RunFollower;
  readonly starter: RunStarter;
  readonly refused: string[] = [];
  readonly #store = openStore({ url: store.url, secretKey: testSecretKey, now: () => Date.now() + laterMs });

  constructor({ checkTools, watched = clock, runsMax: most }: OrchestratorParts = {}) {
    const own = this.#store;
    const note = (error: unknown): void => void this.refused.push(String(error));
    this.starter = new RunStarter({
      store: own,
      secrets: testSecrets(own),
      plans: cachedPlans(own),
      bell: new MemoryBell(),
      clock,
      onBellFailed: note,
      ...(checkTools && { checkTools }),
      ...(most !== undefined && { quota: new RunQuota({ count: () => countUnderWay(own), clock, most }) }),
    });
    this.follower = new RunFollower({
      store: own,
      deployed: new DeployedTriggers(own, cachedTriggers(own), note),
      starter: this.starter,
      plans: cachedPlans(own),
      clock: watched,
      pageUrl: 'https://baton.example',
      onRefused: (_, runId, reason) => this.refused.push(`${runId} ${reason}`),
      onTrouble: note,
    });
  }

  async end(): Promise<void> {
    await this.follower.close();
    await this.#store.close();
  }
}

async function deploy(workflow: string, text: string): Promise<void> {
  const definition = definitionOf(`workflow: ${workflow}\n${text}\n`, 'yaml', {});
  await deployWorkflow(store, { workflow, definition, findings: [], by: 'test' });
}

const principal = { id: 'k', name: 'k', by: 'k', scopes: new Set(['runs:write'] as const) };

async function ended(workflow: string, status: 'failed' | 'succeeded'): Promise<string> {
  const { runId } = await (all[0] as Orchestrator).starter.start({ workflow }, { principal });
  await end(runId, status);
  return runId;
}

async function end(runId: string, status: 'failed' | 'succeeded'): Promise<void> {
  const failure = { code: 'timeout', message: 'Too slow.' };
  await advance(store.journal, runId, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w', claim: 1 },
    status === 'failed' ? { type: 'run.finished', at, status, failure } : { type: 'run.finished', at, status },
  ]);
}

/** Both read at once, until the feed has passed all that was written. */
async function settled(count: () => Promise<number>, wanted: number): Promise<void> {
  await expect
    .poll(async () => {
      await Promise.all(all.map((one) => one.follower.tick()));
      return count();
    })
    .toBe(wanted);
}

const inputsOf = async (workflow: string): Promise<{ run: string; text: string; url: string }[]> =>
  (await listRuns(store, { workflow }, { limit: 1_000 })).runs.flatMap(({ inputs }) =>
    'json' in inputs ? [inputs.json as { run: string; text: string; url: string }] : [],
  );

const countOf = async (workflow: string): Promise<number> => (await inputsOf(workflow)).length;

test('Each of many runs that fail starts one run of an alert, beside another orchestrator, and those that succeed start none.', async () => {
  const failed = await Promise.all(Array.from({ length: 250 }, () => ended('payments/pay', 'failed')));
  await ended('payments/pay', 'succeeded');
  await settled(() => countOf('alert'), 250);
  const inputs = await inputsOf('alert');
  expect(new Set(inputs.map(({ run }) => run))).toEqual(new Set(failed));
  expect(inputs[0]).toMatchObject({
    text: 'payments/pay: Too slow.',
    url: expect.stringContaining('https://baton.example/runs/'),
  });
  expect(all.flatMap(({ refused }) => refused)).toEqual([]);
});

test('With `after: 3`, the third failure in a row of one workflow starts a run, and the next one only after the row was broken.', async () => {
  const before = await countOf('third');
  const third: string[] = [];
  for (const status of ['failed', 'failed', 'succeeded', 'failed', 'failed', 'failed', 'failed', 'succeeded'] as const)
    third.push(await ended('payments/refund', status));
  await ended('payments/refund', 'failed');
  await settled(() => countOf('third'), before + 1);
  expect((await inputsOf('third')).map(({ run }) => run)).toContain(third[5]);
});

test('A run that the end of another one started starts none, also by a pattern for all workflows.', async () => {
  const before = await countOf('loop');
  const { runs } = await listRuns(store, { workflow: 'alert', statuses: ['queued'] }, { limit: 3 });
  for (const { id } of runs) await end(id, 'failed');
  await ended('payments/pay', 'succeeded');
  await settled(() => countOf('loop'), before + 1);
  expect((await inputsOf('loop')).filter(({ text }) => text.startsWith('alert'))).toEqual([]);
});

/** Resolves to the id of a stored run that has failed. */
async function failed(workflow: string, more: Partial<RunOrder> = {}): Promise<string> {
  const { definition, version } = (await store.findVersion({ workflow })) ?? { definition: '' };
  const order = { workflow, version, definition, inputs: {}, trigger: { kind: 'api' }, by: 'k', ...more } as const;
  const { runId } = await store.request(requested(order, clock.now()));
  await end(runId, 'failed');
  return runId;
}

test('An undo, the run of an item, a text of the same name and all below an alert are no ends of a workflow, and a key with any name makes one.', async () => {
  await deploy('orders/pay', 'steps: [{ set: { a: 1 } }]');
  await deploy('counted', alertOn('workflow: orders/*'));
  const below = (runId: string) => ({
    parent: { runId, path: 'a', attempt: 1 },
    trigger: { kind: 'workflow' } as const,
  });
  const part = { path: 'all', scope: {} } as unknown as NonNullable<RunOrder['part']>;
  const whole = await failed('orders/pay');
  await failed('orders/pay', { trigger: { kind: 'undo' }, version: undefined, rerunOf: whole });
  await failed('orders/pay', { ...below(whole), part });
  await failed('orders/pay', { version: undefined });
  const alert = await failed('orders/pay', { trigger: { kind: 'run' } });
  const child = await failed('orders/pay', below(alert));
  await failed('orders/pay', { ...below(child), parent: { runId: child, path: 'b', attempt: 1 } });
  const ours = await failed('orders/pay', { by: 'run nightly' });
  const under = await failed('orders/pay', { ...below(ours), by: 'run nightly' });
  await settled(() => countOf('counted'), 3);
  expect(new Set((await inputsOf('counted')).map(({ run }) => run))).toEqual(new Set([whole, ours, under]));
});

test('A trigger that waits for other ends counts anew, wherever it stands, and so does one that was deleted; a run that could not start is made up for.', async () => {
  await deploy('stock/sync', 'steps: [{ set: { a: 1 } }]');
  const tick = (): Promise<unknown> => Promise.all(all.map((one) => one.follower.tick()));
  const rows = async (): Promise<unknown[]> =>
    (await store.pool.query('select count from run_streak where workflow = $1 order by count', ['stock/sync'])).rows;
  const counted = async (...counts: number[]): Promise<void> => {
    await expect
      .poll(async () => {
        await tick();
        return rows();
      })
      .toEqual(counts.map((count) => ({ count })));
  };
  await deploy('row', alertOn('workflow: stock/*, after: 5'));
  await tick();
  for (let n = 0; n < 4; n += 1) await failed('stock/sync');
  await counted(4);
  const three = alertOn('workflow: stock/*, after: 3');
  const first =
    'on:\n  - run: { workflow: stock/*, status: [cancelled], after: 2 }\n    inputs: { run: a, text: a, url: a }';
  await deploy('row', three.replace('on:', first));
  await counted();
  for (let n = 0; n < 2; n += 1) await failed('stock/sync');
  await counted(2);
  await deploy('row', three);
  await tick();
  const third = await failed('stock/sync');
  await counted(3);
  expect((await inputsOf('row')).map(({ run }) => run)).toEqual([third]);
  await deleteWorkflow(store, 'row', 'test');
  await deploy('row', three.replace('    inputs', '    if: event.error.code != "timeout"\n    inputs'));
  for (let n = 0; n < 4; n += 1) await failed('stock/sync');
  await counted(2);
  await deploy('row', three);
  const next = await failed('stock/sync');
  await counted(3);
  expect((await inputsOf('row')).map(({ run }) => run)).toEqual(expect.arrayContaining([third, next]));
});

const seenOn = (run: string): string => `on:
  - run: { ${run} }
    inputs: { run: "\${{ event.run }}", text: "\${{ event.status }}", url: "\${{ event.url }}" }
inputs: { run: { type: string }, text: { type: string }, url: { type: string } }
steps: [{ set: { a: 1 } }]`;

const tickAll = (): Promise<unknown> => Promise.all(all.map((one) => one.follower.tick()));

async function started(workflow: string, more: Partial<RunOrder> = {}): Promise<string> {
  const { definition, version } = (await store.findVersion({ workflow })) ?? { definition: '' };
  const order = { workflow, version, definition, inputs: {}, trigger: { kind: 'api' }, by: 'k', ...more } as const;
  return (await store.request(requested(order, clock.now()))).runId;
}

const wait = (runId: string, agoMs = 0): Promise<unknown> =>
  advance(store.journal, runId, ({ at }) => [
    { type: 'run.claimed', at: at - agoMs, worker: 'w', claim: 1 },
    { type: 'run.waiting', at: at - agoMs },
  ]);

test('A run that waits for long starts one run for each wait, beside another orchestrator; one that went on, an alert and what waited before start none.', async () => {
  await deploy('forms/sign', 'steps: [{ set: { a: 1 } }]');
  await wait(await started('forms/sign'), 3_600_000);
  await deploy('slow', seenOn('workflow: forms/*, waiting: 10m'));
  await tickAll();
  const [long, over] = [await started('forms/sign'), await started('forms/sign')];
  const alert = await started('forms/sign', { trigger: { kind: 'run' } });
  for (const runId of [long, over, alert]) await wait(runId);
  laterMs = 540_000;
  await advance(store.journal, over, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w', claim: 2 },
    { type: 'run.finished', at, status: 'succeeded' },
  ]);
  await tickAll();
  expect(await countOf('slow')).toBe(0);
  for (const minutes of [11, 20, 120]) {
    laterMs = minutes * 60_000;
    await tickAll();
  }
  laterMs = 0;
  expect((await inputsOf('slow')).map(({ run, text }) => [run, text])).toEqual([[long, 'waiting']]);
});

async function call(runId: string, from: number, to: number): Promise<void> {
  const calls = Array.from({ length: to - from }, (_, n) => ({
    type: 'step.started' as const,
    path: `tool-${from + n}`,
    verb: 'tool' as const,
    attempt: 1,
    call: { verb: 'tool' as const, server: 's', tool: 't', arguments: { json: {} }, effect: 'read' as const },
  }));
  await advance(store.journal, runId, ({ at }) => [
    ...(from === 0 ? [{ type: 'run.claimed' as const, at, worker: 'w', claim: 1 }] : []),
    ...calls.map((one) => ({ ...one, at })),
  ]);
}

test('A run that spends so much of a budget starts one run, however often it spends more, also where it ends with that.', async () => {
  await deploy('models/ask', 'budget: { toolCalls: 5 }\nsteps: [{ set: { a: 1 } }]');
  await deploy('models/free', 'steps: [{ set: { a: 1 } }]');
  await deploy('dear', seenOn('workflow: models/*, budget: 80%'));
  await tickAll();
  const [spender, little, free, quick] = [
    await started('models/ask'),
    await started('models/ask'),
    await started('models/free'),
    await started('models/ask'),
  ];
  await call(spender, 0, 3);
  await call(little, 0, 3);
  await call(free, 0, 9);
  await settled(() => countOf('dear'), 0);
  await call(spender, 3, 4);
  await settled(() => countOf('dear'), 1);
  await call(spender, 4, 6);
  await call(quick, 0, 5);
  await advance(store.journal, quick, ({ at }) => [{ type: 'run.finished', at, status: 'succeeded' }]);
  await settled(() => countOf('dear'), 2);
  await tickAll();
  const seen = await inputsOf('dear');
  expect(new Map(seen.map(({ run, text }) => [run, text]))).toEqual(
    new Map([
      [spender, 'running'],
      [quick, 'ended'],
    ]),
  );
});

test('A definition that was changed in the database keeps no other workflow from being started by runs.', async () => {
  const doing = 'steps: [{ set: { a: 1 } }]';
  await deploy('intact/done', doing);
  for (const name of ['whole', 'broken']) {
    await deploy(`${name}/after`, alertOn('workflow: intact/done, status: [succeeded]'));
    await deploy(`${name}/spent`, seenOn('workflow: budgeted/*, budget: 80%'));
    await deploy(`budgeted/${name}`, `budget: { toolCalls: 5 }\n# ${name}\n${doing}`);
  }
  await tickAll();
  const [broken, whole] = [await started('budgeted/broken'), await started('budgeted/whole')];
  const change = `update definition set source = source || '# ' from workflow_version as deployed
    where deployed.digest = definition.digest and deployed.workflow_id in ('broken/after', 'broken/spent', 'budgeted/broken')`;
  expect(await store.pool.query(change)).toMatchObject({ rowCount: 3 });
  const other = new Orchestrator();
  try {
    const of = async (name: string): Promise<number> =>
      (await countOf(`${name}/after`)) + (await countOf(`${name}/spent`));
    await ended('intact/done', 'succeeded');
    for (const runId of [broken, whole]) await call(runId, 0, 5);
    const look = async (): Promise<number> => {
      await other.follower.tick();
      return of('whole');
    };
    await expect.poll(look).toBe(2);
    expect((await inputsOf('whole/spent')).map(({ run }) => run)).toEqual([whole]);
    expect(await of('broken')).toBe(0);
    expect(other.refused.join('\n')).toMatch(/definition/);
  } finally {
    await other.end();
  }
});

test('Triggers of one workflow that compute for long hold up neither the process nor the runs of others, and the log names what they miss.', async () => {
  await deploy('noted/pay', 'steps: [{ set: { a: 1 } }]');
  const heavy = 'range(140).all(a, range(140).all(b, range(8).all(c, a + b + c >= 0)))';
  const trigger = `  - run: { workflow: noted/*, status: [succeeded] }\n    if: "!${heavy}"\n`;
  await deploy('busy', `on:\n${trigger.repeat(32)}steps: [{ set: { a: 1 } }]`);
  await deploy('quiet', alertOn('workflow: noted/*, status: [succeeded]'));
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  let seen = new Set<number>();
  const monotonic = (): number => {
    seen.add(turns);
    return clock.monotonic();
  };
  const other = new Orchestrator({ watched: { ...clock, monotonic } });
  try {
    await tickAll();
    for (let n = 0; n < 12; n += 1) await ended('noted/pay', 'succeeded');
    const look = async (): Promise<number> => {
      if ((await countOf('quiet')) === 0) seen = new Set();
      await other.follower.tick();
      return countOf('quiet');
    };
    await expect.poll(look, { timeout: 30_000 }).toBe(12);
    expect(seen.size).toBeGreaterThan(2);
    expect(other.refused.join('\n')).toContain('computed for more than a second');
  } finally {
    isOver = true;
    await other.end();
    await deleteWorkflow(store, 'busy', 'test');
  }
}, 60_000);

test('A trigger that has as many unfinished runs as it may have starts no further one, the log says why, and another trigger of the workflow goes on.', async () => {
  await deploy('flood/pay', 'steps: [{ set: { a: 1 } }]');
  const trigger = '  - run: { workflow: flood/*, status: [STATUS] }\n';
  const triggers = ['failed', 'succeeded'].map((status) => trigger.replaceAll('STATUS', status)).join('');
  await deploy('flooded', `on:\n${triggers}steps: [{ set: { a: 1 } }]`);
  await tickAll();
  const other = new Orchestrator({ runsMax: 2 });
  try {
    for (let n = 0; n < 4; n += 1) await failed('flood/pay');
    await ended('flood/pay', 'succeeded');
    const byTrigger = async (): Promise<unknown> => {
      await other.follower.tick();
      const { runs } = await listRuns(store, { workflow: 'flooded' }, { limit: 9 });
      const startedBy = (status: string): number =>
        runs.filter(({ trigger: { detail } }) => detail?.['status'] === status).length;
      return [startedBy('failed'), startedBy('succeeded')];
    };
    await expect.poll(byTrigger).toEqual([2, 1]);
    const told = other.refused.filter((reason) => /"run flooded\..*the maximum for it/.test(reason));
    expect(told).toHaveLength(2);
  } finally {
    await other.end();
    await deleteWorkflow(store, 'flooded', 'test');
  }
});

test('The follower checks the tools of all workflows at once and in no transaction; one whose check hangs starts no run, and the log names it.', async () => {
  await deploy('asked/pay', 'steps: [{ set: { a: 1 } }]');
  const names = Array.from({ length: 17 }, (_, n) => `asking/${n}`);
  for (const name of [...names, 'hanging']) await deploy(name, alertOn('workflow: asked/*'));
  await tickAll();
  const hanging = (await store.findVersion({ workflow: 'hanging' }))?.definition;
  const waiting = new Set<string>();
  const open: unknown[] = [];
  const all17 = Promise.withResolvers<void>();
  const checkTools = async (definition: string): Promise<void> => {
    const { rows } = await store.pool.query(
      `select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    );
    open.push(...rows);
    if (definition !== hanging) waiting.add(definition);
    if (waiting.size === names.length) all17.resolve();
    await (definition === hanging ? new Promise<void>(() => undefined) : all17.promise);
  };
  const other = new Orchestrator({ checkTools });
  try {
    await ended('asked/pay', 'failed');
    const look = async (): Promise<readonly number[]> => {
      await other.follower.tick();
      return Promise.all(names.map(countOf));
    };
    await expect.poll(look, { timeout: 30_000 }).toEqual(names.map(() => 1));
    expect(open).toEqual([]);
    expect(await countOf('hanging')).toBe(0);
    const told = other.refused.filter((reason) => reason.includes('took too long'));
    expect(told).toEqual([expect.stringContaining('The check of the tools of "hanging"')]);
  } finally {
    await other.end();
  }
}, 60_000);

test('An orchestrator that has decided when another one was first starts no run again, neither for an end nor for a wait.', async () => {
  await deploy('both/pay', 'steps: [{ set: { a: 1 } }]');
  await deploy('both-end', alertOn('workflow: both/*'));
  await deploy('both-wait', seenOn('workflow: both/*, waiting: 10m'));
  await tickAll();
  let other = async (): Promise<void> => undefined;
  const late = new Orchestrator({ checkTools: () => other() });
  const [first] = all as [Orchestrator];
  const look = async (workflow: string): Promise<number> => {
    await late.follower.tick();
    return countOf(workflow);
  };
  other = async () => void (await first.follower.tick());
  const open = await store.pool.connect();
  try {
    await wait(await started('both/pay'));
    await ended('both/pay', 'failed');
    await expect.poll(() => look('both-end')).toBe(1);
    // A transaction that stays open holds the feed where it is: both look at one place of it, before and after.
    await open.query(`${neverEnded}; begin; select pg_current_xact_id()`);
    await tickAll();
    laterMs = 11 * 60_000;
    await expect.poll(() => look('both-wait')).toBe(1);
  } finally {
    laterMs = 0;
    open.release(true);
    await late.end();
  }
});
