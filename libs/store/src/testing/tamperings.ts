/** Changes that an owner of the database may make, and what `verify` must report for each. */
import { sealHash } from '../audit/record.ts';
import { AuditKeys } from '../database/auditKeys.ts';
import { genesis } from '../journal/chain.ts';
import type { Store } from '../openStore.ts';
import { definitionOf } from '../workflows/definitions.ts';
import { forge, rehash, rehashEntries, reseal, tamper } from './forgery.ts';

/** Runs, keys and versions, some of them sealed. */
export interface TamperedTrail {
  readonly store: Store;
  readonly ids: {
    readonly first: string;
    readonly second: string;
    /** A run that waits for an answer and is not sealed. */
    readonly waiting: string;
    readonly key: string;
    readonly revoked: string;
  };
  /** The instant of the last event. */
  readonly at: number;
}

const sql =
  (text: (trail: TamperedTrail) => string) =>
  (trail: TamperedTrail): Promise<void> =>
    tamper(trail.store, text(trail));

export const changeFirst = (trail: TamperedTrail): Promise<void> =>
  tamper(
    trail.store,
    `update run_event set data = replace(data::text, '100', '666')::json where run_id = '${trail.ids.first}' and type = 'run.finished';
     update run set outputs = '{"json":{"amount":666}}' where id = '${trail.ids.first}'`,
  );

const changeEntry = (trail: TamperedTrail): Promise<void> =>
  tamper(
    trail.store,
    `update audit_entry set by = 'eve' where action = 'workflow.deployed'; update workflow_version set deployed_by = 'eve'`,
  );

export type TamperingCase = readonly [
  what: string,
  kind: string | RegExp,
  where: string | RegExp,
  attack: (trail: TamperedTrail) => Promise<void>,
];

export const journals: readonly TamperingCase[] = [
  [
    'an event, as it is',
    'edited',
    /event 5$/,
    sql((trail) => `update run_event set data = '{}' where run_id = '${trail.ids.first}' and seq = 5`),
  ],
  [
    'an event away',
    'missing',
    /event 3$/,
    sql((trail) => `delete from run_event where run_id = '${trail.ids.first}' and seq = 3`),
  ],
  [
    'the end away',
    'cut-off',
    /event 4$/,
    sql((trail) => `delete from run_event where run_id = '${trail.ids.first}' and seq > 3`),
  ],
  [
    'a sealed journal, hashes right',
    'edited',
    /^run /,
    async (trail) => {
      await changeFirst(trail);
      await rehash(trail.store, trail.ids.first);
    },
  ],
  [
    'a sealed journal and the head that was sealed',
    'forged',
    /event 5$/,
    async (trail) => {
      await changeFirst(trail);
      const head = await rehash(trail.store, trail.ids.first);
      await tamper(
        trail.store,
        `update sealed_run set head = decode('${head}', 'hex') where run_id = '${trail.ids.first}'`,
      );
    },
  ],
  [
    'a sealed journal and all seals',
    'forged',
    'seal 1',
    async (trail) => {
      await changeFirst(trail);
      await rehash(trail.store, trail.ids.first);
      await reseal(trail.store);
    },
  ],
  [
    'a sealed journal and all seals, signed with a key of their own',
    'forged',
    /event 5$/,
    async (trail) => {
      await changeFirst(trail);
      await rehash(trail.store, trail.ids.first);
      await reseal(trail.store, new AuditKeys(Buffer.alloc(32, 9)));
    },
  ],
  [
    'a journal that is not sealed, hashes right',
    'forged',
    /event 2$/,
    async (trail) => {
      await tamper(
        trail.store,
        `update run_event set data = replace(data::text, '"w"', '"v"')::json where run_id = '${trail.ids.waiting}' and seq = 2;
         update run set worker = 'v' where id = '${trail.ids.waiting}'`,
      );
      await rehash(trail.store, trail.ids.waiting);
    },
  ],
  [
    'an invented answer',
    'forged',
    /event 5$/,
    (trail) => forge(trail.store, trail.ids.waiting, 'question.answered', { path: 'ok', answer: true, by: 'the boss' }),
  ],
  [
    'an invented answer, with the mark of another event',
    'forged',
    /event 5$/,
    (trail) =>
      forge(
        trail.store,
        trail.ids.waiting,
        'question.answered',
        { path: 'ok', answer: true, by: 'the boss' },
        '(array_agg(mark))[1]',
      ),
  ],
  [
    'an invented answer, in a journal with the claim to be from before marks',
    'forged',
    /event 5$/,
    async (trail) => {
      await forge(trail.store, trail.ids.waiting, 'question.answered', { path: 'ok', answer: true, by: 'the boss' });
      await tamper(
        trail.store,
        `insert into mark_start (run_id, key, seq, head, mark) select run_id, '${trail.store.auditKeys.id}', seq, hash, '\\x00112233445566778899aabbccddeeff'
         from run_event where run_id = '${trail.ids.waiting}' and seq = 5`,
      );
    },
  ],
];

export const entriesAndSeals: readonly TamperingCase[] = [
  ['an entry, as it is', 'edited', 'entry 2', sql(() => `update audit_entry set by = 'eve' where seq = 2`)],
  ['an entry away', 'missing', 'entry 2', sql(() => 'delete from audit_entry where seq = 2')],
  [
    'an entry, hashes right',
    'forged',
    /^entry /,
    async (trail) => {
      await changeEntry(trail);
      await rehashEntries(trail.store);
    },
  ],
  [
    'an entry, hashes and seals right',
    'forged',
    'entry 2',
    async (trail) => {
      await changeEntry(trail);
      await rehashEntries(trail.store);
      await reseal(trail.store);
    },
  ],
  [
    'a removal that never was, and the run with it',
    'forged',
    /^entry /,
    async (trail) => {
      const { rows } = await trail.store.pool.query<{ seal: number; place: number }>(
        'select seal, place from sealed_run where run_id = $1',
        [trail.ids.second],
      );
      const detail = {
        endedBefore: new Date(trail.at + 1).toISOString(),
        runs: 1,
        seals: { [rows[0]?.seal ?? 0]: `${rows[0]?.place}` },
      };
      await tamper(
        trail.store,
        `insert into audit_entry (seq, at, by, action, target, detail, hash)
           select max(seq) + 1, ${trail.at}, 'retention', 'runs.removed', 'seal 2', '${JSON.stringify(detail)}', '' from audit_entry;
         delete from run_event where run_id = '${trail.ids.second}'; delete from run where id = '${trail.ids.second}'`,
      );
      await rehashEntries(trail.store);
    },
  ],
  ['a seal, as it is', 'edited', 'seal 1', sql(() => 'update seal set at = 0 where number = 1')],
  ['a seal away', 'missing', 'seal 1', sql(() => 'delete from seal where number = 1')],
  [
    'a run out of its seal',
    'missing',
    /^seal 1/,
    sql((trail) => `delete from sealed_run where run_id = '${trail.ids.first}'`),
  ],
  [
    'the first seal, its own hash right',
    'edited',
    'seal 2',
    async (trail) => {
      const { rows } = await trail.store.pool.query(
        `select number, 0 as at, runs, encode(root, 'hex') as root, entries, encode(entry_hash, 'hex') as "entryHash" from seal where number = 1`,
      );
      const head = sealHash(genesis, rows[0]);
      await tamper(
        trail.store,
        `update seal set at = 0, hash = decode('${head}', 'hex'), key = null, signature = null where number = 1`,
      );
    },
  ],
  [
    'every seal and every entry away',
    /forged|cut-off/,
    /entries|seal/,
    sql(() => 'delete from sealed_run; delete from seal; delete from audit_entry'),
  ],
  [
    'everything anew, from the first entry on, and no seal',
    /forged|cut-off/,
    /entries|seal/,
    async (trail) => {
      await changeFirst(trail);
      await tamper(
        trail.store,
        // In two steps: rows are changed in the order of the disk, and no two may have one number at any moment.
        `delete from sealed_run; delete from seal; delete from audit_entry where action = 'audit.begun';
        update audit_entry set seq = -seq; update audit_entry set seq = -seq - 1`,
      );
      await rehash(trail.store, trail.ids.first);
      await rehashEntries(trail.store);
    },
  ],
];

/** What makes a background task of Baton vouch for a change, where it believes the database. */
export const forBackgroundTasks: readonly TamperingCase[] = [
  [
    'an invented entry at the end, which the next seal would cover',
    'forged',
    'entry 7',
    async (trail) => {
      await tamper(
        trail.store,
        `insert into audit_entry (seq, at, by, action, target, detail, hash)
           select max(seq) + 1, ${trail.at}, 'eve', 'secret.deleted', 'A', '{}', '' from audit_entry`,
      );
      await rehashEntries(trail.store);
    },
  ],
  [
    'the last entries away, which later ones would cover',
    'cut-off',
    'entry 6',
    sql(() => 'delete from audit_entry where seq = 6'),
  ],
  [
    'everything anew, without any mark',
    /forged|cut-off/,
    /entries|seal/,
    async (trail) => {
      await changeFirst(trail);
      await tamper(
        trail.store,
        `delete from sealed_run; delete from seal; delete from audit_entry where action = 'audit.begun';
         update audit_entry set seq = 1 - seq, mark = null; update audit_entry set seq = -seq; update run_event set mark = null, xact = null`,
      );
      for (const runId of [trail.ids.first, trail.ids.second, trail.ids.waiting]) await rehash(trail.store, runId);
      await rehashEntries(trail.store);
    },
  ],
  [
    'the end of a run, so that retention would remove it',
    'edited',
    /^run /,
    sql((trail) => `update run set ended_at = 'epoch' where id = '${trail.ids.second}'`),
  ],
  [
    'the end of a run, and its event, so that retention would remove it',
    'edited',
    /event 3$/,
    async (trail) => {
      await tamper(
        trail.store,
        `update run set ended_at = 'epoch' where id = '${trail.ids.second}';
         update run_event set at = 0 where run_id = '${trail.ids.second}' and type = 'run.finished'`,
      );
    },
  ],
  [
    'which place in a seal an old run has, so that its removal would excuse that of another one',
    'missing',
    /^seal 1/,
    sql(
      (trail) => `delete from run_event where run_id = '${trail.ids.second}';
        delete from run where id = '${trail.ids.second}';
        create temporary table place as select * from sealed_run where run_id = '${trail.ids.second}';
        delete from sealed_run where run_id = '${trail.ids.second}';
        update sealed_run set seal = place.seal, place = place.place from place where sealed_run.run_id = '${trail.ids.first}';
        drop table place`,
    ),
  ],
];

export const shownBesides: readonly TamperingCase[] = [
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
    async (trail) => {
      const other = definitionOf('workflow: hello\nsteps:\n  - set: { amount: 666 }\n', 'yaml', {});
      await tamper(
        trail.store,
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
  ['a large value away', 'missing', /^value /, sql(() => 'delete from blob_use; delete from blob')],
  [
    'outputs of a run',
    'edited',
    /^run /,
    sql((trail) => `update run set outputs = '{"json":{"amount":1}}' where id = '${trail.ids.first}'`),
  ],
  ['who started a run', 'edited', /^run /, sql((trail) => `update run set by = 'eve' where id = '${trail.ids.first}'`)],
  [
    'how a run ended',
    'edited',
    /^run /,
    sql((trail) => `update run set status = 'failed' where id = '${trail.ids.first}'`),
  ],
  [
    'which workflow it was',
    'edited',
    /^run /,
    sql((trail) => `update run set workflow = 'other' where id = '${trail.ids.first}'`),
  ],
  [
    'when it ended',
    'edited',
    /^run /,
    sql((trail) => `update run set ended_at = now() where id = '${trail.ids.first}'`),
  ],
  ['the row of a run away', 'missing', /^run /, sql((trail) => `delete from run where id = '${trail.ids.first}'`)],
  [
    'the row of a run that is not over away',
    'missing',
    /^run /,
    sql((trail) => `delete from run where id = '${trail.ids.waiting}'`),
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
    sql((trail) => `update api_key set scopes = '{admin}' where id = '${trail.ids.key}'`),
  ],
  [
    'the secret of a key',
    'edited',
    'key auditor',
    sql((trail) => `update api_key set secret_hash = '\\x00' where id = '${trail.ids.key}'`),
  ],
  [
    'a revoked key to be good again',
    'edited',
    'key former',
    sql((trail) => `update api_key set revoked_at = null where id = '${trail.ids.revoked}'`),
  ],
];
