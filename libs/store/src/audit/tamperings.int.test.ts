/**
 * Goal: every change by the owner of the database of what is shown is found, also by an owner who knows every format, and
 * makes every hash right again. Method: one trail; each tampering is done, looked for without and with a checkpoint, and
 * taken back by copies of the tables.
 */
import { createHash, hash } from 'node:crypto';

import type { RunEvent } from '@baton/engine';
import { replay, rowOf } from '@baton/engine';
import type { NewBlob } from '@baton/runner';
import type { FreshStore } from '@baton/testing';
import { freshStore, requestedEvent, tamper, testSecretKey } from '@baton/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { genesis } from '../journal/chain.ts';
import { putApiKey, revokeApiKey } from '../keys/apiKeys.ts';
import { removeRuns } from '../retention/removeRuns.ts';
import { forge, rehash, rehashEntries, reseal } from '../testing/forgery.ts';
import { definitionOf, getDefinition } from '../workflows/definitions.ts';
import { deployWorkflow } from '../workflows/deployWorkflow.ts';
import { cachedPlans } from '../workflows/plans.ts';
import { getWorkflowVersion } from '../workflows/workflows.ts';
import { AuditKeys, readPublicKey } from './auditKeys.ts';
import { auditLines, auditRecords } from './auditRecords.ts';
import type { AuditReport, Checkpoint, VerifierOptions } from './auditVerifier.ts';
import { AuditVerifier } from './auditVerifier.ts';
import { beginMarks } from './beginMarks.ts';
import { sealHash } from './record.ts';
import { sealRuns } from './sealRuns.ts';
import { verifyAudit } from './verifyAudit.ts';

const nowMs = 1_750_000_000_000;
const keep = { runsMs: Infinity, recordsMs: Infinity };
const tables =
  'run run_event sealed_run seal audit_entry mark_start definition workflow_version workflow api_key blob blob_use'.split(
    ' ',
  );

let store: FreshStore;
let checkpoint: Checkpoint;
let clock = 1_700_000_000_000;
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

const verify = (before?: Checkpoint): Promise<AuditReport> => verifyAudit(store, { nowMs, keep, checkpoint: before });

beforeAll(async () => {
  store = await freshStore();
  await beginMarks(store, nowMs);
  const definition = definitionOf('workflow: hello\nsteps:\n  - set: { amount: 100 }\n', 'yaml', {});
  ids.digest = definition.digest;
  await deployWorkflow(store, { workflow: 'hello', definition, findings: [], by: 'ada' });
  for (const id of [ids.key, ids.revoked]) {
    const secretHash = createHash('sha256').update(id).digest();
    await putApiKey(store, { id, name: id, secretHash, scopes: ['runs:read'], createdBy: 'ada' });
  }
  await revokeApiKey(store, ids.revoked, 'ada');
  ids.first = await newRun(signal('a'), signal('b'), finished({ json: { amount: 100 } }));
  await sealRuns(store, { nowMs });
  ids.second = await newRun(finished({ json: { amount: 200 } }));
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

const sql = (text: () => string) => (): Promise<void> => tamper(store, text());

const changeFirst = (): Promise<void> =>
  tamper(
    store,
    `update run_event set data = replace(data::text, '100', '666')::json where run_id = '${ids.first}' and type = 'run.finished';
     update run set outputs = '{"json":{"amount":666}}' where id = '${ids.first}'`,
  );

const changeEntry = (): Promise<void> =>
  tamper(
    store,
    `update audit_entry set by = 'eve' where action = 'workflow.deployed'; update workflow_version set deployed_by = 'eve'`,
  );

type Case = readonly [what: string, kind: string | RegExp, where: string | RegExp, attack: () => Promise<void>];

const journals: readonly Case[] = [
  [
    'an event, as it is',
    'edited',
    /event 5$/,
    sql(() => `update run_event set data = '{}' where run_id = '${ids.first}' and seq = 5`),
  ],
  [
    'an event away',
    'missing',
    /event 3$/,
    sql(() => `delete from run_event where run_id = '${ids.first}' and seq = 3`),
  ],
  ['the end away', 'cut-off', /event 4$/, sql(() => `delete from run_event where run_id = '${ids.first}' and seq > 3`)],
  [
    'a sealed journal, hashes right',
    'edited',
    /^run /,
    async () => {
      await changeFirst();
      await rehash(store, ids.first);
    },
  ],
  [
    'a sealed journal and the head that was sealed',
    'forged',
    /event 5$/,
    async () => {
      await changeFirst();
      const head = await rehash(store, ids.first);
      await tamper(store, `update sealed_run set head = decode('${head}', 'hex') where run_id = '${ids.first}'`);
    },
  ],
  [
    'a sealed journal and all seals',
    'forged',
    'seal 1',
    async () => {
      await changeFirst();
      await rehash(store, ids.first);
      await reseal(store);
    },
  ],
  [
    'a sealed journal and all seals, signed with a key of their own',
    'forged',
    'seal 1',
    async () => {
      await changeFirst();
      await rehash(store, ids.first);
      await reseal(store, new AuditKeys(Buffer.alloc(32, 9)));
    },
  ],
  [
    'a journal that is not sealed, hashes right',
    'forged',
    /event 2$/,
    async () => {
      await tamper(
        store,
        `update run_event set data = replace(data::text, '"w"', '"v"')::json where run_id = '${ids.waiting}' and seq = 2;
         update run set worker = 'v' where id = '${ids.waiting}'`,
      );
      await rehash(store, ids.waiting);
    },
  ],
  [
    'an invented answer',
    'forged',
    /event 5$/,
    () => forge(store, ids.waiting, 'question.answered', { path: 'ok', answer: true, by: 'the boss' }),
  ],
  [
    'an invented answer, with the mark of another event',
    'forged',
    /event 5$/,
    () =>
      forge(
        store,
        ids.waiting,
        'question.answered',
        { path: 'ok', answer: true, by: 'the boss' },
        '(array_agg(mark))[1]',
      ),
  ],
  [
    'an invented answer, in a journal with the claim to be from before marks',
    'forged',
    /event 5$/,
    async () => {
      await forge(store, ids.waiting, 'question.answered', { path: 'ok', answer: true, by: 'the boss' });
      await tamper(
        store,
        `insert into mark_start (run_id, key, seq, head, mark) select run_id, '${store.auditKeys.id}', seq, hash, '\\x00112233445566778899aabbccddeeff'
         from run_event where run_id = '${ids.waiting}' and seq = 5`,
      );
    },
  ],
];

const trails: readonly Case[] = [
  ['an entry, as it is', 'edited', 'entry 2', sql(() => `update audit_entry set by = 'eve' where seq = 2`)],
  ['an entry away', 'missing', 'entry 2', sql(() => 'delete from audit_entry where seq = 2')],
  [
    'an entry, hashes right',
    'forged',
    /^entry /,
    async () => {
      await changeEntry();
      await rehashEntries(store);
    },
  ],
  [
    'an entry, hashes and seals right',
    'forged',
    'entry 2',
    async () => {
      await changeEntry();
      await rehashEntries(store);
      await reseal(store);
    },
  ],
  [
    'a removal that never was, and the run with it',
    'forged',
    /^entry /,
    async () => {
      const { rows } = await store.pool.query<{ seal: number; place: number }>(
        'select seal, place from sealed_run where run_id = $1',
        [ids.second],
      );
      const detail = {
        endedBefore: new Date(clock + 1).toISOString(),
        runs: 1,
        seals: { [rows[0]?.seal ?? 0]: `${rows[0]?.place}` },
      };
      await tamper(
        store,
        `insert into audit_entry (seq, at, by, action, target, detail, hash)
           select max(seq) + 1, ${nowMs}, 'retention', 'runs.removed', 'seal 2', '${JSON.stringify(detail)}', '' from audit_entry;
         delete from run_event where run_id = '${ids.second}'; delete from run where id = '${ids.second}'`,
      );
      await rehashEntries(store);
    },
  ],
  ['a seal, as it is', 'edited', 'seal 1', sql(() => 'update seal set at = 0 where number = 1')],
  ['a seal away', 'missing', 'seal 1', sql(() => 'delete from seal where number = 1')],
  ['a run out of its seal', 'missing', /^seal 1/, sql(() => `delete from sealed_run where run_id = '${ids.first}'`)],
  [
    'the first seal, its own hash right',
    'forged',
    'seal 1',
    async () => {
      const { rows } = await store.pool.query(
        `select number, 0 as at, runs, encode(root, 'hex') as root, entries, encode(entry_hash, 'hex') as "entryHash" from seal where number = 1`,
      );
      const head = sealHash(genesis, rows[0]);
      await tamper(
        store,
        `update seal set at = 0, hash = decode('${head}', 'hex'), key = null, signature = null where number = 1`,
      );
    },
  ],
  [
    'every seal and every entry away',
    /forged|cut-off/,
    /key|version|seal/,
    sql(() => 'delete from sealed_run; delete from seal; delete from audit_entry'),
  ],
  [
    'everything anew, from the first entry on, and no seal',
    /unmarked|cut-off/,
    /entries|seal/,
    async () => {
      await changeFirst();
      await tamper(
        store,
        `delete from sealed_run; delete from seal; delete from audit_entry where action = 'audit.begun';
        update audit_entry set seq = seq - 1`,
      );
      await rehash(store, ids.first);
      await rehashEntries(store);
    },
  ],
];

const shown: readonly Case[] = [
  [
    'what was deployed',
    'edited',
    /^definition /,
    sql(() => `update definition set source = replace(source, '100', '666')`),
  ],
  [
    'what was deployed, under a digest of its own',
    'edited',
    'version 1 of hello',
    async () => {
      const other = definitionOf('workflow: hello\nsteps:\n  - set: { amount: 666 }\n', 'yaml', {});
      await tamper(
        store,
        `insert into definition (digest, format, source, pins, edition) values ('${other.digest}', 'yaml', '${other.source}', '{}', ${other.edition});
         update workflow_version set digest = '${other.digest}'`,
      );
    },
  ],
  [
    'an invented version',
    'forged',
    'version 2 of hello',
    sql(
      () =>
        `insert into workflow_version select workflow_id, 2, digest, findings, deployed_by, deployed_at from workflow_version; update workflow set latest = 2`,
    ),
  ],
  ['a large value', 'edited', /^value /, sql(() => `update blob set text = '"forged"'`)],
  ['a large value away', 'missing', /^value /, sql(() => 'delete from blob; delete from blob_use')],
  [
    'outputs of a run',
    'edited',
    /^run /,
    sql(() => `update run set outputs = '{"json":{"amount":1}}' where id = '${ids.first}'`),
  ],
  ['who started a run', 'edited', /^run /, sql(() => `update run set by = 'eve' where id = '${ids.first}'`)],
  ['how a run ended', 'edited', /^run /, sql(() => `update run set status = 'failed' where id = '${ids.first}'`)],
  [
    'which workflow it was',
    'edited',
    /^run /,
    sql(() => `update run set workflow = 'other' where id = '${ids.first}'`),
  ],
  ['when it ended', 'edited', /^run /, sql(() => `update run set ended_at = now() where id = '${ids.first}'`)],
  ['the row of a run away', 'missing', /^run /, sql(() => `delete from run where id = '${ids.first}'`)],
  [
    'the row of a run that is not over away',
    'missing',
    /^run /,
    sql(() => `delete from run where id = '${ids.waiting}'`),
  ],
  [
    'an invented key',
    'forged',
    'key intruder',
    sql(
      () =>
        `insert into api_key (id, name, secret_hash, scopes, created_by) values ('intruder', 'x', '', '{admin}', 'ada')`,
    ),
  ],
  [
    'what a key may',
    'edited',
    'key auditor',
    sql(() => `update api_key set scopes = '{admin}' where id = '${ids.key}'`),
  ],
  [
    'the secret of a key',
    'edited',
    'key auditor',
    sql(() => `update api_key set secret_hash = '\\x00' where id = '${ids.key}'`),
  ],
  [
    'a revoked key to be good again',
    'edited',
    'key former',
    sql(() => `update api_key set revoked_at = null where id = '${ids.revoked}'`),
  ],
];

test('the trail is intact before', async () => {
  const report = await verify(checkpoint);
  expect(report.problem).toBeUndefined();
  expect(report).toMatchObject({ isIntact: true, signedBy: store.auditKeys.id, warnings: [] });
});

describe.each([
  ['journals', journals],
  ['entries and seals', trails],
  ['what is shown beside them', shown],
])('who owns the database changes %s', (_, cases) => {
  test.each(cases)('%s', async (_what, kind, where, attack) => {
    await attack();
    for (const before of [undefined, checkpoint]) {
      const { isIntact, problem } = await verify(before);
      expect(isIntact).toBe(false);
      expect(problem?.kind).toMatch(kind);
      expect(problem?.where).toMatch(where);
    }
  });
});

describe('without the key, what follows the format is found by hashes alone', () => {
  const attack = (what: string): (() => Promise<void>) =>
    [...journals, ...trails].find(([name]) => name === what)?.[3] ?? (() => Promise.reject(new Error(what)));

  test.each([
    ['a sealed journal, hashes right', /^run /],
    ['a sealed journal and the head that was sealed', 'seal 1'],
    ['the first seal, its own hash right', 'seal 2'],
    ['an entry, hashes right', /^entry /],
  ])('%s', async (what, where) => {
    await attack(what)();
    const { problem } = await readExport({});
    expect(problem).toMatchObject({ kind: 'edited', where: expect.stringMatching(where) as string });
  });
});

/** Columns whose changes mean nothing: when it was made and used is for people to see. */
const unaudited = ['id', 'created_at', 'last_used_at'];

test('a change of any column of a key is found', async () => {
  const { rows } = await store.pool.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = current_schema and table_name = 'api_key'`,
  );
  const columns = rows.filter(({ name }) => !unaudited.includes(name));
  expect(columns.length).toBeGreaterThan(8);
  for (const { name, type } of columns) {
    const other = /time/.test(type) ? 'now()' : type === 'jsonb' ? `'{"runs":1}'` : type === 'ARRAY' ? `'{x}'` : `'x'`;
    await tamper(store, `update api_key set ${name} = ${other} where id = '${ids.key}'`);
    expect([name, (await verify()).problem]).toMatchObject([name, { kind: 'edited', where: 'key auditor' }]);
    await tamper(store, `delete from api_key; insert into api_key select * from kept.api_key`);
  }
});

async function readExport(options: VerifierOptions): Promise<AuditReport> {
  const verifier = new AuditVerifier(options);
  for await (const line of auditLines(auditRecords(store, { nowMs }))) verifier.takeLine(line.trimEnd());
  return verifier.report({ isFile: true });
}

describe('what is forged', () => {
  test('gets no seal: neither an end without its mark, nor a journal that was cut off', async () => {
    const over = await newRun(signal('c'), finished({ json: 1 }));
    const cut = await newRun(signal('d'), finished({ json: 1 }));
    await tamper(
      store,
      `update run_event set data = replace(data::text, '"json":1', '"json":2')::json where run_id = '${over}' and seq = 4;
       delete from run_event where run_id = '${cut}' and seq = 4`,
    );
    await rehash(store, over);
    expect(await sealRuns(store, { nowMs })).toMatchObject({ runs: 0, refused: 2 });
    expect(await verify()).toMatchObject({ isIntact: false });
  });

  test('is found in an export by who has the public key and nothing else', async () => {
    const publicKey = readPublicKey(new AuditKeys(testSecretKey).publicKey);
    expect(await readExport({ publicKey })).toMatchObject({ isIntact: true, signedBy: publicKey?.id });
    await changeFirst();
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
    await expect(getDefinition(store, ids.digest)).rejects.toThrow(/does not have its digest/);
    await expect(getWorkflowVersion(store, 'hello', 1)).rejects.toThrow(/does not have its digest/);
    await expect(cachedPlans(store)(ids.digest)).rejects.toThrow(/does not have its digest/);
    await expect(store.blobs.get(ids.large)).rejects.toThrow(/does not have its digest/);
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
