import { type Client, ProblemError, UnreachableError } from '@baton/api/client';

import { type DoctorFinding, odd, ok } from './finding.ts';

type Retention = Awaited<ReturnType<Client['audit']['retention']>>;

/** Checks retention; empty if the key may not see it, or the orchestrator is too old to have the route. */
export async function retentionFindings(client: Client): Promise<DoctorFinding[]> {
  try {
    return findingsOf(await client.audit.retention());
  } catch (error) {
    // Other checks report both.
    if (error instanceof ProblemError || error instanceof UnreachableError) return [];
    throw error;
  }
}

/** How long data is kept, and which keys can remove it. */
export function findingsOf({ runs, records, removal, removable }: Retention): DoctorFinding[] {
  const next = runs === 'forever' ? '' : `; ${removable.runs} runs have been kept for longer`;
  const kept = ok('retention', `Finished runs are kept: ${runs}; keys and firings: ${records}${next}.`);
  if (removal === 'own-role') return [kept];
  const message = 'removal: setting. Each session of the role in DATABASE_URL can remove journals.';
  const hint =
    'let the role in DATABASE_URL make roles, and start an orchestrator; `baton audit verify` finds what is gone';
  return [kept, odd('removal', message, hint)];
}
