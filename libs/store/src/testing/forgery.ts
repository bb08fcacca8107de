/** Forgeries by an owner of the database who knows every format and does not have the installation's key. */
import { type ChainedEntry, entryHash } from '../audit/entries.ts';
import { merkleRoot } from '../audit/merkle.ts';
import { leafOf, sealHash } from '../audit/record.ts';
import type { AuditKeys } from '../database/auditKeys.ts';
import { genesis, linkHash } from '../journal/chain.ts';
import type { Store } from '../openStore.ts';

/** Changes append-only tables. `sql`: one statement or several. */
export async function tamper({ pool }: Store, sql: string): Promise<void> {
  await pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
}

/** Recomputes the hashes of a journal, stores them, and returns the last one. */
export async function rehash(store: Store, runId: string): Promise<string> {
  const { rows } = await store.pool.query<{ seq: number; at: string; type: string; data: string }>(
    'select seq, at, type, data::text as data from run_event where run_id = $1 order by seq',
    [runId],
  );
  let head = genesis;
  for (const { seq, at, type, data } of rows) {
    head = linkHash(head, { runId, seq, at: Number(at), type, data });
    await tamper(
      store,
      `update run_event set hash = decode('${head}', 'hex') where run_id = '${runId}' and seq = ${seq}`,
    );
  }
  return head;
}

/** Recomputes the hash of every audit entry. */
export async function rehashEntries(store: Store): Promise<void> {
  const { rows } = await store.pool.query<ChainedEntry & { at: string }>(
    'select seq, at, by, action, target, detail::text as detail from audit_entry order by seq',
  );
  let head = genesis;
  for (const row of rows) {
    head = entryHash(head, { ...row, at: Number(row.at) });
    await tamper(store, `update audit_entry set hash = decode('${head}', 'hex') where seq = ${row.seq}`);
  }
}

/**
 * Recomputes all seals: heads, roots, entry hashes, own hashes. `keys`: signs them with these keys.
 */
export async function reseal(store: Store, keys?: AuditKeys): Promise<void> {
  await tamper(
    store,
    `update sealed_run set seq = last.seq, head = last.hash from (select distinct on (run_id) run_id, seq, hash
       from run_event order by run_id, seq desc) as last where last.run_id = sealed_run.run_id;
     update seal set entry_hash = audit_entry.hash from audit_entry where audit_entry.seq = seal.entries`,
  );
  let before = genesis;
  for (let number = 1; ; number += 1) {
    const { rows } = await store.pool.query(
      `select number, at, runs, entries, encode(entry_hash, 'hex') as "entryHash" from seal where number = $1`,
      [number],
    );
    if (rows[0] === undefined) return;
    const { rows: runs } = await store.pool.query<{ id: string; seq: number; head: string }>(
      `select run_id as id, seq, encode(head, 'hex') as head from sealed_run where seal = $1 order by place`,
      [number],
    );
    const root = merkleRoot(runs.map(leafOf));
    const head = sealHash(before, { ...rows[0], root });
    const signed = keys && `, key = '${keys.id}', signature = decode('${keys.sign({ hash: head })}', 'hex')`;
    await tamper(
      store,
      `update seal set root = decode('${root}', 'hex'), hash = decode('${head}', 'hex') ${signed ?? ''} where number = ${number}`,
    );
    before = head;
  }
}

/** Inserts an event that Baton never wrote, with the right hash. `mark`: an SQL expression. */
export async function forge(store: Store, runId: string, type: string, data: object, mark = 'null'): Promise<void> {
  const text = JSON.stringify(data).replaceAll("'", "''");
  await tamper(
    store,
    `insert into run_event (run_id, seq, at, type, data, hash, mark)
     select run_id, max(seq) + 1, max(at) + 1, '${type}', '${text}', '', ${mark} from run_event where run_id = '${runId}' group by run_id`,
  );
  await rehash(store, runId);
}
