import { type ScheduleChange, ProblemError } from '@baton/api';
import type { Finding } from '@baton/language';
import { defined } from '@baton/primitives';
import type { BoundSecrets } from '@baton/runner';
import {
  type MayReplace,
  type Store,
  definitionOf,
  deployWorkflow,
  planOf,
  ToolNameTakenError,
} from '@baton/store';

import { checkEffects } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { placedTriggers } from '../schedules/placedTriggers.ts';
import type { Checker } from './checker.ts';
import { deployedWorkflowsFor } from './deployedWorkflows.ts';
import { checkHookSecrets } from './hookSecrets.ts';
import { isReserved } from './ownToolNames.ts';
import type { WorkflowText } from './workflowText.ts';

export interface DeployResult {
  readonly id: string;
  readonly version: number;
  readonly digest: string;
  readonly isNew: boolean;
  /** Warnings. */
  readonly findings: readonly Finding[];
  readonly schedules: readonly ScheduleChange[];
}

export interface DeployParts {
  readonly store: Store;
  readonly secrets: BoundSecrets;
  readonly checker: Checker;
}

export interface DeployConditions {
  readonly mayReplace?: MayReplace | undefined;
  /** The digest of the definition that was confirmed: of the text, and of its tools as they were then. */
  readonly confirmed?: string;
}

/**
 * Checks the text, and stores the next version if the content is new. Rejects with `ProblemError`, `ReplacedError` and
 * `UnavailableError`.
 */
export async function deploy(
  { store, secrets, checker }: DeployParts,
  { format, text }: WorkflowText,
  principal: Principal,
  { mayReplace, confirmed }: DeployConditions = {},
): Promise<DeployResult> {
  const checked = await checker.deployable(text, deployedWorkflowsFor({ store, secrets }, principal));
  const { id, title, description, findings, pins, children, tool } = checked;
  // A key that deploys a workflow can start everything that the workflow starts, so the key needs these rights too.
  checkMaySee(principal, [id, ...children]);
  if (tool !== undefined && isReserved(tool)) throw toolNameTaken(tool, 'is a tool of Baton itself');
  await checkHookSecrets(secrets, id, checked.hooks);
  const definition = definitionOf(text, format, pins);
  if (confirmed !== undefined && definition.digest !== confirmed) throw toolsChanged();
  // Triggers, other workflows and clients with stronger keys would start what the key itself may not (decision 17).
  if (principal.effects !== undefined) checkEffects(principal, await planOf(definition));
  const deployed = await deployWorkflow(store, {
    workflow: id,
    ...defined({ title, description }),
    definition,
    findings: findings.map((finding) => ({ ...finding })),
    schedules: placedTriggers(checked.schedules, store.now()),
    by: principal.by,
    mayReplace,
  }).catch((error: unknown) => {
    if (!(error instanceof ToolNameTakenError)) throw error;
    // A key learns only the name of a workflow that it may not see.
    const owner = maySee(principal, error.owner) ? `the workflow ${error.owner}` : 'another workflow';
    throw toolNameTaken(error.tool, `belongs to ${owner}`);
  });
  return { id, ...deployed, digest: definition.digest, findings };
}

/** Throws `ProblemError` if the key may not see one of the workflows. */
export function checkMaySee(principal: Pick<Principal, 'workflows'>, workflows: readonly string[]): void {
  const beyond = workflows.find((one) => !maySee(principal, one));
  if (beyond !== undefined)
    throw new ProblemError('forbidden', `This key is limited to other workflows than ${beyond}.`);
}

const toolsChanged = (): ProblemError =>
  new ProblemError('conflict', 'A tool of this workflow changed after the deployment was confirmed. Check it again.');

const toolNameTaken = (tool: string, why: string): ProblemError =>
  new ProblemError(
    'tool-name-taken',
    `The tool name ${JSON.stringify(tool.slice(0, 80))} ${why}. Give another one: on: [{ tool: { name: … } }].`,
  );
