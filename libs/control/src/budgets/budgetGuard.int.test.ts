/** Budgets of a day or a month, on Postgres: what counts, what is refused, and until when. */
import type { RunEvent } from '@baton/engine';
import { advance, requested } from '@baton/runner';
import { type BudgetTerms, type Store, budgetSpan, listEntries, openStore, putBudget, readUsage } from '@baton/store';
import { type FreshStore, freshStore, MemoryBus, soon, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { HandClock } from '../testing/testTicker.ts';
import { BudgetGuard } from './budgetGuard.ts';
import { BudgetNotices } from './budgetNotices.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

/** Another process, as far as Postgres can tell. */
function another(): Store {
  const other = openStore({ url: store.url, secretKey: testSecretKey });
  onTestFinished(() => other.close());
  return other;
}

const november = Date.parse('2026-11-30T23:59:00Z');
const december = Date.parse('2026-12-01T00:00:00Z');

function clockAt(at: number): HandClock {
  const clock = new HandClock();
  clock.at = at;
  return clock;
}

const guardOn = (clock: HandClock, channels = new MemoryBus(), on: Store = store): BudgetGuard =>
  new BudgetGuard({ store: on, channels, clock });

const set = (name: string, terms: BudgetTerms): Promise<unknown> => putBudget(store, { ...terms, name, by: 'test' });

type Order = Parameters<typeof requested>[0];

async function request(workflow: string, at: number, more: Partial<Order> = {}, on: Store = store): Promise<string> {
  const order = { workflow, definition: 'none', inputs: {}, by: 'test', trigger: { kind: 'api' }, ...more } as const;
  const { runId } = await on.request(requested(order, at));
  return runId;
}

/** What a worker would append. */
async function append(runId: string, events: readonly RunEvent[], on: Store = store): Promise<void> {
  await advance(on.journal, runId, () => events);
}

const write = (at: number, path: string, attempt = 1): RunEvent => ({
  type: 'step.started',
  at,
  path,
  verb: 'tool',
  attempt,
  call: { verb: 'tool', server: 's', tool: 't', arguments: { json: {} }, effect: 'write' },
});

const answered = (at: number, path: string, usd: number): RunEvent[] => [
  { type: 'step.started', at, path, verb: 'sample', attempt: 1, call: { verb: 'sample', request: { json: {} } } },
  {
    type: 'step.succeeded',
    at,
    path,
    verb: 'sample',
    attempt: 1,
    value: { json: {} },
    usage: { usd, inputTokens: 7, outputTokens: 3 },
  },
];

const claimed = (at: number): RunEvent => ({ type: 'run.claimed', at, worker: 'w', claim: 1 });

const usageOf = (pattern: string, at = november) => readUsage(store, pattern, budgetSpan('month', at));

test('Runs and writes are counted from the first budget on, and cost nothing before', async () => {
  const guard = guardOn(clockAt(november));
  await guard.checkStart('early/a');
  const run = await request('early/a', november);
  await append(run, [claimed(november), write(november, 'a')]);
  expect(await usageOf('early/a')).toMatchObject({ runs: 0, writes: 0 });
  await set('early', { on: 'early/a', per: 'day', limits: { runs: 9 } });
  guard.changed();
  await guard.checkStart('early/a');
  await append(run, [write(november, 'b')]);
  await request('early/a', november);
  expect(await usageOf('early/a')).toMatchObject({ runs: 1, writes: 1 });
});

test('A run is refused when its month is used up, with what was spent of how much and until when, and taken in the next one', async () => {
  const clock = clockAt(november);
  const guard = guardOn(clock);
  await set('pay', { on: 'payments/*', per: 'month', limits: { usd: 1 } });
  const run = await request('payments/refund', november);
  await append(run, [claimed(november), ...answered(november, 'a', 0.75)]);
  await expect(guard.checkStart('payments/refund')).resolves.toBeUndefined();
  await append(run, answered(november, 'b', 0.5));
  await expect(guard.checkStart('payments/refund')).rejects.toMatchObject({
    code: 'budget-spent',
    status: 429,
    message: 'The budget pay (payments/*, each month) is spent: 1.25 of 1 USD, until 2026-12-01T00:00:00.000Z.',
    headers: { 'retry-after': '60' },
  });
  expect(guard.checkStart('billing/refund')).toBeUndefined();
  clock.at = december - 1;
  await expect(guard.checkStart('payments/other')).rejects.toMatchObject({ headers: { 'retry-after': '1' } });
  clock.at = december;
  await expect(guard.checkStart('payments/refund')).resolves.toBeUndefined();
});

test('Each run counts once, whichever process made it: children too, and neither items of a forEach nor undos', async () => {
  const [one, other] = [another(), another()];
  const parent = await request('once/a', november, {}, one);
  await append(parent, [claimed(november)], one);
  const child = { runId: parent, path: 'c', attempt: 1 };
  await request('once/b', november, { parent: child, trigger: { kind: 'workflow' } }, other);
  await request('once/b', november, { parent: child, trigger: { kind: 'workflow' } }, one);
  const item = { runId: parent, path: 'each/0/i', attempt: 1 };
  const part = { pointer: '/steps/0', index: 0, scope: { json: {} } };
  await request('once/a', november, { parent: item, part }, other);
  await request('once/a', november, { trigger: { kind: 'undo' } }, other);
  expect(await usageOf('once/*')).toMatchObject({ runs: 2 });
  expect(await usageOf('once/b')).toMatchObject({ runs: 1 });
  expect(await usageOf('once/*', december)).toMatchObject({ runs: 0 });
});

test('Writes and costs are in the transaction of the append: a lost race counts nothing, and removed runs stay counted', async () => {
  const run = await request('kept/a', november);
  await append(run, [claimed(november), write(november, 'a'), write(november, 'b')]);
  const [mine, theirs] = await Promise.all([store.journal.open(run), another().journal.open(run)]);
  const lost = await Promise.allSettled(
    [mine, theirs].map(async (opened) => opened?.log.append({ events: [write(november, 'c')] })),
  );
  expect(lost.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await append(run, [...answered(november, 'd', 0.1), { type: 'run.finished', at: november, status: 'succeeded' }]);
  const used = { writes: 3, runs: 1, usd: 0.1, tokens: 10 };
  expect(await usageOf('kept/*')).toEqual(used);
  await store.pool.query('delete from run where id = $1', [run]);
  expect(await usageOf('kept/*')).toEqual(used);
});

test('Many processes that count at the same moment lose nothing', async () => {
  const stores = [store, another(), another()];
  const made = await Promise.all(
    Array.from({ length: 90 }, async (_, n) => {
      const on = stores[n % stores.length] ?? store;
      const run = await request(`many/${n % 3 === 0 ? 'a' : 'b'}`, november, {}, on);
      await append(run, [claimed(november), write(november, 'a'), ...answered(november, 'm', 0.5)], on);
      return run;
    }),
  );
  expect(new Set(made).size).toBe(90);
  expect(await usageOf('many/*')).toEqual({ runs: 90, writes: 90, usd: 45, tokens: 900 });
});

test('Of the calls that begin together, those beyond the budget are refused, each with its reason', async () => {
  const guard = guardOn(clockAt(november));
  await set('few', { on: 'few/a', per: 'day', limits: { writes: 2, tokens: 10 } });
  const call = (path: string, kind: 'write' | 'model') => ({ path, kind });
  const wanted = [call('a', 'write'), call('b', 'model'), call('c', 'write'), call('d', 'write')];
  const refused = await guard.refused('few/a', wanted);
  expect([...refused]).toEqual([
    [
      'd',
      {
        code: 'budget-exceeded',
        message:
          'The budget few (few/a, each day) is spent: 2 of 2 writes, until 2026-12-01T00:00:00.000Z. The call was not made.',
        details: { budget: 'few', unit: 'writes', until: '2026-12-01T00:00:00.000Z' },
        step: 'd',
      },
    ],
  ]);
  await append(await request('few/a', november), [claimed(november), ...answered(november, 'm', 0)]);
  expect([...(await guard.refused('few/a', wanted)).keys()]).toEqual(['b', 'd']);
  expect((await guard.refused('few/b', wanted)).size).toBe(0);
  expect(await guard.refusedChild('few/a')).toMatch(/^The budget few .* 10 of 10 tokens/);
});

test('A budget that is set in one process holds in the others at once, and one of whom the word is lost reads it later', async () => {
  const channels = new MemoryBus();
  const clock = clockAt(november);
  const [one, other] = [guardOn(clock, channels), guardOn(clock, channels, another())];
  const deaf = guardOn(clock);
  for (const guard of [one, other, deaf]) await guard.checkStart('told/a');
  await set('told', { on: 'told/a', per: 'day', limits: { runs: 0 } });
  one.changed();
  await expect(one.checkStart('told/a')).rejects.toMatchObject({ code: 'budget-spent' });
  await soon(() => expect(other.checkStart('told/a')).rejects.toMatchObject({ code: 'budget-spent' }));
  expect(deaf.checkStart('told/a')).toBeUndefined();
  clock.at += 10_000;
  await expect(deaf.checkStart('told/a')).rejects.toMatchObject({ code: 'budget-spent' });
});

test('That a budget is nearly spent, and that it is spent, is told once over all processes, and again in the next month', async () => {
  const clock = clockAt(november);
  const told: string[] = [];
  const noticesOn = (on: Store): BudgetNotices =>
    new BudgetNotices({
      store: on,
      clock,
      onTold: ({ budget, unit, share }) => void (budget === 'near' && told.push(`${unit} ${share}`)),
      onTrouble: (error) => {
        throw error;
      },
    });
  const all = [noticesOn(store), noticesOn(another())];
  const look = (): Promise<unknown> => Promise.all(all.map((notices) => notices.tick()));
  await set('near', { on: 'near/a', per: 'month', limits: { runs: 5, writes: 9 } });
  for (let n = 0; n < 3; n++) await request('near/a', clock.at);
  await look();
  expect(told).toEqual([]);
  await request('near/a', clock.at);
  await look();
  await look();
  expect(told).toEqual(['runs 80']);
  await request('near/a', clock.at);
  await look();
  expect(told).toEqual(['runs 80', 'runs 100']);
  clock.at = december;
  for (let n = 0; n < 4; n++) await request('near/a', clock.at);
  await look();
  expect(told).toEqual(['runs 80', 'runs 100', 'runs 80']);
  const { entries } = await listEntries(store, { target: 'near' }, { limit: 10 });
  expect(entries.map(({ action }) => action)).toEqual(['budget.warned', 'budget.spent', 'budget.warned', 'budget.set']);
  await set('near', { on: 'near/a', per: 'month', limits: { runs: 5 } });
  await look();
  expect(told.length).toBe(4);
});
