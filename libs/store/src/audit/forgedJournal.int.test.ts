/** What a worker does with a journal that the owner of the database wrote in, who lacks the installation's key. */
import type { RunEvent } from '@baton/engine';
import { advance, ForgedJournalError, requested, RunDrivers } from '@baton/runner';
import { type FreshStore, freshStore, tamper, testPorts, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { linkHash } from '../journal/chain.ts';
import { openStore } from '../openStore.ts';
import { getRun } from '../runs/getRun.ts';
import { definitionOf } from '../workflows/definitions.ts';
import { deployWorkflow } from '../workflows/deployWorkflow.ts';
import { cachedPlans } from '../workflows/plans.ts';
import { listEntries } from './entries.ts';
import { noteForgedRun } from './noteForgedRun.ts';

const steps = `workflow: pay
steps:
  - { id: ok, wait: { signal: paid } }
  - { id: sent, tool: bank/send, effect: write }
`;
const definition = definitionOf(steps, 'yaml', {});
const calls: string[] = [];
let store: FreshStore;
/** Called during each call. */
let meanwhile = async (): Promise<void> => {};

beforeAll(async () => {
  store = await freshStore();
  await deployWorkflow(store, { workflow: 'pay', definition, findings: [], by: 'ada' });
});

afterAll(() => store.close());

const drives = (): RunDrivers =>
  new RunDrivers(
    testPorts({
      journal: store.journal,
      blobs: store.blobs,
      plans: cachedPlans(store),
      calls: {
        callTool: async (_, { runId }) => {
          calls.push(runId);
          await meanwhile();
          return { result: { content: [] } };
        },
      },
      noteForgery: (runId, message) => noteForgedRun(store, { by: 'worker one', runId, message }),
    }),
  );

/** A run that waits for its signal. */
async function waitingRun(): Promise<string> {
  const order = { workflow: 'pay', version: 1, definition: definition.digest, inputs: {}, by: 'key' } as const;
  const { runId } = await store.request(requested({ ...order, trigger: { kind: 'api' } }, Date.now()));
  expect(await drives().drive(runId)).toBe('waiting');
  return runId;
}

const signal: RunEvent = { type: 'signal.received', at: Date.now(), name: 'paid', payload: null, by: 'eve' };

/** Adds an event with its right hash, and the run is due. */
async function forge(runId: string, { type, at, ...data }: RunEvent = signal): Promise<void> {
  const { rows } = await store.pool.query<{ seq: number; hash: string }>(
    `select seq, encode(hash, 'hex') as hash from run_event where run_id = $1 order by seq desc limit 1`,
    [runId],
  );
  const { seq, hash } = rows[0] ?? { seq: 0, hash: '' };
  const text = JSON.stringify(data);
  const head = linkHash(hash, { runId, seq: seq + 1, at, type, data: text });
  await tamper(
    store,
    `insert into run_event (run_id, seq, at, type, data, hash)
       values ('${runId}', ${seq + 1}, ${at}, '${type}', '${text}', decode('${head}', 'hex'));
     update run set wake_at = now() where id = '${runId}'`,
  );
}

const entryOf = async (runId: string) =>
  (await listEntries(store, { action: 'run.forged', target: runId }, { limit: 10 })).entries.map(({ by, detail }) => ({
    by,
    detail: JSON.parse(detail) as unknown,
  }));

describe('a forged journal', () => {
  const refused = async (runId: string, message: string | RegExp): Promise<void> => {
    const before = calls.length;
    await expect(drives().drive(runId)).rejects.toThrow(ForgedJournalError);
    expect(calls).toHaveLength(before);
    const run = await getRun(store, runId);
    expect(run).toMatchObject({ status: 'failed', failure: { code: 'integrity-lost' } });
    expect(run?.failure?.message).toMatch(message);
    expect(await entryOf(runId)).toMatchObject([{ by: 'worker one', detail: { message: run?.failure?.message } }]);
  };

  test('with a signal that has its hash, and no mark, ends its run: nothing is called', async () => {
    const runId = await waitingRun();
    await forge(runId);
    await refused(runId, /^Event 5 of the journal is forged: It does not have the mark.*baton audit verify/);
    // Once.
    await expect(drives().drive(runId)).rejects.toThrow(ForgedJournalError);
    expect(await entryOf(runId)).toHaveLength(1);
  });

  test('with an event that was changed, or taken away, ends its run', async () => {
    const changed = await waitingRun();
    await tamper(store, `update run_event set data = '{}' where run_id = '${changed}' and seq = 2`);
    await refused(changed, /^Event 2 of the journal is forged: It does not match its hash/);
    const shortened = await waitingRun();
    await tamper(store, `delete from run_event where run_id = '${shortened}' and seq = 2`);
    await refused(shortened, /^Event 2 /);
    expect([changed, shortened].filter((one) => calls.includes(one))).toEqual([]);
  });

  test('a worker calls nothing of a forged journal, although the database says that it was sealed before marks', async () => {
    const runId = await waitingRun();
    await forge(runId);
    await tamper(
      store,
      `insert into sealed_run (run_id, seal, place, seq, head)
       select run_id, 0, 0, seq, hash from run_event where run_id = '${runId}' and seq = 5;
       update audit_entry set detail = replace(detail::text, '"seals":0', '"seals":9')::json where action = 'audit.begun'`,
    );
    expect((await store.journal.open(runId))?.forgery).toMatchObject({ seq: 5 });
    await refused(runId, /^Event 5 of the journal is forged/);
    await tamper(
      store,
      `delete from sealed_run; update audit_entry set detail = replace(detail::text, '"seals":9', '"seals":0')::json`,
    );
  });

  test('an event without a mark is forged also where the entry that says since when there are marks was removed', async () => {
    const runId = await waitingRun();
    await forge(runId);
    await store.pool.query('create table kept as table audit_entry');
    await tamper(store, 'delete from audit_entry');
    const restarted = openStore({ url: store.url, secretKey: testSecretKey });
    expect((await restarted.journal.open(runId))?.forgery).toMatchObject({ seq: 5 });
    await restarted.close();
    await tamper(store, 'insert into audit_entry select * from kept; drop table kept');
  });

  test('while a worker drives it, ends its run too', async () => {
    const runId = await waitingRun();
    const opened = await store.journal.open(runId);
    await opened?.log.append({ events: [{ ...signal, at: Date.now() }] });
    const driving = drives();
    meanwhile = async () => {
      await forge(runId);
      driving.routeHint({ runId, seq: 1_000 });
    };
    await expect(driving.drive(runId)).rejects.toThrow(ForgedJournalError);
    meanwhile = async () => {};
    expect(await getRun(store, runId)).toMatchObject({ status: 'failed', failure: { code: 'integrity-lost' } });
    expect(await entryOf(runId)).toHaveLength(1);
  });

  test('is told from its tail alone, and is not written on from outside', async () => {
    const runId = await waitingRun();
    expect((await store.journal.open(runId))?.forgery).toBeUndefined();
    await forge(runId);
    expect((await store.journal.open(runId))?.forgery).toMatchObject({ seq: 5 });
    expect((await store.journal.open(runId, 4))?.forgery).toMatchObject({ seq: 5 });
    await expect(advance(store.journal, runId, () => [{ ...signal, by: 'ada' }])).rejects.toThrow(ForgedJournalError);
  });
});
