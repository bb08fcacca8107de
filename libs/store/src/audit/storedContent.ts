/** Compares definitions and large values with their digests. */
import { hash } from 'node:crypto';

import type { Database } from '../database/database.ts';
import { digestOfDefinition } from '../workflows/definitions.ts';
import type { AuditProblem } from './auditProblem.ts';

const definitionsAtOnce = 100;
/** Each may have megabytes. */
const valuesAtOnce = 10;

/** Of all of both. Rejects with `UnavailableError`. */
export async function contentProblem(database: Database): Promise<AuditProblem | undefined> {
  return (await definitionProblem(database)) ?? (await valueProblem(database));
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
      return { kind: 'edited', where: `definition ${wrong.digest}`, message: 'It does not have its digest.' };
    if (rows.length < definitionsAtOnce) return undefined;
    after = rows.at(-1)?.digest ?? after;
  }
}

async function valueProblem({ prisma }: Database): Promise<AuditProblem | undefined> {
  for (let after = ''; ;) {
    const rows = await prisma.$queryRaw<{ digest: string; text: Uint8Array }[]>`
      select encode(sha256, 'hex') as digest, text from blob where sha256 > decode(${after}, 'hex')
      order by sha256 limit ${valuesAtOnce}`;
    const wrong = rows.find(({ digest, text }) => hash('sha256', text, 'hex') !== digest);
    if (wrong !== undefined)
      return { kind: 'edited', where: `value ${wrong.digest}`, message: 'It does not have its digest.' };
    if (rows.length < valuesAtOnce) return undefined;
    after = rows.at(-1)?.digest ?? after;
  }
}
