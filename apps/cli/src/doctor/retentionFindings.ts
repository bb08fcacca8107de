import type { Client } from '../client/client.ts';
import { ProblemError, UnreachableError } from '../client/problem.ts';
import type { DoctorFinding } from './finding.ts';
import { ok } from './finding.ts';

interface Retention {
  readonly runs: string;
  readonly records: string;
  readonly removable: { readonly runs: number; readonly records: number };
}

/** How long what is kept; nothing where the key may not see it, or the orchestrator has no such route yet. */
export async function retentionFindings(client: Client): Promise<DoctorFinding[]> {
  try {
    const { json } = await client.call('GET', '/v1/retention');
    const { runs, records, removable } = json as unknown as Retention;
    const next = runs === 'forever' ? '' : `; ${removable.runs} runs have been kept for longer`;
    return [ok('retention', `Finished runs are kept: ${runs}; keys and firings: ${records}${next}.`)];
  } catch (error) {
    // Both are told by others.
    if (error instanceof ProblemError || error instanceof UnreachableError) return [];
    throw error;
  }
}
