/** Lists the secrets that sign webhooks: those of the newest version of each deployed workflow. */
import { compileTriggers, parsing } from '@baton/language';
import { type HookSecret, runWithYields } from '@baton/runner';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { getDefinition } from '../workflows/definitions.ts';

/** The returned function reads the current list, and each definition once. It rejects with `UnavailableError`. */
export function hookSecrets(database: Database): () => Promise<readonly HookSecret[]> {
  let kept = new Map<string, readonly HookSecret[]>();
  return async () => {
    const rows = await queryRows<{ digest: string }>(
      database.pool,
      `select distinct version.digest from workflow
      join workflow_version version on version.workflow_id = workflow.id and version.version = workflow.latest
      where workflow.deleted_at is null`,
    );
    const now = new Map<string, readonly HookSecret[]>();
    for (const { digest } of rows) now.set(digest, kept.get(digest) ?? (await hooksIn(database, digest)));
    kept = now;
    return [...now.values()].flat();
  };
}

async function hooksIn(database: Database, digest: string): Promise<readonly HookSecret[]> {
  const definition = await getDefinition(database, digest);
  const { workflow } = definition === undefined ? {} : await runWithYields(parsing(definition.source));
  if (workflow === undefined) return [];
  return compileTriggers(workflow).filter((trigger) => trigger.kind === 'webhook');
}
