/** The deployed workflows whose tools of a server are not the ones that they were checked against. */
import { type Drift, type ToolDigests, driftOf } from '@baton/protocol';
import { type Definition, type Pins, getWorkflowVersion, listWorkflows } from '@baton/store';
import type { Servers } from '@baton/transports';

import { answerFor, maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import type { DeployParts } from './deployedWorkflows.ts';

export interface ApproveOptions extends DeployParts {
  readonly servers: Pick<Servers, 'catalogue'>;
}

export interface DriftedWorkflow {
  readonly workflow: string;
  readonly version: number;
  readonly definition: Definition;
  readonly changes: readonly Drift[];
  /** All its tools of the server as they are now; null: the server no longer has it. */
  readonly tools: Readonly<Record<string, ToolDigests | null>>;
}

const pageSize = 200;

/**
 * Only workflows that the key may see. Rejects with `FailureError` if the server does not list its tools, and with
 * `UnavailableError`.
 */
export async function driftedWorkflows(
  { store, servers }: ApproveOptions,
  server: string,
  principal: Principal,
): Promise<readonly DriftedWorkflow[]> {
  const { tools } = await answerFor(principal, servers.catalogue(server));
  const live = new Map(tools.map((tool) => [`${server}/${tool.name}`, tool]));
  const all: DriftedWorkflow[] = [];
  for (let after: string | undefined, isLast = false; !isLast;) {
    const page = await listWorkflows(store, { limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const { id: workflow, version } of page.workflows) {
      const found = maySee(principal, workflow) && (await getWorkflowVersion(store, workflow, version));
      if (found === false || found === undefined) continue;
      const { definition } = found;
      const pinned = pinsOfServer(definition.pins, server);
      const names = Object.keys(pinned);
      const changes = driftOf(pinned, new Map(names.map((name) => [name, live.get(name) ?? null])));
      if (changes.length === 0) continue;
      const now = Object.fromEntries(names.map((name) => [name, live.get(name)?.digests ?? null]));
      all.push({ workflow, version, definition, changes, tools: now });
    }
    after = page.next;
    isLast = after === undefined;
  }
  return all;
}

export const pinsOfServer = (pins: Pins, server: string): Pins =>
  Object.fromEntries(Object.entries(pins).filter(([key]) => key.startsWith(`${server}/`)));
