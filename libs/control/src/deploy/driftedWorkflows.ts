/** The deployed workflows whose tools of a server are not the ones that they were checked against. */
import { splitTarget } from '@baton/language';
import { type Drift, type PinnedTool, type ToolDigests, driftOf } from '@baton/protocol';
import { type Definition, type DeployedPinsReader, getWorkflowVersion } from '@baton/store';
import type { Servers } from '@baton/transports';

import { answerFor, maySee } from '../keys/keyAccess.ts';
import { personBehind } from '../keys/personBehind.ts';
import type { Principal } from '../keys/scopes.ts';
import type { DeployParts } from './deployedWorkflows.ts';

export interface ApproveOptions extends DeployParts {
  readonly servers: Pick<Servers, 'catalogue'>;
  readonly deployedPins: DeployedPinsReader;
}

export interface DriftedWorkflow {
  readonly workflow: string;
  readonly version: number;
  readonly definition: Definition;
  readonly changes: readonly Drift[];
  /** All its tools of the server as they are now; null: the server no longer has it. */
  readonly tools: Readonly<Record<string, ToolDigests | null>>;
}

/**
 * Only workflows that the key may see. Rejects with `FailureError` if the server does not list its tools, and with
 * `UnavailableError`.
 */
export async function driftedWorkflows(
  { store, servers, deployedPins }: ApproveOptions,
  server: string,
  principal: Principal,
): Promise<readonly DriftedWorkflow[]> {
  const { tools } = await answerFor(principal, servers.catalogue(server, undefined, personBehind(principal)));
  const live = new Map(tools.map((tool) => [`${server}/${tool.name}`, tool]));
  const changesOf = (pins: Readonly<Record<string, PinnedTool>>): readonly Drift[] =>
    driftOf(pins, new Map(Object.keys(pins).map((name) => [name, live.get(name) ?? null])));
  const all: DriftedWorkflow[] = [];
  for (const { workflow, version, pins } of await deployedPins()) {
    if (!maySee(principal, workflow) || changesOf(pinsOfServer(pins, server)).length === 0) continue;
    const { definition } = (await getWorkflowVersion(store, workflow, version)) ?? {};
    if (definition === undefined) continue;
    const pinned = pinsOfServer(definition.pins, server);
    const now = Object.fromEntries(Object.keys(pinned).map((name) => [name, live.get(name)?.digests ?? null]));
    all.push({ workflow, version, definition, changes: changesOf(pinned), tools: now });
  }
  return all;
}

export const pinsOfServer = <Kept>(pins: Readonly<Record<string, Kept>>, server: string): Record<string, Kept> =>
  Object.fromEntries(Object.entries(pins).filter(([tool]) => splitTarget(tool)[0] === server));
