import { randomBytes } from 'node:crypto';

import { type FreshStore, freshStore, requestedEvent, runningRow, tamper } from '@baton/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { putSecret } from '../secrets/secrets.ts';
import { Vault } from '../secrets/vault.ts';
import { auditLines, auditRecords } from './auditRecords.ts';
import { type AuditReport, type Checkpoint, AuditVerifier } from './auditVerifier.ts';
import { entryHash, listEntries } from './entries.ts';
import { sealRuns } from './sealRuns.ts';
import { findUnsealed, sealedUntil } from './unsealed.ts';

let store: FreshStore;

function onFreshStores(): void {
  beforeEach(async () => {
    store = await freshStore();
  });
  afterEach(() => store.close());
}

const nowMs = 1_900_000_000_000;
let clock = 1_800_000_000_000;

async function newRun(signals: number, isOver = true): Promise<string> {
  const { runId } = await store.request({ event: requestedEvent({ at: (clock += 1) }) });
  const opened = await store.journal.open(runId);
  const events = Array.from({ length: signals }, (_, n) => {
    return { type: 'signal.received', at: (clock += 1), name: `s${n}`, payload: null, by: 'x' } as const;
  });
  const end = { type: 'run.finished', at: (clock += 1), status: 'succeeded' } as const;
  const row = runningRow({ status: 'succeeded', endedAt: clock });
  await opened?.log.append(isOver ? { events: [...events, end], row } : { events });
  return runId;
}

const vault = new Vault(randomBytes(32));

/** Two seals: three runs, then one; and four entries, the first of which begins marks. One run is not over. */
async function trail(): Promise<{ runs: readonly string[]; open: string }> {
  const runs = [await newRun(2), await newRun(5), await newRun(0)];
  for (const name of ['A', 'B']) await putSecret(store, vault, { name, value: 'x', by: 'ada' });
  await sealRuns(store, { nowMs });
  runs.push(await newRun(1));
  await putSecret(store, vault, { name: 'C', value: 'x', by: 'ada' });
  await sealRuns(store, { nowMs: nowMs + 1 });
  return { runs, open: await newRun(3, false) };
}

async function verify(checkpoint?: Checkpoint): Promise<AuditReport> {
  const verifier = new AuditVerifier({ checkpoint });
  for await (const record of auditRecords(store, { nowMs, isWithUnsealed: true })) verifier.take(record);
  return verifier.report({ isFile: false });
}

async function exported(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of auditLines(auditRecords(store, { nowMs }))) lines.push(line.trimEnd());
  return lines;
}

function verifyLines(lines: readonly string[]): AuditReport {
  const verifier = new AuditVerifier();
  for (const line of lines) verifier.takeLine(line);
  return verifier.report({ isFile: true });
}

describe('sealing', () => {
  onFreshStores();

  test('seals each finished run once, and nothing else', async () => {
    const { runs } = await trail();
    expect(await sealRuns(store, { nowMs })).toEqual({ runs: 0, refused: 0, until: 0, isFull: false });
    const { rows } = await store.pool.query('select run_id, seal, place, seq from sealed_run order by seal, place');
    expect(rows).toEqual([4, 7, 2, 3].map((seq, i) => ({ run_id: runs[i], seal: i < 3 ? 1 : 2, place: i % 3, seq })));
  });

  test('finds a run that ended unnoticed, looking through all of them a few at a time', async () => {
    const runs = [await newRun(1), await newRun(1), await newRun(1)];
    expect(await sealedUntil(store)).toBe(0);
    await sealRuns(store, { nowMs });
    expect(await sealedUntil(store)).toBe(clock);
    const look = { endedBefore: nowMs, most: 10 };
    const first = await findUnsealed(store, { ...look, most: 2 });
    expect(first).toEqual({ next: runs[1] });
    expect(await findUnsealed(store, { ...look, before: first.next, most: 2 })).toEqual({});
    await newRun(1, false);
    expect(await findUnsealed(store, look)).toEqual({});
    await newRun(1);
    const endedAt = clock;
    const last = await newRun(1);
    expect(await findUnsealed(store, look)).toEqual({ from: endedAt });
    expect(await findUnsealed(store, { ...look, before: last })).toEqual({ from: endedAt });
    expect(await findUnsealed(store, { ...look, endedBefore: endedAt })).toEqual({});
  });

  test('by several processes at once makes one chain', async () => {
    for (let n = 0; n < 6; n += 1) await newRun(n);
    await Promise.all(Array.from({ length: 4 }, () => sealRuns(store, { nowMs })));
    expect(await verify()).toMatchObject({ isIntact: true, seals: 1, runs: 6 });
  });
});

describe('an untouched trail', () => {
  onFreshStores();

  test('is intact, in the database and as an export', async () => {
    await trail();
    const counts = { entries: 4, seals: 2, isIntact: true };
    const report = await verify();
    expect(report).toMatchObject({ ...counts, runs: 5, events: 20, checkpoint: { seal: 2 } });
    const lines = await exported();
    expect(verifyLines(lines)).toEqual({ ...report, runs: 4, events: 16 });
    expect(await verify(report.checkpoint)).toMatchObject({ isIntact: true });
  });

  test('is intact where there is nothing', async () => {
    expect(await verify()).toMatchObject({ isIntact: true });
    expect(verifyLines(await exported())).toMatchObject({ isIntact: true });
  });

  test('tells what was done, newest first, page by page', async () => {
    await trail();
    const first = await listEntries(store, { action: 'secret.set' }, { limit: 2 });
    expect(first.entries.map(({ target }) => target)).toEqual(['C', 'B']);
    const second = await listEntries(store, { action: 'secret.set' }, { limit: 2, before: first.next });
    expect(second).toMatchObject({ entries: [{ target: 'A', by: 'ada', detail: '{"version":1}' }] });
    expect((await listEntries(store, { by: 'bob' }, { limit: 2 })).entries).toEqual([]);
  });
});

describe('in the database, it is told when', () => {
  onFreshStores();

  const cases: readonly [string, string, string, (run: string, open: string) => string][] = [
    [
      'an event was edited',
      'edited',
      'event 3',
      (run) => `update run_event set data = '{}' where run_id = '${run}' and seq = 3`,
    ],
    ['an event is gone', 'missing', 'event 3', (run) => `delete from run_event where run_id = '${run}' and seq = 3`],
    [
      'the end of a journal is gone',
      'cut-off',
      'event 6',
      (run) => `delete from run_event where run_id = '${run}' and seq > 5`,
    ],
    [
      'two events have changed places',
      'reordered',
      'event 3',
      (run) =>
        `update run_event set seq = seq + 100 where run_id = '${run}' and seq in (3, 4);
         update run_event set seq = 107 - seq where run_id = '${run}' and seq > 100`,
    ],
    [
      'an event was added',
      'edited',
      'event 8',
      (run) =>
        `insert into run_event select run_id, 8, at, type, data, hash from run_event where run_id = '${run}' and seq = 7`,
    ],
    ['an entry was edited', 'edited', 'entry 2', () => `update audit_entry set by = 'bob' where seq = 2`],
    ['an entry is gone', 'missing', 'entry 2', () => 'delete from audit_entry where seq = 2'],
    ['the last entry is gone', 'cut-off', 'entry 4', () => 'delete from audit_entry where seq = 4'],
    ['a seal was edited', 'edited', 'seal 1', () => 'update seal set at = 0 where number = 1'],
    ['a seal is gone', 'missing', 'seal 1', () => 'delete from seal where number = 1'],
    ['a run was taken out of its seal', 'missing', 'seal 1', (run) => `delete from sealed_run where run_id = '${run}'`],
    [
      'an event of a run that is not over was edited',
      'edited',
      'event 2',
      (_, open) => `update run_event set at = 1 where run_id = '${open}' and seq = 2`,
    ],
  ];

  test.each(cases)('%s', async (_, kind, where, sql) => {
    const { runs, open } = await trail();
    await tamper(store, sql(runs[1] ?? '', open));
    const { isIntact, problem } = await verify();
    expect({ isIntact, kind: problem?.kind }).toEqual({ isIntact: false, kind });
    expect(problem?.where).toContain(where);
  });

  test('the last seals are gone, with a stored checkpoint', async () => {
    await trail();
    const { checkpoint } = await verify();
    await tamper(store, 'delete from sealed_run where seal = 2; delete from seal where number = 2');
    expect(await verify(checkpoint)).toMatchObject({ problem: { kind: 'cut-off', where: 'seal 2' } });
  });

  test('all of it was written anew, with a stored checkpoint', async () => {
    await trail();
    const { checkpoint } = await verify();
    await tamper(store, 'truncate seal, sealed_run');
    for (const at of [1, 2]) {
      await sealRuns(store, { nowMs: at });
      await newRun(1);
    }
    expect(await verify(checkpoint)).toMatchObject({ problem: { kind: 'edited', where: 'seal 2' } });
  });
});

const isEntry = ({ type }: { readonly type: string }): boolean => type === 'entry';

describe('in an export, it is told when', () => {
  let whole: readonly string[] = [];

  beforeAll(async () => {
    store = await freshStore();
    await trail();
    whole = await exported();
    await store.close();
  });

  type Change = (lines: string[], at: number) => void;
  const cases: readonly [string, string, Change][] = [
    [
      'a line was edited',
      'edited',
      (lines, at) =>
        void (lines[at] = (lines[at] ?? '').replace('"s2"', '"s9"').replace(String.raw`\"s2\"`, String.raw`\"s9\"`)),
    ],
    ['a line is gone', 'missing', (lines, at) => void lines.splice(at, 1)],
    [
      'two lines have changed places',
      'reordered',
      (lines, at) => void lines.splice(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
    ],
    [
      'a line was added',
      'edited',
      (lines, at) => void lines.splice(at, 0, (lines[at] ?? '').replace(/"at":\d+/, '"at":1')),
    ],
    ['it was cut off', 'cut-off', (lines, at) => void lines.splice(at)],
    ['only its end is gone', 'cut-off', (lines) => void lines.pop()],
    ['its beginning is gone', 'missing', (lines) => void lines.shift()],
    ['a line is no JSON', 'edited', (lines, at) => void (lines[at] = '{')],
    ['a line follows after its end', 'edited', (lines, at) => void lines.push(lines[at] ?? '')],
    ['it has a second end', 'edited', (lines) => void lines.push(lines.at(-1) ?? '')],
    ['the manifest was edited', 'edited', (lines) => void (lines[0] = (lines[0] ?? '').replace(/"at":\d+/, '"at":1'))],
  ];

  test.each(cases)('%s', (_, kind, change) => {
    const lines = [...whole];
    const at = lines.findIndex((line) => line.includes('"event"') && line.includes('s2'));
    change(lines, at);
    const report = verifyLines(lines);
    expect(report).toMatchObject({ isIntact: false, problem: { kind } });
  });

  test.each(['x', '{}', 'null', '{"runs":1,"seals":{"1":7}}', '{"runs":1,"seals":{"1":"all"}}'])(
    'an entry about removed runs says %j, under a hash that is right',
    (detail) => {
      const last = whole.map((line) => JSON.parse(line) as { type: string; hash: string }).findLast(isEntry);
      const entry = { seq: 5, at: nowMs, by: 'retention', action: 'runs.removed', target: 'seal 1', detail };
      const line = JSON.stringify({ type: 'entry', ...entry, hash: entryHash(last?.hash ?? '', entry) });
      const report = verifyLines([...whole.slice(0, -1), line, ...whole.slice(-1)]);
      expect(report).toMatchObject({ isIntact: false, problem: { kind: 'edited', where: 'entry 5' } });
    },
  );

  test('any member of any record has another value', () => {
    for (const [at, line] of whole.entries()) {
      const record = JSON.parse(line) as Record<string, unknown>;
      for (const name of [...Object.keys(record), ...(at === 0 ? ['from'] : [])])
        for (const value of [undefined, null, -1, 1e300, '', 'x', [], {}]) {
          const report = verifyLines(whole.with(at, JSON.stringify({ ...record, [name]: value })));
          expect([name, value, report.isIntact]).toEqual([name, value, name === 'from' && value === undefined]);
        }
    }
  });

  test('nothing is left', () => {
    expect(verifyLines([])).toMatchObject({ isIntact: false, problem: { kind: 'cut-off' } });
  });
});
