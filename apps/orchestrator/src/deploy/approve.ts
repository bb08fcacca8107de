/**
 * Approves changed tools of a server: each workflow that uses them gets a new version with the same text and the
 * current definitions. Changes of other servers are not approved along with it.
 */
import { ProblemError } from '@baton/api';
import type { Drift } from '@baton/protocol';
import { driftOf } from '@baton/protocol';
import type { Pins, Store } from '@baton/store';
import { definitionOf, deployWorkflow, getWorkflowVersion, listWorkflows, planOf } from '@baton/store';
import type { Servers } from '@baton/transports';

import { checkEffects } from '../keys/effects.ts';
import { answerFor, maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { placedTriggers } from '../schedules/placedTriggers.ts';
import type { Checker } from './checker.ts';
import { deployedWorkflowsFor } from './deployedWorkflows.ts';

export interface ApproveOptions {
  readonly store: Store;
  readonly checker: Checker;
  readonly servers: Pick<Servers, 'catalogue'>;
}

export interface ApprovedWorkflow {
  readonly workflow: string;
  /** The newest version now; the previous one if the deployment was refused, or nothing was done yet. */
  readonly version: number;
  readonly changes: readonly Drift[];
  /** Why the workflow does not fit the current tools, or why the key may not let it go on. */
  readonly refused?: string;
}

const pageSize = 200;

/**
 * Skips workflows that the key may not change. `isPreview`: deploys nothing. Rejects with `FailureError` if the server
 * does not list its tools, and with `UnavailableError`.
 */
export async function approve(
  options: ApproveOptions,
  server: string,
  { principal, isPreview }: { readonly principal: Principal; readonly isPreview: boolean },
): Promise<readonly ApprovedWorkflow[]> {
  const { tools } = await answerFor(principal, options.servers.catalogue(server));
  const live = new Map(tools.map((tool) => [`${server}/${tool.name}`, tool]));
  const all: ApprovedWorkflow[] = [];
  for (let after: string | undefined, isLast = false; !isLast;) {
    const page = await listWorkflows(options.store, { limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const { id: workflow, version } of page.workflows) {
      const found = maySee(principal, workflow) && (await getWorkflowVersion(options.store, workflow, version));
      if (found === false || found === undefined) continue;
      const { definition } = found;
      const pinned = ofServer(definition.pins, server);
      const changes = driftOf(pinned, new Map(Object.keys(pinned).map((key) => [key, live.get(key) ?? null])));
      if (changes.length === 0) continue;
      const next = isPreview
        ? { version }
        : await redeploy(options, server, { definition, workflow, version, principal });
      all.push({ workflow, changes, ...next });
    }
    after = page.next;
    isLast = after === undefined;
  }
  return all;
}

interface DeployedDefinition {
  readonly workflow: string;
  readonly version: number;
  readonly definition: NonNullable<Awaited<ReturnType<typeof getWorkflowVersion>>>['definition'];
  readonly principal: Principal;
}

async function redeploy(
  { store, checker }: ApproveOptions,
  server: string,
  { workflow: id, version, definition: before, principal }: DeployedDefinition,
): Promise<Pick<ApprovedWorkflow, 'version' | 'refused'>> {
  const { source, format } = before;
  try {
    const checked = await checker.deployable(source, deployedWorkflowsFor(store, principal));
    const { title, description, findings } = checked;
    const pins = { ...ofOthers(before.pins, server), ...ofServer(checked.pins, server) };
    const definition = definitionOf(source, format, pins, before.edition);
    // As in `deploy`: triggers and stronger keys start what could not start before.
    if (principal.effects !== undefined) checkEffects(principal, await planOf(definition));
    const deployed = await deployWorkflow(store, {
      workflow: id,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      definition,
      findings: findings.filter(({ code }) => code !== 'tool-changed').map((finding) => ({ ...finding })),
      schedules: placedTriggers(checked.schedules, store.now()),
      by: principal.by,
    });
    return { version: deployed.version };
  } catch (error) {
    if (!(error instanceof ProblemError) || !refusals.has(error.code)) throw error;
    return { version, refused: error.message };
  }
}

const refusals: ReadonlySet<string> = new Set(['workflow-invalid', 'forbidden']);

const isToolOf = (server: string, key: string): boolean => key.startsWith(`${server}/`);

const ofServer = (pins: Pins, server: string): Pins =>
  Object.fromEntries(Object.entries(pins).filter(([key]) => isToolOf(server, key)));

const ofOthers = (pins: Pins, server: string): Pins =>
  Object.fromEntries(Object.entries(pins).filter(([key]) => !isToolOf(server, key)));
