/** Findings about what GitHub's runner does for a job, and Baton, which has no runner, does not. */
import { childOf } from '@baton/expressions';
import type { JsonObject } from '@baton/primitives';

import type { Import } from '../importing.ts';
import { mapOf } from '../json.ts';
import { githubKeys } from './githubKeys.ts';
import type { GithubJob } from './githubSteps.ts';

const leftOut: Readonly<Record<string, string>> = {
  services: 'Baton starts no services: run them yourself.',
  container: 'Tools run where their MCP server runs, and not in this container.',
  environment: 'Baton has no environments. Where a reviewer has to approve, write an `ask` step.',
  permissions: permissions(),
  concurrency: 'Baton limits how many runs of a workflow go on, and not how many jobs.',
};

export function permissions(): string {
  return 'Baton gives no token to steps: what a tool may do depends on the credentials of its server.';
}

export function noteJob(importing: Import, { fields, pointer }: GithubJob): void {
  importing.noteOthers(fields, githubKeys.job, pointer, 'a job');
  importing.noteOthers(mapOf(fields['strategy']), githubKeys.strategy, childOf(pointer, 'strategy'), 'strategy');
  for (const [key, message] of Object.entries(leftOut))
    if (fields[key] !== undefined)
      importing.noteOnce('left-out', { pointer: childOf(pointer, key), at: 'key', message });
  if (fields['runs-on'] === undefined) return;
  const message =
    'Baton has no runner: steps share files, processes and variables only if the servers of their tools do.';
  importing.noteOnce('differs', { pointer: childOf(pointer, 'runs-on'), at: 'key', message });
}

/** Where a strategy is computed. */
export function noteMatrix(importing: Import, strategy: JsonObject, pointer: string): void {
  const computed: Readonly<Record<string, string>> = {
    'fail-fast': 'Whether a failed job stops the others cannot be computed: here it does.',
    'max-parallel': 'A limit that is computed is left out: here 8 jobs of a matrix run at the same time.',
  };
  for (const [key, message] of Object.entries(computed))
    if (typeof strategy[key] === 'string') importing.note('differs', { pointer: childOf(pointer, key), message });
}
