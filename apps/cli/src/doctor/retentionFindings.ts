import type { Client } from '@baton/api/client';
import { ProblemError, UnreachableError } from '@baton/api/client';

import type { DoctorFinding } from './finding.ts';
import { ok } from './finding.ts';

/** How long what is kept; nothing where the key may not see it, or the orchestrator has no such route yet. */
export async function retentionFindings(client: Client): Promise<DoctorFinding[]> {
  try {
    const { runs, records, removable } = await client.audit.retention();
    const next = runs === 'forever' ? '' : `; ${removable.runs} runs have been kept for longer`;
    return [ok('retention', `Finished runs are kept: ${runs}; keys and firings: ${records}${next}.`)];
  } catch (error) {
    // Both are told by others.
    if (error instanceof ProblemError || error instanceof UnreachableError) return [];
    throw error;
  }
}
