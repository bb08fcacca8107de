/**
 * Goal: every change by the owner of the database of what is shown is found, also by an owner who knows every format, and
 * makes every hash right again. Method: one trail; each tampering is done, looked for without and with a checkpoint, and
 * taken back by copies of the tables.
 */
import { createHash, hash } from 'node:crypto';

import { type RunEvent, FailureError, replay, rowOf } from '@baton/engine';
import { type NewBlob, RunDrivers } from '@baton/runner';
import { type FreshStore, freshStore, requestedEvent, tamper, testPorts, testSecretKey } from '@baton/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { AuditKeys, readPublicKey } from '../database/auditKeys.ts';
import { putApiKey, revokeApiKey } from '../keys/apiKeys.ts';
import { openStore } from '../openStore.ts';
import { addPerson } from '../people/people.ts';
import { removeRuns } from '../retention/removeRuns.ts';
import { rehash, reseal } from '../testing/forgery.ts';
import {
  type TamperedTrail,
  type TamperingCase,
  changeFirst,
  entriesAndSeals,
  forBackgroundTasks,
  journals,
  shownBesides,
} from '../testing/tamperings.ts';
import { verifyAudit } from '../verification/verifyAudit.ts';
import { definitionOf, getDefinition } from '../workflows/definitions.ts';
import { deployWorkflow } from '../workflows/deployWorkflow.ts';
import { cachedPlans } from '../workflows/plans.ts';
import { getWorkflowVersion } from '../workflows/workflows.ts';
import { auditLines, auditRecords } from './auditRecords.ts';
import { type AuditReport, type Checkpoint, type VerifierOptions, AuditVerifier } from './auditVerifier.ts';
import { claimMarks } from './claimMarks.ts';
import { noteAction } from './entries.ts';
import { MarksError } from './marksError.ts';
import { sealRuns } from './sealRuns.ts';
import { newestSeals } from './storedSeals.ts';

const nowMs = 1_750_000_000_000;
const keep = { runsMs: Infinity, recordsMs: Infinity };
const tables =
  'run run_event sealed_run seal audit_entry mark_start definition workflow_version workflow api_key person blob blob_use'.split(
    ' ',
  );

let store: FreshStore;
let checkpoint: Checkpoint;
let clock = 1_700_000_000_000;
/** The first run ended before this instant, the second one was created before it and ended later. */
let keptFrom = 0;
/** What cases refer to. */
const ids = { first: '', second: '', waiting: '', large: '', digest: '', key: 'auditor', revoked: 'former' };

async function append(runId: string, events: readonly RunEvent[], blobs: readonly NewBlob[] = []): Promise<void> {
  const opened = await store.journal.open(runId);
  const run = replay(runId, [...(opened?.events ?? []), ...events]);
  await opened?.log.append({ events, row: rowOf(run), blobs });
}

async function newRun(...more: readonly RunEvent[]): Promise<string> {
  const { runId } = await store.request({ event: requestedEvent({ at: (clock += 1), definition: ids.digest }) });
  await append(runId, [{ type: 'run.claimed', at: (clock += 1), worker: 'w', claim: 1 }, ...more]);
  return runId;
}

const finished = (outputs: object): RunEvent =>
  ({ type: 'run.finished', at: (clock += 1), status: 'succeeded', outputs }) as RunEvent;

const signal = (name: string): RunEvent => ({ type: 'signal.received', at: (clock += 1), name, payload: 1, by: 'ada' });

const trail: TamperedTrail = {
  ids,
  get store() {
    return store;
  },
  get at() {
    return clock;
  },
};

const verify = (before?: Checkpoint): Promise<AuditReport> => verifyAudit(store, { nowMs, keep, checkpoint: before });

beforeAll(async () => {
  store = await freshStore();
  const definition = definitionOf(
    'workflow: hello\nsteps:\n  - set: { amount: 100 }\n  - { id: ok, ask: Pay? }\n',
    'yaml',
    {},
  );
  ids.digest = definition.digest;
  await deployWorkflow(store, { workflow: 'hello', definition, findings: [], by: 'ada' });
  for (const id of [ids.key, ids.revoked]) {
    const secretHash = createHash('sha256').update(id).digest();
    await putApiKey(store, { id, name: id, secretHash, scopes: ['runs:read'], createdBy: 'ada' });
  }
  await revokeApiKey(store, ids.revoked, 'ada');
  await addPerson(store, { id: 'ana', name: 'ana', grants: [{ role: 'viewer', on: ['hello'] }] }, 'ada');
  ids.first = await newRun(signal('a'), signal('b'), finished({ json: { amount: 100 } }));
  await sealRuns(store, { nowMs });
  ids.second = await newRun();
  keptFrom = clock += 1;
  await append(ids.second, [finished({ json: { amount: 200 } })]);
  const text = JSON.stringify('x'.repeat(70_000));
  const sha256 = hash('sha256', text, 'hex');
  ids.large = sha256;
  const withValue = await newRun();
  await append(withValue, [finished({ blob: { sha256, bytes: text.length, preview: 'x' } })], [{ sha256, text }]);
  const question = { message: 'Pay?', form: {} };
  ids.waiting = await newRun(
    {
      type: 'step.waiting',
      at: (clock += 1),
      path: 'ok',
      verb: 'ask',
      attempt: 1,
      awaiting: { for: 'answer', question },
    },
    { type: 'run.waiting', at: (clock += 1) },
  );
  await sealRuns(store, { nowMs: nowMs + 1 });
  checkpoint = (await verify()).checkpoint;
  await store.pool.query('create schema kept');
  for (const table of tables) await store.pool.query(`create table kept.${table} as table ${table}`);
});

afterEach(async () => {
  const back = tables.map((table) => `delete from ${table}; insert into ${table} select * from kept.${table}`);
  await tamper(store, back.join(';'));
});

afterAll(() => store.close());

test('the trail is intact before', async () => {
  const report = await verify(checkpoint);
  expect(report.problem).toBeUndefined();
  expect(report).toMatchObject({ isIntact: true, signedBy: store.auditKeys.id, warnings: [] });
});

describe.each([
  ['journals', journals],
  ['entries and seals', entriesAndSeals],
  ['what a background task would vouch for', forBackgroundTasks],
  ['what is shown beside them', shownBesides],
])('who owns the database changes %s', (_, cases) => {
  test.each(cases)('%s', async (_what, kind, where, attack) => {
    await attack(trail);
    for (const before of [undefined, checkpoint]) {
      const { isIntact, problem } = await verify(before);
      expect(isIntact).toBe(false);
      expect(problem?.kind).toMatch(kind);
      expect(problem?.where).toMatch(where);
    }
    await liveOn(cases === forBackgroundTasks ? keptFrom : 0);
    expect(await verify()).toMatchObject({ isIntact: false });
    await expectOnlyOwnWords();
  });
});

/**
 * What orchestrators and workers do in some minutes after a tampering: runs end and are sealed, runs that ended before an
 * instant are removed, the waiting run goes on, and all processes start again.
 */
async function liveOn(endedBefore: number): Promise<void> {
  const restarted = openStore({ url: store.url, secretKey: testSecretKey });
  try {
    for (let minute = 1; minute <= 2; minute += 1) {
      await newRun(finished({ json: minute }));
      await store.prisma.$transaction((transaction) =>
        noteAction(transaction, store, { by: 'ada', action: 'secret.set', target: 'A' }),
      );
      await removeRuns(store, { endedBefore });
      await sealRuns(store, { nowMs: nowMs + minute });
      await drivers().drive(ids.waiting).catch(expectOf(FailureError));
      await claimMarks(restarted).catch(expectOf(MarksError));
    }
  } finally {
    await restarted.close();
  }
}

const expectOf =
  (Kind: new (...values: never[]) => Error) =>
  (error: unknown): void =>
    expect(error).toBeInstanceOf(Kind);

const drivers = (): RunDrivers =>
  new RunDrivers(testPorts({ journal: store.journal, blobs: store.blobs, plans: cachedPlans(store) }));

/** What a signature covers is what this installation wrote: each event and each entry has its mark. */
async function expectOnlyOwnWords(): Promise<void> {
  const publicKey = readPublicKey(new AuditKeys(testSecretKey).publicKey);
  const { isIntact, checkpoint: signed } = await readExport({ publicKey });
  if (!isIntact) return;
  const [seal] = await newestSeals(store.pool);
  expect(seal?.number ?? 0).toBe(signed.seal);
  for await (const record of auditRecords(store, { nowMs, isWithMarks: true })) {
    if (record.type !== 'event' && (record.type !== 'entry' || record.seq > (seal?.entries ?? 0))) continue;
    expect(store.auditKeys.isMarked(record.hash, record.mark)).toBe(true);
  }
}

describe('without the key, what follows the format is found by hashes alone', () => {
  const attack = (what: string): TamperingCase[3] =>
    [...journals, ...entriesAndSeals].find(([name]) => name === what)?.[3] ?? (() => Promise.reject(new Error(what)));

  test.each([
    ['a sealed journal, hashes right', /^run /],
    ['a sealed journal and the head that was sealed', 'seal 1'],
    ['the first seal, its own hash right', 'seal 2'],
    ['an entry, hashes right', /^entry /],
  ])('%s', async (what, where) => {
    await attack(what)(trail);
    const { problem } = await readExport({});
    expect(problem).toMatchObject({ kind: 'edited', where: expect.stringMatching(where) as string });
  });
});

/** Columns whose changes mean nothing: when it was made and used is for people to see, and a voucher is sealed. */
const unaudited = new Set(['id', 'created_at', 'last_used_at', 'seen_at', 'voucher', 'asked_at']);

/** By the type of the column. */
const otherValues: Readonly<Record<string, string>> = {
  'timestamp with time zone': 'now()',
  jsonb: `'{"runs":1}'`,
  ARRAY: `'{x}'`,
};

test.each([
  ['api_key', 'key auditor'],
  ['person', 'person ana'],
])('a change of any column of %s is found', async (table, where) => {
  const { rows } = await store.pool.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = current_schema and table_name = $1`,
    [table],
  );
  const columns = rows.filter(({ name }) => !unaudited.has(name));
  expect(columns.length).toBeGreaterThan(6);
  for (const { name, type } of columns) {
    const other = otherValues[type] ?? `'x'`;
    await tamper(store, `update ${table} set ${name} = ${other} where id = '${where.split(' ')[1] ?? ''}'`);
    expect([name, (await verify()).problem]).toMatchObject([name, { kind: 'edited', where }]);
    await tamper(store, `delete from ${table}; insert into ${table} select * from kept.${table}`);
  }
});

async function readExport(options: VerifierOptions): Promise<AuditReport> {
  const verifier = new AuditVerifier(options);
  for await (const line of auditLines(auditRecords(store, { nowMs }))) verifier.takeLine(line.trimEnd());
  return verifier.report({ isFile: true });
}

describe('what is forged', () => {
  test('gets no seal: neither an end without its mark, nor a journal that was cut off or taken away', async () => {
    const over = await newRun(signal('c'), finished({ json: 1 }));
    const cut = await newRun(signal('d'), finished({ json: 1 }));
    const gone = await newRun(signal('e'), finished({ json: 1 }));
    await tamper(
      store,
      `update run_event set data = replace(data::text, '"json":1', '"json":2')::json where run_id = '${over}' and seq = 4;
       delete from run_event where run_id = '${cut}' and seq = 4 or run_id = '${gone}'`,
    );
    await rehash(store, over);
    expect(await sealRuns(store, { nowMs })).toMatchObject({ runs: 0, refused: 3 });
    expect(await verify()).toMatchObject({ isIntact: false });
  });

  test('is found in an export by who has the public key and nothing else', async () => {
    const publicKey = readPublicKey(new AuditKeys(testSecretKey).publicKey);
    expect(await readExport({ publicKey })).toMatchObject({ isIntact: true, signedBy: publicKey?.id });
    await changeFirst(trail);
    await rehash(store, ids.first);
    await reseal(store, new AuditKeys(Buffer.alloc(32, 9)));
    expect(await readExport({ publicKey })).toMatchObject({ isIntact: false, problem: { kind: 'forged' } });
    const unsigned = await readExport({});
    expect(unsigned.signedBy).toBeUndefined();
  });

  test('is not handed out', async () => {
    await tamper(
      store,
      `update definition set source = replace(source, '100', '666'); update blob set text = '"forged"'`,
    );
    await expect(getDefinition(store, ids.digest)).rejects.toThrow(/does not match its digest/);
    await expect(getWorkflowVersion(store, 'hello', 1)).rejects.toThrow(/does not match its digest/);
    await expect(cachedPlans(store)(ids.digest)).rejects.toThrow(/does not match its digest/);
    await expect(store.blobs.get(ids.large)).rejects.toThrow(/does not match its digest/);
  });

  test('is refused in the first place, where the triggers stand', async () => {
    for (const table of ['run_event', 'audit_entry', 'seal', 'sealed_run', 'mark_start'])
      for (const statement of [`update ${table} set key = ''`, `delete from ${table}`, `truncate ${table}`])
        await expect(store.pool.query(statement)).rejects.toThrow(/append only|does not exist/);
  });
});

test('a removal that the settings do not allow is told, and is no proof of anything', async () => {
  await removeRuns(store, { endedBefore: clock + 1 });
  const report = await verify();
  expect(report).toMatchObject({
    isIntact: true,
    warnings: [expect.stringMatching(/runs.removed .* BATON_KEEP_RUNS/) as string],
  });
  expect(await verifyAudit(store, { nowMs, keep: { runsMs: 1, recordsMs: 1 } })).toMatchObject({ warnings: [] });
});
