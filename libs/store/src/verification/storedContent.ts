/** Compares definitions and large values with their digests, and finds missing definitions. */
import { hash } from 'node:crypto';

import type { AuditProblem } from '../audit/auditProblem.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { readElsewhere } from '../values/valuePlace.ts';
import { digestOfDefinition } from '../workflows/definitions.ts';

const definitionsAtOnce = 100;
/** A value may have megabytes. */
const valuesAtOnce = 10;

/** Checks all definitions and values. Rejects with `UnavailableError`. */
export async function contentProblem(database: Database): Promise<AuditProblem | undefined> {
  return (await definitionProblem(database)) ?? (await missingDefinition(database)) ?? (await valueProblem(database));
}

async function definitionProblem({ prisma }: Database): Promise<AuditProblem | undefined> {
  for (let after = ''; ;) {
    const rows = await prisma.definition.findMany({
      where: { digest: { gt: after } },
      orderBy: { digest: 'asc' },
      take: definitionsAtOnce,
    });
    const wrong = rows.find((row) => digestOfDefinition(row) !== row.digest);
    if (wrong !== undefined)
      return { kind: 'edited', where: `definition ${wrong.digest}`, message: 'It does not match its digest.' };
    if (rows.length < definitionsAtOnce) return undefined;
    after = rows.at(-1)?.digest ?? after;
  }
}

/** A run refers to its definition for ever, and an inline definition belongs to no version: so runs are checked. */
async function missingDefinition({ pool }: Database): Promise<AuditProblem | undefined> {
  const [found] = await queryRows<{ id: string; definition: string }>(
    pool,
    `select id, definition from run
    where not exists (select from definition where digest = run.definition) order by id limit 1`,
  );
  if (found === undefined) return undefined;
  const message = `The run ${found.id} needs it, but it is missing.`;
  return { kind: 'missing', where: `definition ${found.definition}`, message };
}

async function valueProblem({ pool, values }: Database): Promise<AuditProblem | undefined> {
  for (let after = ''; ;) {
    const rows = await queryRows<{ digest: string; text: Buffer; place: string | null }>(
      pool,
      `select encode(sha256, 'hex') as digest, text, place from blob where sha256 > decode($1, 'hex')
      order by sha256 limit $2`,
      [after, valuesAtOnce],
    );
    for (const { digest, text, place } of rows) {
      const content = place === null ? text : await readElsewhere(values, place);
      const where = `value ${digest}`;
      if (content === undefined) return { kind: 'missing', where, message: `It is not in ${values?.name} any more.` };
      if (hash('sha256', content, 'hex') !== digest)
        return { kind: 'edited', where, message: 'It does not match its digest.' };
    }
    if (rows.length < valuesAtOnce) return undefined;
    after = rows.at(-1)?.digest ?? after;
  }
}
