/**
 * When runs ended, as their seals prove it. Retention asks: it writes into the audit that a place in a seal was removed, so
 * the run must be the one that was sealed there, and its end must not be one that the owner of the database wrote.
 */
import type { Pool } from 'pg';

import { type AuditKeys, type PublicKey, isSignedBy, readPublicKey } from '../database/auditKeys.ts';
import { queryRows } from '../database/queryRows.ts';
import { genesis, linkHash } from '../journal/chain.ts';
import { type BegunMarks, readBegun } from './marksBegun.ts';
import { merkleRoot } from './merkle.ts';
import { type Seal, type SealedRun, leafOf, sealHash } from './record.ts';
import { readSeals } from './storedSeals.ts';

type Client = Pick<Pool, 'query'>;

const pageSize = 1_000;

export interface ProvenEnd {
  /** Of the run. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly endedAt: number;
  readonly seal: number;
  readonly place: number;
}

/** By run. Runs whose seal or end is not proven are left out. Rejects with `UnavailableError`. */
export async function provenEnds(
  client: Client,
  keys: AuditKeys,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ProvenEnd>> {
  const begun = await readBegun(client, keys);
  const places = await sealedRuns(client, 'run_id = any($1::uuid[])', [ids]);
  if (begun === undefined) return new Map();
  const proven = new Set<number>();
  for (const number of new Set(places.map(({ seal }) => seal)))
    if (await isProven(client, trustOf(keys, begun), number)) proven.add(number);
  return endsOf(
    client,
    places.filter(({ seal }) => proven.has(seal)),
  );
}

interface TrustedSeals {
  readonly keys: readonly PublicKey[];
  readonly begun: BegunMarks;
}

/** Seals are signed with the installation's key, or with one that it replaced. */
const trustOf = (keys: AuditKeys, begun: BegunMarks): TrustedSeals => ({
  keys: [keys.publicKey, ...(begun.before ?? []).map(({ publicKey }) => publicKey)].flatMap(
    (pem) => readPublicKey(pem) ?? [],
  ),
  begun,
});

const isVouchedFor = ({ keys, begun }: TrustedSeals, seal: Seal): boolean =>
  (seal.number === begun.seals && seal.hash === begun.sealHash) ||
  keys.some((key) => key.id === seal.key && isSignedBy(key, seal, seal.signature ?? ''));

/** Whether the runs of the seal are those that were sealed. A seal without a signature is proven by a later one. */
async function isProven(client: Client, trust: TrustedSeals, number: number): Promise<boolean> {
  const runs = await sealedRuns(client, 'seal = $1', [number]);
  for (let after = Math.max(0, number - 2), before: string | undefined; ;) {
    const seals = await readSeals(client, { after, until: after + pageSize });
    for (const seal of seals) {
      if (seal.number === number - 1) {
        before = seal.hash;
        continue;
      }
      if (sealHash(before ?? genesis, seal) !== seal.hash) return false;
      if (seal.number === number && merkleRoot(runs.map(leafOf)) !== seal.root) return false;
      if (isVouchedFor(trust, seal)) return true;
      before = seal.hash;
    }
    if (seals.length < pageSize) return false;
    after += pageSize;
  }
}

const sealedRuns = (client: Client, where: string, values: readonly unknown[]): Promise<readonly SealedRun[]> =>
  queryRows<SealedRun>(
    client,
    `select run_id as id, seal, place, seq, encode(head, 'hex') as head from sealed_run where ${where} order by seal, place`,
    values,
  );

interface EndRow {
  readonly id: string;
  readonly at: string;
  readonly type: string;
  readonly data: string;
  readonly before: string | null;
}

/** Only of journals whose last event is the one that was sealed. */
async function endsOf(client: Client, runs: readonly SealedRun[]): Promise<ReadonlyMap<string, ProvenEnd>> {
  const rows = await queryRows<EndRow>(
    client,
    `select sealed.id, last.at, last.type, last.data::text as data, encode(previous.hash, 'hex') as before
     from unnest($1::uuid[], $2::int[]) as sealed(id, seq)
       join run_event as last on last.run_id = sealed.id and last.seq = sealed.seq
       left join run_event as previous on previous.run_id = sealed.id and previous.seq = sealed.seq - 1`,
    [runs.map(({ id }) => id), runs.map(({ seq }) => seq)],
  );
  const sealed = new Map(runs.map((run) => [run.id, run]));
  return new Map(
    rows.flatMap(({ id, before, at, ...event }) => {
      const { seq, head, seal, place } = sealed.get(id) ?? { seq: 0, head: '', seal: 0, place: 0 };
      const link = { runId: id, seq, at: Number(at), ...event };
      const isEnd = event.type === 'run.finished' && linkHash(before ?? genesis, link) === head;
      return isEnd ? [[id, { id, endedAt: link.at, seal, place }] as const] : [];
    }),
  );
}
