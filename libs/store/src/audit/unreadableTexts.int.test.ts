import { type EventOf, type Failure, type RunEvent, type Value, play } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore, planOf, requestedEvent } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { noRun } from '../database/noRun.ts';
import { listRuns } from '../runs/listRuns.ts';
import { countedEnds } from '../runTriggers/countedEnds.ts';
import { type Pins, definitionOf } from '../workflows/definitions.ts';
import { deployWorkflow } from '../workflows/deployWorkflow.ts';
import { sealRuns } from './sealRuns.ts';

let store: FreshStore;
beforeAll(async () => {
  store = await freshStore();
});
afterAll(() => store.close());

type End =
  | { readonly status: 'succeeded'; readonly outputs: Value }
  | { readonly status: 'failed'; readonly failure: Failure };

/** What servers may send, and Postgres cannot read: a NUL, and half of a surrogate pair. */
const unreadable = ['a\0b', 'half \ud83d'];
const ends: readonly End[] = unreadable.flatMap((text): End[] => [
  { status: 'succeeded', outputs: { json: { text } } },
  { status: 'failed', failure: { code: 'tool-failed', message: text } },
]);

async function endedRun(end: End): Promise<string> {
  const event = { ...requestedEvent(), version: 1, inputs: { json: { part: { path: 'no part', index: 1 } } } };
  const { runId } = await store.request({ event });
  await advance(store.journal, runId, ({ at }): RunEvent[] => [
    { type: 'run.claimed', at, worker: 'w', claim: 1 },
    { type: 'run.finished', at, ...end },
  ]);
  return runId;
}

test('A text that Postgres cannot read, in the end of one run, keeps no run from being sealed or from starting others.', async () => {
  const runs = await Promise.all(ends.map(endedRun));
  const nowMs = Date.now() + 60_000;
  expect(await sealRuns(store, { nowMs })).toMatchObject({ runs: ends.length, refused: 0 });

  const client = await store.pool.connect();
  try {
    const counted = await countedEnds(client, `0-${noRun}-0`, `${'9'.repeat(15)}-${noRun}-0`);
    expect(counted.ends.map(({ runId }) => runId).toSorted()).toEqual(runs.toSorted());
  } finally {
    client.release();
  }
});

test.each(unreadable)(
  'A text that Postgres cannot read, in the schema of a pinned tool, keeps no run from being found: %j',
  async (text) => {
    const seen = String.raw`a\u0000b ${text}`;
    const digests = { contract: 'c', text: 't', isForChecks: true } as const;
    const pins = {
      's/put': { ...digests, definition: { inputSchema: { description: seen } }, effect: 'write', source: 'server' },
    };
    const definition = definitionOf(`workflow: pinned\n# ${JSON.stringify(text)}\n`, 'yaml', pins as unknown as Pins);
    await deployWorkflow(store, { workflow: 'pinned', definition, findings: [], by: 'test' });
    const { runId } = await store.request({ event: requestedEvent({ definition: definition.digest }) });
    const { runs } = await listRuns(store, { effect: 'write' }, { limit: 10 });
    expect(runs.map(({ id }) => id)).toContain(runId);
  },
);

test('A text that Postgres cannot read, as the name of a model that a client says, keeps no answer from being stored.', async () => {
  const plan = planOf('workflow: asking\nsteps:\n  - { id: asked, sample: { append: hi, maxTokens: 9 } }\n');
  const result = { result: { model: 'm', role: 'assistant', content: { type: 'text', text: 'ho' } } };
  const { journal } = play(plan, { answer: () => result });
  const [first, ...rest] = journal.map((event) =>
    event.type === 'step.succeeded' ? { ...event, usage: { model: 'a\0b', inputTokens: 7 } } : event,
  );
  const { runId } = await store.request({ event: first as EventOf<'run.requested'> });
  await advance(store.journal, runId, () => rest);
  const { rows } = await store.pool.query(`select model, input_tokens from cost_day where workflow = 'asking'`);
  expect(rows).toEqual([{ model: 'ab', input_tokens: '7' }]);
});
