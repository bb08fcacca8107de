import { hash, randomBytes } from 'node:crypto';

import { UnavailableError } from '@baton/runner';
import {
  type FreshStore,
  faultProxy,
  freshStore,
  neverEnded,
  requestedEvent,
  runningRow,
  tamper,
  testSecretKey,
} from '@baton/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { auditLines, auditRecords } from '../audit/auditRecords.ts';
import { type AuditReport, AuditVerifier } from '../audit/auditVerifier.ts';
import { listEntries } from '../audit/entries.ts';
import { sealRuns } from '../audit/sealRuns.ts';
import { openStore } from '../openStore.ts';
import { type RemovedRuns, removeRuns } from './removeRuns.ts';
import { type RemovedValues, removeValues } from './removeValues.ts';

let store: FreshStore;

beforeEach(async () => {
  store = await freshStore();
});
afterEach(() => store.close());

const old = 1_800_000_000_000;
const endedBefore = old + 1_000_000;
const recent = endedBefore + 1;
const sealedAt = endedBefore + 10;

interface MadeRuns {
  readonly at?: number;
  readonly parent?: string;
  readonly rerunOf?: string;
  readonly undoes?: string;
  readonly callback?: { readonly url: string; readonly secret: string };
  /** A large value that it has. */
  readonly value?: string;
  readonly isOver?: boolean;
}

const texts = new Map<string, string>();

/** Digest of a large value. */
function valueOf(name: string): string {
  const text = JSON.stringify(name);
  const digest = hash('sha256', text, 'hex');
  texts.set(digest, text);
  return digest;
}

const textOf = (digest: string): string => texts.get(digest) ?? '';

async function newRun({
  at = old,
  parent,
  rerunOf,
  undoes,
  callback,
  value,
  isOver = true,
}: MadeRuns = {}): Promise<string> {
  const blobs = value === undefined ? [] : [{ sha256: value, text: textOf(value) }];
  const { runId } = await store.request({
    event: requestedEvent({
      at,
      ...(parent && { parent: { runId: parent, path: randomBytes(4).toString('hex'), attempt: 1 } }),
      ...(rerunOf && { rerunOf }),
      ...(undoes && { rerunOf: undoes, trigger: { kind: 'undo', detail: { run: undoes } } }),
      ...(value && { inputs: { blob: { sha256: value, bytes: 7, preview: '' } } }),
    }),
    ...(rerunOf === undefined ? { blobs } : {}),
    callback,
  });
  const opened = await store.journal.open(runId);
  const end = { type: 'run.finished', at, status: 'succeeded' } as const;
  if (isOver) await opened?.log.append({ events: [end], row: runningRow({ status: 'succeeded', endedAt: at }) });
  return runId;
}

const remove = async (after?: string): Promise<RemovedRuns> =>
  (await removeRuns(store, { endedBefore, after })) ?? { runs: -1, events: 0 };
const clean = (before = endedBefore): Promise<RemovedValues> => removeValues(store, { before });

async function left(): Promise<Set<string>> {
  const { rows } = await store.pool.query<{ id: string }>(
    'select id from run intersect select run_id from run_event order by 1',
  );
  return new Set(rows.map(({ id }) => id));
}

async function verify(): Promise<AuditReport> {
  const verifier = new AuditVerifier();
  for await (const record of auditRecords(store, { nowMs: sealedAt, isWithUnsealed: true })) verifier.take(record);
  return verifier.report({ isFile: false });
}

async function verifyExport(): Promise<AuditReport> {
  const verifier = new AuditVerifier();
  for await (const line of auditLines(auditRecords(store, { nowMs: sealedAt }))) verifier.takeLine(line.trimEnd());
  return verifier.report({ isFile: true });
}

const seal = (): Promise<unknown> => sealRuns(store, { nowMs: sealedAt });

describe('the removed runs', () => {
  test('are runs that ended long enough ago, and nothing else', async () => {
    const [first, second] = [await newRun(), await newRun({ at: old + 1 })];
    const kept = [await newRun({ at: recent }), await newRun({ isOver: false })];
    await seal();
    expect(await remove()).toEqual({ runs: 2, events: 4 });
    expect(await left()).toEqual(new Set(kept));
    expect(await store.journal.open(first)).toBeUndefined();
    expect(await store.journal.open(second)).toBeUndefined();
    // Where there is nothing, there is nothing after it either.
    expect(await remove()).toEqual({ runs: 0, events: 0 });
  });

  test('are no runs without a seal or with an undelivered callback', async () => {
    const told = await newRun({ callback: { url: 'https://example.com', secret: 'S' } });
    await seal();
    const unsealed = await newRun();
    expect(await remove()).toMatchObject({ runs: 0 });
    expect(await left()).toEqual(new Set([told, unsealed]));
    await store.pool.query(`update callback set status = 'delivered'`);
    expect(await remove()).toMatchObject({ runs: 1 });
    expect((await store.pool.query('select from callback')).rowCount).toBe(0);
  });

  test('are removed with all runs that they started, and stay while one of these stays', async () => {
    const parent = await newRun();
    const child = await newRun({ parent });
    const grandchild = await newRun({ parent: child, at: recent });
    const other = await newRun();
    await newRun({ parent: other });
    await seal();
    expect(await remove()).toMatchObject({ runs: 2 });
    expect(await left()).toEqual(new Set([parent, child, grandchild]));
    expect((await removeRuns(store, { endedBefore: recent + 1 }))?.runs).toBe(3);
    expect(await left()).toEqual(new Set());
  });

  test('An undo stays as long as the run that it undoes, also where the parent of that run is kept longer', async () => {
    const parent = await newRun({ at: recent });
    const child = await newRun({ parent });
    const undo = await newRun({ undoes: child });
    const other = await newRun();
    const undoOfOther = await newRun({ undoes: other });
    await seal();
    expect(await remove()).toMatchObject({ runs: 1 });
    expect(await left()).toEqual(new Set([parent, child, undo, undoOfOther]));
    expect(await remove()).toMatchObject({ runs: 1 });
    expect((await removeRuns(store, { endedBefore: recent + 1 }))?.runs).toBe(2);
    expect((await removeRuns(store, { endedBefore: recent + 1 }))?.runs).toBe(1);
    expect(await left()).toEqual(new Set());
  });

  test('are large values, when no run refers to them any more', async () => {
    const [one, two] = [valueOf('a'), valueOf('b')];
    await newRun({ value: one });
    const first = await newRun({ value: two });
    const second = await newRun({ value: two, at: recent });
    await seal();
    expect(await remove()).toMatchObject({ runs: 2 });
    expect(await clean()).toEqual({ values: 1 });
    expect(await store.blobs.get(one)).toBeUndefined();
    expect(await store.blobs.get(two)).toBe('"b"');
    // It was taken over, not brought along.
    const third = await newRun({ value: two, at: recent + 10, rerunOf: second });
    await seal();
    expect((await removeRuns(store, { endedBefore: recent + 1 }))?.runs).toBe(1);
    expect(await clean(recent + 1)).toEqual({ values: 0 });
    expect(await left()).toEqual(new Set([third]));
    expect(await store.blobs.get(two)).toBe('"b"');
    await expect(newRun({ value: two, rerunOf: first })).rejects.toThrow(/is being removed/);
  });

  test('leave their large values, which go in batches, each of which continues after the previous one', async () => {
    const large = Array.from({ length: 450 }, (_, n) => valueOf(`value ${n}`));
    for (const value of large) await newRun({ value });
    const kept = await newRun({ value: valueOf('value 7'), isOver: false });
    await seal();
    expect(await remove()).toMatchObject({ runs: 450 });
    const batches: number[] = [];
    for (let after: RemovedValues['next'] | 'first' = 'first'; after !== undefined;) {
      const removed = await removeValues(store, { before: endedBefore, after: after === 'first' ? undefined : after });
      batches.push(removed.values);
      after = removed.next;
    }
    expect(batches.reduce((sum, one) => sum + one)).toBe(449);
    expect(batches.length).toBeGreaterThan(2);
    expect((await store.pool.query('select run_id from blob_use')).rows).toEqual([{ run_id: kept }]);
    expect((await store.pool.query('select from blob')).rowCount).toBe(1);
  });

  test('hold up no append while their values are removed, and a value that another run begins to use stays', async () => {
    const [gone, used] = [valueOf('gone'), valueOf('used')];
    for (const value of [gone, used]) await newRun({ value });
    const run = await newRun({ isOver: false });
    await seal();
    await remove();
    // The removal waits in its middle.
    const holding = await store.pool.connect();
    await holding.query(`${neverEnded}; begin; select pg_advisory_xact_lock(7)`);
    await store.pool.query(`create function wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(7); return old; end $$;
      create trigger wait before delete on blob for each row execute function wait()`);
    const waiting = async (): Promise<number> =>
      (await store.pool.query('select from pg_locks where not granted')).rowCount ?? 0;
    const removing = clean();
    await expect.poll(waiting).toBe(1);
    const opened = await store.journal.open(run);
    const event = { type: 'signal.received', at: old, name: 's', payload: null, by: 'x' } as const;
    await opened?.log.append({ events: [event], blobs: [{ sha256: valueOf('new'), text: '"new"' }] });
    let isUsed = false;
    const using = newRun({ value: used, at: recent }).then(() => (isUsed = true));
    await expect.poll(async () => isUsed || (await waiting()) > 1).toBe(true);
    await holding.query('commit');
    holding.release();
    await Promise.all([removing, using]);
    await clean();
    expect(await store.blobs.get(gone)).toBeUndefined();
    expect([await store.blobs.get(used), await store.blobs.get(valueOf('new'))]).toEqual(['"used"', '"new"']);
  });

  test('are removed in batches, each of which continues after the previous one', async () => {
    const kept = await Promise.all(Array.from({ length: 510 }, (_, n) => newRun({ at: old + n, isOver: false })));
    await Promise.all(Array.from({ length: 30 }, (_, n) => newRun({ at: old + 600 + n })));
    await seal();
    await store.pool.query('update run set ended_at = created_at where id = any($1)', [kept]);
    const first = await remove();
    expect(first).toMatchObject({ runs: 0, next: expect.any(String) as string });
    expect(await remove(first.next)).toEqual({ runs: 30, events: 60 });
  });
});

describe('the rest after a removal', () => {
  test('verifies, in the database and as an export, and the audit names the removed runs', async () => {
    const runs = [await newRun(), await newRun({ at: recent }), await newRun(), await newRun()];
    await seal();
    await newRun();
    await seal();
    const before = await verify();
    await remove();
    expect(await left()).toEqual(new Set([runs[1]]));
    const after = await verify();
    expect(after).toMatchObject({ isIntact: true, seals: 2, removed: 4, entries: 2, events: 2 });
    expect(after.checkpoint).toEqual(before.checkpoint);
    expect(await verifyExport()).toMatchObject({ isIntact: true, removed: 4 });
    const { entries } = await listEntries(store, { action: 'runs.removed' }, { limit: 10 });
    expect(entries).toMatchObject([{ by: 'retention', target: 'seals 1 to 2' }]);
    expect(JSON.parse(entries[0]?.detail ?? '')).toEqual({
      endedBefore: new Date(endedBefore).toISOString(),
      runs: 4,
      // Runs are sealed in the order of their ends.
      seals: { 1: '0-2', 2: '0' },
    });
    // A seal of which nothing is left keeps no list of its runs.
    const { rows } = await store.pool.query('select distinct seal from sealed_run');
    expect(rows).toEqual([{ seal: 1 }]);
  });

  test('an export that was made before still verifies', async () => {
    await newRun();
    await seal();
    const lines = await Array.fromAsync(auditLines(auditRecords(store, { nowMs: sealedAt })));
    await remove();
    const verifier = new AuditVerifier({ checkpoint: (await verify()).checkpoint });
    for (const line of lines) verifier.takeLine(line.trimEnd());
    expect(verifier.report({ isFile: true })).toMatchObject({ isIntact: true, removed: 0, events: 2 });
  });

  test('verifies while runs are being removed', async () => {
    for (let n = 0; n < 20; n += 1) await newRun({ at: old + n });
    await newRun({ at: recent });
    await seal();
    const verifier = new AuditVerifier();
    for await (const record of auditRecords(store, { nowMs: sealedAt })) {
      verifier.take(record);
      if (record.type === 'seal') await remove();
    }
    expect(verifier.report({ isFile: false })).toMatchObject({ isIntact: true, removed: 20 });
  });

  const gone = `delete from run_event where run_id = '$kept'`;
  test.each([
    ['a journal is gone without a record of its removal', gone, 'cut-off'],
    ['and with it its place', `${gone}; delete from sealed_run where run_id = '$kept'`, 'missing'],
    ['a journal is not as it was', `update run_event set at = 1 where run_id = '$kept' and seq = 2`, 'edited'],
    ['what says what was removed is gone', 'delete from audit_entry', 'cut-off'],
    [
      'what says what was removed says more',
      `update audit_entry set detail = replace(detail::text, '"0', '"0-1,0')::json`,
      'edited',
    ],
  ])('is found out where %s', async (_, sql, kind) => {
    await newRun();
    const kept = await newRun({ at: recent });
    await seal();
    await remove();
    await seal();
    expect(await verify()).toMatchObject({ isIntact: true, removed: 1 });
    await tamper(store, sql.replaceAll('$kept', kept));
    expect(await verify()).toMatchObject({ isIntact: false, problem: { kind } });
  });

  test('is unchanged where the removal broke off in the middle', async () => {
    await newRun({ value: valueOf('c') });
    await seal();
    const url = new URL(store.url);
    const proxy = await faultProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const behind = openStore({ url: url.href, secretKey: testSecretKey });
    // The last thing that it writes is what the audit has to say: it waits for us there, and is killed.
    const client = await store.pool.connect();
    await client.query(`${neverEnded}; begin; select pg_advisory_xact_lock(4400002)`);
    const removing = removeRuns(behind, { endedBefore }).catch((error: unknown) => error);
    await expect
      .poll(async () => {
        const { rows } = await store.pool.query(`select from pg_locks where locktype = 'advisory' and not granted`);
        return rows.length;
      })
      .toBe(1);
    proxy.cutAll();
    expect(await removing).toBeInstanceOf(UnavailableError);
    await client.query('commit');
    client.release();
    await behind.close();
    await proxy.close();
    await expect.poll(async () => (await remove()).runs).toBe(1);
    expect(await verify()).toMatchObject({ isIntact: true, removed: 1, entries: 2 });
  });

  test('is the same however many processes remove', async () => {
    for (let n = 0; n < 10; n += 1) await newRun({ at: old + n });
    await seal();
    const removed = await Promise.all(Array.from({ length: 4 }, () => removeRuns(store, { endedBefore })));
    expect(removed.reduce((sum, one) => sum + (one?.runs ?? 0), 0)).toBe(10);
    expect(await verify()).toMatchObject({ isIntact: true, removed: 10 });
  });

  test('only retention may delete', async () => {
    const run = await newRun();
    await seal();
    for (const table of ['run_event', 'sealed_run'])
      await expect(store.pool.query(`delete from ${table} where run_id = $1`, [run])).rejects.toThrow(/append only/);
    for (const table of ['audit_entry', 'run_event', 'sealed_run'])
      await expect(
        store.pool.query(`begin; set local baton.removing = 'on'; delete from ${table}; commit`),
      ).rejects.toThrow(/append only/);
    const unsealed = await newRun();
    await expect(store.pool.query(`select remove_journals(array['${unsealed}']::uuid[])`)).rejects.toThrow(/sealed/);
  });
});
