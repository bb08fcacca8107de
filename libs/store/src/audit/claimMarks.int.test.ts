import { type FreshDatabase, freshDatabase, requestedEvent, tamper, testSecretKey } from '@baton/testing';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { type Store, openStore } from '../openStore.ts';
import { forge } from '../testing/forgery.ts';
import { verifyAudit } from '../verification/verifyAudit.ts';
import { definitionOf, putDefinition } from '../workflows/definitions.ts';
import { type MarkClaim, type MarksMemory, type RememberedMarks, beginMarksByHand, claimMarks } from './claimMarks.ts';
import { listEntries, noteAction } from './entries.ts';
import { MarksError } from './marksError.ts';
import { sealRuns } from './sealRuns.ts';

const otherKey = Buffer.alloc(32, 9);
const thirdKey = Buffer.alloc(32, 11);
const keep = { runsMs: Infinity, recordsMs: Infinity };

let database: FreshDatabase;
/** One database, as processes with different keys open it. */
let [store, other, third]: Store[] = [];

beforeEach(async () => {
  database = await freshDatabase();
  const opened = [testSecretKey, otherKey, thirdKey].map((secretKey) => openStore({ url: database.url, secretKey }));
  [store, other, third] = opened;
  onTestFinished(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await database.drop();
  });
});

function claim(by: Store | undefined, options: MarkClaim = {}) {
  if (by === undefined) throw new Error('it is not open');
  return claimMarks(by, options);
}

function opened(one: Store | undefined): Store {
  if (one === undefined) throw new Error('it is not open');
  return one;
}

const begunEntries = async () => (await listEntries(opened(store), { action: 'audit.begun' }, { limit: 10 })).entries;
const problemOf = async (by: Store | undefined) => (await verifyAudit(opened(by), { nowMs: Date.now(), keep })).problem;

describe('in an empty database', () => {
  test('marks begin with the first entry, once for all processes that start at the same time', async () => {
    const begun = await Promise.all([claim(store), claim(store), claim(store)]);
    expect(begun.map(({ entry, seals, runs }) => [entry, seals, runs])).toEqual([
      [1, 0, 0],
      [1, 0, 0],
      [1, 0, 0],
    ]);
    expect(await begunEntries()).toHaveLength(1);
    expect(await verifyAudit(opened(store), { nowMs: Date.now(), keep })).toMatchObject({
      isIntact: true,
      begun: { entry: 1, at: new Date(begun[0]?.at ?? 0).toISOString() },
      warnings: [],
    });
  });

  test('one of two processes with different keys that start at the same time is told whose the database is', async () => {
    const results = await Promise.allSettled([claim(store), claim(other)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [begun] = await begunEntries();
    const refused = results.find((result) => result.status === 'rejected');
    expect(refused?.reason).toMatchObject({
      name: 'MarksError',
      message: expect.stringContaining(begun?.target ?? '') as string,
    });
  });
});

describe('in a database with records and without marks', () => {
  test('a process does not start where the entry that says since when was removed: that is forged', async () => {
    await claim(store);
    await opened(store).request({ event: requestedEvent() });
    await tamper(opened(store), 'delete from audit_entry');
    await expect(claim(store)).rejects.toThrow(/audit of this database is forged: .*`baton audit begin`.*backup/);
    await expect(claim(other)).rejects.toThrow(MarksError);
    expect(await begunEntries()).toEqual([]);
  });

  test('a process does not start where the detail of that entry was changed', async () => {
    await claim(store);
    await tamper(
      opened(store),
      `update audit_entry set detail = replace(detail::text, '"seals":0', '"seals":9')::json`,
    );
    await expect(claim(store)).rejects.toThrow(/is forged/);
  });

  test('a process of a Baton that marks does not begin what one that did not has left', async () => {
    const { runId } = await opened(store).request({ event: requestedEvent({ at: Date.now() }) });
    await tamper(
      opened(store),
      `update run_event set mark = null; update _prisma_migrations set finished_at = now() + interval '1 day'`,
    );
    await expect(claim(store)).rejects.toThrow(/is from a Baton that marked nothing/);
    expect((await opened(store).journal.open(runId))?.forgery).toMatchObject({ seq: 1 });
  });

  test('the operator begins them, which each later verification says', async () => {
    const { runId } = await opened(store).request({ event: requestedEvent() });
    await opened(store).prisma.$transaction((transaction) =>
      noteAction(transaction, opened(other), { by: 'ada', action: 'secret.set', target: 'A' }),
    );
    await tamper(
      opened(store),
      `update run_event set mark = null;
       insert into seal (number, at, runs, root, entries, entry_hash, hash) values (1, 0, 0, '', 0, '', '')`,
    );
    const memory = memoryOf();
    const byHand = openStore({ url: database.url, secretKey: testSecretKey, applicationName: 'by hand' });
    onTestFinished(() => byHand.close());
    const agree = async (existing: object): Promise<void> => expect(existing).toEqual({ runs: 1, entries: 1 });
    const order = { by: 'ada', memory, agree };
    await expect(beginMarksByHand(byHand, order)).rejects.toThrow(/stop every orchestrator/);
    await byHand.pool.query(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity
       where datname = current_database() and application_name = 'baton'`,
    );
    expect(await beginMarksByHand(byHand, order)).toMatchObject({
      isNew: true,
      entry: 2,
      runs: 1,
    });
    expect(await beginMarksByHand(opened(store), order)).toMatchObject({ isNew: false, entry: 2 });
    expect(await claim(store, { memory })).toMatchObject({ entry: 2 });
    expect((await opened(store).journal.open(runId))?.forgery).toBeUndefined();
    expect(await verifyAudit(opened(store), { nowMs: Date.now(), keep })).toMatchObject({
      begun: { entry: 2, records: 3 },
      warnings: [expect.stringContaining('do not prove the 3 older records') as string],
    });
    await forge(opened(store), runId, 'signal.received', { name: 'paid', payload: null, by: 'eve' });
    // Who owns the database says that the run had ended and was sealed before.
    await tamper(
      opened(store),
      `insert into sealed_run select run_id, 1, 0, seq, hash from run_event where run_id = '${runId}' and seq = 2`,
    );
    expect((await opened(store).journal.open(runId))?.forgery).toMatchObject({ seq: 2 });
  });
});

/** As the file beside the secret key. */
function memoryOf(): MarksMemory & { note: RememberedMarks | undefined } {
  const memory: MarksMemory & { note: RememberedMarks | undefined } = {
    file: 'marks.json',
    note: undefined,
    read: async () => memory.note,
    write: async (note) => void (memory.note = note),
  };
  return memory;
}

describe('a process that remembers since when there are marks', () => {
  test('does not start on a database that was emptied, nor on one whose marks began anew', async () => {
    const memory = memoryOf();
    await claim(store, { memory });
    await claim(store, { memory });
    await tamper(opened(store), 'delete from audit_entry');
    await expect(claim(store, { memory })).rejects.toThrow(/was removed: marks.json says that it began at \d{4}-/);
    await claim(store);
    await expect(claim(store, { memory })).rejects.toThrow(/was begun anew: marks.json/);
    const agree = async (): Promise<void> => undefined;
    expect(await beginMarksByHand(opened(store), { by: 'ada', memory, agree })).toMatchObject({ isNew: false });
    await claim(store, { memory });
  });

  test('knows the key that has replaced the one that it remembers', async () => {
    const memory = memoryOf();
    await claim(store, { memory });
    await claim(other, { before: testSecretKey });
    await claim(third, { before: otherKey });
    await claim(third, { memory });
    expect(memory.note?.entryHash).toBe((await claim(third)).entryHash);
  });
});

describe('a key that replaces another one', () => {
  test('begins its marks at once, is enough from then on, and the one before is not', async () => {
    const first = await claim(store);
    await expect(claim(other)).rejects.toThrow(opened(store).auditKeys.id);
    const definition = definitionOf('workflow: w\nsteps:\n  - set: { a: 1 }\n', 'yaml', {});
    await putDefinition(opened(store), definition);
    await opened(store).request({ event: requestedEvent({ definition: definition.digest }) });
    expect(await claim(other, { before: testSecretKey })).toMatchObject({
      entry: 2,
      runs: 1,
      before: [{ publicKey: first.publicKey, entryHash: first.entryHash }],
    });
    await claim(other);
    await expect(claim(store)).rejects.toThrow(opened(other).auditKeys.id);
    await expect(claim(third)).rejects.toThrow(opened(other).auditKeys.id);
    expect(await claim(third, { before: otherKey })).toMatchObject({ entry: 3, before: { length: 2 } });
    await expect(claim(other, { before: testSecretKey })).rejects.toThrow(opened(third).auditKeys.id);
    expect(await problemOf(third)).toBeUndefined();
  });

  test('takes over the journals that the key before has marked, and no other', async () => {
    await claim(store);
    const [honest, forged] = await Promise.all(
      [1, 2].map(async () => (await opened(store).request({ event: requestedEvent() })).runId),
    );
    await forge(opened(store), forged ?? '', 'signal.received', { name: 'paid', payload: null, by: 'eve' });
    expect(await claim(other, { before: testSecretKey })).toMatchObject({ runs: 1 });
    expect((await opened(other).journal.open(honest ?? ''))?.forgery).toBeUndefined();
    expect((await opened(other).journal.open(forged ?? ''))?.forgery).toMatchObject({ seq: 1 });
  });

  test.each([
    [
      'an entry was forged',
      `insert into audit_entry select seq + 1, at, 'eve', 'key.created', target, detail, hash, null from audit_entry`,
    ],
    ['the newest seal was changed', 'update seal set at = 0'],
    ['a seal has no signature', 'update seal set signature = null'],
  ])('does not begin its marks where %s', async (_, sql) => {
    await claim(store);
    await sealRuns(opened(store), { nowMs: 1 });
    await tamper(opened(store), sql);
    await expect(claim(other, { before: testSecretKey })).rejects.toThrow(/key is not replaced.*baton audit verify/);
    expect(await begunEntries()).toHaveLength(1);
  });

  test('does not begin them by an entry that the key before has not marked', async () => {
    const { id: target, publicKey } = opened(store).auditKeys;
    const entry = { by: 'baton', action: 'audit.begun', target, detail: { publicKey, seals: 0, runs: 0 } } as const;
    await opened(third).prisma.$transaction((transaction) => noteAction(transaction, opened(third), entry));
    await expect(claim(other, { before: testSecretKey })).rejects.toThrow(/is forged/);
    await expect(claim(store)).rejects.toThrow(/is forged/);
  });
});
