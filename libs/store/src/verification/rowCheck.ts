/** Compares the rows of runs, which lists show, with their journals, and checks that large values exist. */
import { isDeepStrictEqual } from 'node:util';

import { type Run, begin, evolve, InvariantError, rowOf } from '@baton/engine';
import type { Json } from '@baton/primitives';

import type { AuditProblem } from '../audit/auditProblem.ts';
import type { AuditRecord } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { parseEvent } from '../journal/eventText.ts';
import { withinBytes } from '../journal/withinBytes.ts';
import { type RunSummary, summaryOf } from '../runs/runSummary.ts';

const batch = 200;

/** A run folded from its journal, as far as its events allow. */
interface FoldedRun {
  readonly id: string;
  run: Run | undefined;
  isBroken: boolean;
  /** Digests of the large values that the journal refers to. */
  readonly values: Set<string>;
}

export class RowCheck {
  readonly #database: Database;
  #folded: FoldedRun[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** Takes runs, each followed by its events; returns a problem of an earlier run. Rejects with `UnavailableError`. */
  async take(record: AuditRecord): Promise<AuditProblem | undefined> {
    if (record.type === 'event') this.#fold(record);
    if (record.type !== 'run') return undefined;
    const problem = this.#folded.length < batch ? undefined : await this.end();
    this.#folded.push({ id: record.id, run: undefined, isBroken: false, values: new Set() });
    return problem;
  }

  /** Checks the runs that were not compared yet. Rejects with `UnavailableError`. */
  async end(): Promise<AuditProblem | undefined> {
    const read = this.#folded.filter(({ run, isBroken }) => run !== undefined || isBroken);
    this.#folded = [];
    const rows = await this.#rows(read.map(({ id }) => id));
    for (const folded of read) {
      // An active run may have changed between the two reads: the second check reads both in one snapshot.
      const problem = problemOf(folded, rows.get(folded.id)) && (await this.#checkInSnapshot(folded.id));
      if (problem !== undefined) return problem;
    }
    return this.#missingValue(read);
  }

  #fold({ event, at, data }: Extract<AuditRecord, { type: 'event' }>): void {
    const folded = this.#folded.at(-1);
    if (folded === undefined || folded.isBroken) return;
    foldInto(folded, { type: event, at, data });
  }

  async #rows(ids: readonly string[]): Promise<ReadonlyMap<string, RunSummary>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#database.prisma.run.findMany({ where: { id: { in: [...ids] } } });
    return new Map(rows.map((row) => [row.id, summaryOf(row)]));
  }

  async #checkInSnapshot(id: string): Promise<AuditProblem | undefined> {
    return this.#database.prisma.$transaction(
      async (transaction) => {
        const row = await transaction.run.findUnique({ where: { id } });
        const folded: FoldedRun = { id, run: undefined, isBroken: false, values: new Set() };
        for (let after = 0; ;) {
          const events = await transaction.$queryRawUnsafe<PagedEvent[]>(pageOfRun, id, after);
          for (const event of events) if (!folded.isBroken) foldInto(folded, { ...event, at: Number(event.at) });
          const last = events.at(-1);
          // Removed since the first read; the audit entry of the removal is verified elsewhere.
          if (row === null && after === 0 && last === undefined) return undefined;
          if (last === undefined) break;
          after = last.seq;
        }
        return problemOf(folded, row === null ? undefined : summaryOf(row));
      },
      { isolationLevel: 'RepeatableRead' },
    );
  }

  async #missingValue(read: readonly FoldedRun[]): Promise<AuditProblem | undefined> {
    const wanted = read.flatMap(({ id, values }) => [...values].map((sha256) => ({ id, sha256 })));
    if (wanted.length === 0) return undefined;
    const [missing] = await queryRows<{ id: string; sha256: string }>(
      this.#database.pool,
      `select id, sha256 from unnest($1::text[], $2::text[]) as w(id, sha256)
      where not exists (select from blob where blob.sha256 = decode(w.sha256, 'hex'))
        and exists (select from run where run.id = w.id::uuid) limit 1`,
      [wanted.map(({ id }) => id), wanted.map(({ sha256 }) => sha256)],
    );
    if (missing === undefined) return undefined;
    const message = `Run ${missing.id} refers to it, but it is missing.`;
    return { kind: 'missing', where: `value ${missing.sha256}`, message };
  }
}

interface PagedEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: bigint;
  readonly data: string;
}

const pageOfRun = withinBytes(
  `select seq, type, at, data::text as data from run_event where run_id = $1::uuid and seq > $2::int
   order by seq limit 1000`,
  'seq',
);

function foldInto(folded: FoldedRun, { type, at, data }: { type: string; at: number; data: string }): void {
  try {
    const event = parseEvent(type, at, data);
    folded.run = folded.run === undefined ? begin(folded.id, event) : evolve(folded.run, event);
    collectValues(event, folded.values);
  } catch (error) {
    // The checks of chain and marks report such a journal; here there is just no run to compare with.
    if (!(error instanceof InvariantError || error instanceof SyntaxError || error instanceof TypeError)) throw error;
    folded.isBroken = true;
  }
}

/** Values under these keys come from outside: one that looks like a reference to a stored value is none. */
const foreignKeys = new Set(['json', 'details', 'detail', 'payload', 'form', 'answer', 'onExpire']);

function collectValues(within: unknown, into: Set<string>): void {
  if (typeof within !== 'object' || within === null) return;
  for (const [key, value] of Object.entries(within)) {
    if (foreignKeys.has(key)) continue;
    if (key === 'blob' && isReference(value)) into.add(value.sha256);
    else collectValues(value, into);
  }
}

const isReference = (value: unknown): value is { readonly sha256: string } =>
  typeof value === 'object' && value !== null && 'sha256' in value && /^[\da-f]{64}$/.test(String(value.sha256));

function problemOf({ id, run, isBroken }: FoldedRun, row: RunSummary | undefined): AuditProblem | undefined {
  const where = `run ${id}`;
  if (isBroken || run === undefined) return { kind: 'edited', where, message: 'Its events contradict each other.' };
  if (row === undefined) return { kind: 'missing', where, message: 'Its journal exists, but its row is missing.' };
  const expected = shownOf(run);
  const shown = asJson(row);
  const isUnkept = (name: string): boolean => keptSince.has(name) && shown[name] === 0;
  const wrong = Object.keys(expected).find(
    (name) => !isUnkept(name) && !isDeepStrictEqual(shown[name], expected[name]),
  );
  if (wrong === undefined) return undefined;
  return { kind: 'edited', where, message: `The \`${wrong}\` in lists differs from its journal.` };
}

/** Columns that are 0 in rows of older versions. */
const keptSince = new Set(['tokens', 'usd']);

/** The columns that the run's row must have. */
function shownOf(run: Run): Readonly<Record<string, Json | undefined>> {
  const { workflow, version, definition, trigger, by, tags, priority, depth, inputs, createdAt, parent, rerunOf } = run;
  const fixed = {
    workflow,
    version,
    definition,
    trigger,
    by,
    tags,
    priority,
    depth,
    inputs,
    createdAt,
    parent,
    rerunOf,
  };
  const { wakeAt, ...row } = rowOf(run);
  return asJson({ ...fixed, ...row, wakeAt: wakeAt === undefined ? undefined : Math.round(wakeAt) });
}

/** Converts each value as writing it as JSON would; undefined values keep their keys. */
const asJson = (value: object): Readonly<Record<string, Json | undefined>> =>
  Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      one === undefined ? undefined : (JSON.parse(JSON.stringify(one)) as Json),
    ]),
  );
