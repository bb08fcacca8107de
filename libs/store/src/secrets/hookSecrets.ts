/** With which secrets webhooks are signed: those of the newest version of each workflow that is deployed. */
import { compileTriggers, parsing } from '@baton/language';
import { inTurns } from '@baton/runner';

import type { Database } from '../openStore.ts';
import { getDefinition } from '../workflows/definitions.ts';

/** Their names, as of when this is called. Each definition is read once. Rejects with `UnavailableError`. */
export function hookSecrets(database: Database): () => Promise<ReadonlySet<string>> {
  let kept = new Map<string, readonly string[]>();
  return async () => {
    const rows = await database.prisma.$queryRaw<{ digest: string }[]>`
      select distinct version.digest from workflow
      join workflow_version version on version.workflow_id = workflow.id and version.version = workflow.latest
      where workflow.deleted_at is null`;
    const now = new Map<string, readonly string[]>();
    for (const { digest } of rows) now.set(digest, kept.get(digest) ?? (await namesIn(database, digest)));
    kept = now;
    return new Set([...now.values()].flat());
  };
}

async function namesIn(database: Database, digest: string): Promise<readonly string[]> {
  const definition = await getDefinition(database, digest);
  const { workflow } = definition === undefined ? {} : await inTurns(parsing(definition.source));
  if (workflow === undefined) return [];
  return compileTriggers(workflow).flatMap((trigger) => (trigger.kind === 'webhook' ? [trigger.secret] : []));
}
