/** Lists what the newest versions of deployed workflows use secrets for. */
import { compile, compileTriggers, parsing, stepsOf } from '@baton/language';
import { type DeployedSecretUses, runWithYields } from '@baton/runner';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { getDefinition } from '../workflows/definitions.ts';

type Uses = {
  readonly [Kind in keyof DeployedSecretUses]: readonly Omit<DeployedSecretUses[Kind][number], 'workflow'>[];
};

/** The returned function reads the current list, and each definition once. It rejects with `UnavailableError`. */
export function deployedSecretUses(database: Database): () => Promise<DeployedSecretUses> {
  let kept = new Map<string, Uses>();
  return async () => {
    const rows = await queryRows<{ workflow: string; digest: string }>(
      database.pool,
      `select workflow.id as workflow, version.digest from workflow
      join workflow_version version on version.workflow_id = workflow.id and version.version = workflow.latest
      where workflow.deleted_at is null`,
    );
    const now = new Map<string, Uses>();
    for (const { digest } of rows)
      if (!now.has(digest)) now.set(digest, kept.get(digest) ?? (await usesIn(database, digest)));
    kept = now;
    const deployed = rows.map(({ workflow, digest }) => ({ workflow, uses: now.get(digest) ?? noUses }));
    return {
      hooks: deployed.flatMap(({ workflow, uses }) => uses.hooks.map((hook) => ({ ...hook, workflow }))),
      arguments: deployed.flatMap(({ workflow, uses }) => uses.arguments.map((one) => ({ ...one, workflow }))),
    };
  };
}

const noUses: Uses = { hooks: [], arguments: [] };

async function usesIn(database: Database, digest: string): Promise<Uses> {
  const definition = await getDefinition(database, digest);
  const { workflow } = definition === undefined ? {} : await runWithYields(parsing(definition.source));
  if (workflow === undefined) return noUses;
  const plan = compile(workflow);
  const given = stepsOf(plan).flatMap((step) => (step.verb === 'tool' ? step.with.secrets : []));
  return {
    hooks: compileTriggers(workflow).filter((trigger) => trigger.kind === 'webhook'),
    arguments: [...new Set(given)].map((secret) => ({ secret })),
  };
}
