/** What a worker does with a journal that the owner of the database wrote in, who lacks the installation's key. */
import type { RunEvent } from '@baton/engine';
import { advance, ForgedJournalError, requested, RunDrivers } from '@baton/runner';
import type { FreshStore } from '@baton/testing';
import { freshStore, requestedEvent, tamper, testPorts } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { linkHash } from '../journal/chain.ts';
import { openStore } from '../openStore.ts';
import { getRun } from '../runs/getRun.ts';
import { definitionOf } from '../workflows/definitions.ts';
import { deployWorkflow } from '../workflows/deployWorkflow.ts';
import { cachedPlans } from '../workflows/plans.ts';
import { beginMarks } from './beginMarks.ts';
import { listEntries, noteAction } from './entries.ts';
import { noteForgedRun } from './noteForgedRun.ts';
import { verifyAudit } from './verifyAudit.ts';

const steps = `workflow: pay
steps:
  - { id: ok, wait: { signal: paid } }
  - { id: sent, tool: bank/send, effect: write }
`;
const definition = definitionOf(steps, 'yaml', {});
const calls: string[] = [];
const keep = { runsMs: Infinity, recordsMs: Infinity };
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

describe('before this installation marks what it writes, as during an upgrade', () => {
  test('an entry without its mark does not begin them', async () => {
    const own = await freshStore();
    const other = openStore({ url: own.url, secretKey: Buffer.alloc(32, 9) });
    onTestFinished(async () => {
      await other.close();
      await own.close();
    });
    const { id: target, publicKey } = own.auditKeys;
    const entry = { by: 'eve', action: 'audit.begun', target, detail: { publicKey, seals: 1_000, runs: 0 } } as const;
    await other.prisma.$transaction((transaction) => noteAction(transaction, other, entry));
    const { problem } = await verifyAudit(own, { nowMs: Date.now(), keep });
    expect(problem).toMatchObject({ kind: 'unmarked', where: 'entries' });
    const { runId } = await own.request({ event: requestedEvent({ at: Date.now() }) });
    await tamper(own, `update run_event set mark = null where run_id = '${runId}'`);
    expect((await own.journal.open(runId))?.forgery).toBeUndefined();
    expect(await beginMarks(own, Date.now() + 301_000)).toBe(true);
    const { entries } = await listEntries(own, { action: 'audit.begun' }, { limit: 10 });
    expect(entries.map(({ by }) => by)).toEqual(['baton', 'eve']);
  });

  test('marks do not begin while a process still writes without them, and five minutes later they do', async () => {
    const runId = await waitingRun();
    await tamper(store, `update run_event set mark = null where run_id = '${runId}'`);
    const { rows } = await store.pool.query<{ at: string }>('select max(at) as at from run_event');
    expect(await beginMarks(store, Number(rows[0]?.at) + 299_000)).toBe(false);
    const verify = async () => (await verifyAudit(store, { nowMs: Date.now(), keep })).problem;
    expect(await verify()).toMatchObject({ kind: 'unmarked', where: 'entries' });
    await tamper(store, `update run set by = 'eve' where id = '${runId}'`);
    expect(await verify()).toMatchObject({ kind: 'edited', where: `run ${runId}` });
    await tamper(store, `update run set by = 'key' where id = '${runId}'`);
    // What has no mark is taken as it stands.
    await forge(runId);
    expect(await drives().drive(runId)).toBe('finished');
    const older = await waitingRun();
    await tamper(store, `update run_event set mark = null where run_id = '${older}'`);
    expect(await beginMarks(store, Date.now())).toBe(false);
    expect(await beginMarks(store, Date.now() + 301_000)).toBe(true);
    expect((await store.journal.open(older))?.forgery).toBeUndefined();
    await forge(older);
    expect((await store.journal.open(older))?.forgery?.seq).toBe(5);
  });
});

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
