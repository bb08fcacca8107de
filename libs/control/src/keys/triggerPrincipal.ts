import type { Principal } from './scopes.ts';

/** A schedule, a webhook, a device or a watched resource: it starts its own workflow, and nothing else. */
export const triggerPrincipal = (by: string, workflow: string): Principal => ({
  id: by,
  name: by,
  actor: { kind: 'service', id: by, name: by },
  by,
  scopes: new Set(['runs:write']),
  workflows: new Set([workflow]),
  isTrigger: true,
});
