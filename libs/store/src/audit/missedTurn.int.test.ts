import { type EventOf, type RunEvent, play, replay } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore, planOf } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { noRun } from '../database/noRun.ts';
import { spendingRuns } from '../runTriggers/spendingRuns.ts';
import { type CallPlace, callsOfTools, listCalls } from './listCalls.ts';

let store: FreshStore;
beforeAll(async () => {
  store = await freshStore();
});
afterAll(() => store.close());

/** A run whose call missed its turn once, after another one had begun, and was made then. A text of its arguments has what Postgres cannot read. */
async function runThatMissedItsTurn(): Promise<{ readonly runId: string; readonly events: readonly RunEvent[] }> {
  const plan = planOf('workflow: late\nsteps:\n  - { id: put, tool: s/put }\n', { 's/put': 'write' });
  const { journal } = play(plan, { answer: () => ({ result: { content: [] } }) });
  const events = journal.flatMap((event): RunEvent[] => {
    if (event.type === 'run.requested') return [{ ...event, version: 1 }];
    if (event.type !== 'step.started' || event.call?.verb !== 'tool') return [event];
    const { at, path, verb, attempt, call } = event;
    const started: RunEvent = { ...event, call: { ...call, arguments: { json: { text: 'a\0b' } } } };
    const awaiting = { for: 'turn', server: 's' } as const;
    const other: RunEvent[] = [
      { ...started, path: 'other' },
      { type: 'step.waiting', at, path, verb, attempt, awaiting, missedTurn: true },
      { type: 'step.succeeded', at, path: 'other', verb, attempt, value: { json: null } },
    ];
    return [started, ...other, started];
  });
  const [first, ...rest] = events;
  const { runId } = await store.request({ event: first as EventOf<'run.requested'> });
  await advance(store.journal, runId, () => rest);
  return { runId, events };
}

test('A call that missed its turn was not sent: it is counted, paid and audited once.', async () => {
  const { runId, events } = await runThatMissedItsTurn();
  expect(replay(runId, events).spent.toolCalls).toBe(2);

  const pages: string[][] = [];
  for (let after: CallPlace | undefined, isMore = true; isMore;) {
    const { calls, next } = await listCalls(store, {}, { limit: 1, after });
    pages.push(calls.map(({ path, end }) => `${path} ${end?.outcome}`));
    [after, isMore] = [next, next !== undefined];
  }
  expect(pages).toEqual([['put succeeded'], ['other succeeded']]);
  expect((await callsOfTools(store, ['s/put'], [runId], 10)).get('s/put')).toHaveLength(2);

  const client = await store.pool.connect();
  try {
    const { rows } = await client.query<{ xact: string }>('select max(xact)::text as xact from run_event');
    const upTo = `${rows[0]?.xact}-${'f'.repeat(8)}-ffff-ffff-ffff-${'f'.repeat(12)}-999`;
    const found = await spendingRuns(client, { after: `0-${noRun}-0`, upTo, wants: async () => true });
    expect(found).toMatchObject([{ runId, spent: { toolCalls: 2 } }]);
  } finally {
    client.release();
  }
});
