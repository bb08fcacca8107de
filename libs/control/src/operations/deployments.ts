/** Operations that check and deploy the text of a workflow. */
import { type Scope, type ScheduleChange, ProblemError, routes } from '@baton/api';
import type { Finding } from '@baton/language';
import { defined } from '@baton/primitives';
import { type MayReplace, definitionOf, deployWorkflow as storeVersion, ToolNameTakenError } from '@baton/store';

import type { Corrections } from '../deploy/corrections.ts';
import { type DeployParts, deployedWorkflowsFor } from '../deploy/deployedWorkflows.ts';
import { checkHookSecrets } from '../deploy/hookSecrets.ts';
import { isReserved } from '../deploy/ownToolNames.ts';
import { placedTriggers } from '../deploy/placedTriggers.ts';
import type { CheckAnswer } from '../deploy/threads/checkTask.ts';
import type { WorkflowText } from '../deploy/workflowText.ts';
import { checkDefinitionEffects } from '../keys/effects.ts';
import { mayGive } from '../keys/giving.ts';
import { checkMaySee, maySee } from '../keys/keyAccess.ts';
import { onWorkflow } from '../keys/narrowing.ts';
import { type Principal, may } from '../keys/scopes.ts';
import { operation } from './operation.ts';

interface CheckInput {
  readonly text: string;
  readonly asksServers: boolean;
  /** Suggests corrections too. */
  readonly corrects?: boolean;
}

const asking: readonly Scope[] = ['workflows:write', 'servers:read'];

/** Other workflows than those that the key may see are absent for the check. */
export const checkWorkflow = operation(routes.checkWorkflow, {
  values: 'none',
  reach: async (parts: DeployParts, caller, { asksServers }: CheckInput) => {
    if (!asksServers) return undefined;
    // Hints reveal the names of servers and secrets.
    if (may(caller, asking)) return deployedWorkflowsFor(parts, caller);
    throw new ProblemError('forbidden', `Asking servers needs a key with the scope ${asking.join(' or ')}.`);
  },
  effects: 'none',
  perform: async (
    { checker },
    _caller,
    { text, corrects },
    deployed,
  ): Promise<CheckAnswer & { readonly corrections?: Corrections }> => {
    if (deployed === undefined) return checker.checkText(text);
    return corrects === true ? checker.checkWithCorrections(text, deployed) : checker.checkWithServers(text, deployed);
  },
});

interface DeployResult {
  readonly id: string;
  readonly version: number;
  readonly digest: string;
  readonly isNew: boolean;
  /** Warnings. */
  readonly findings: readonly Finding[];
  readonly schedules: readonly ScheduleChange[];
}

interface DeployInput extends WorkflowText {
  readonly mayReplace?: MayReplace | undefined;
  /** The digest of the definition that was confirmed: of the text, and of its tools as they were then. */
  readonly confirmed?: string;
}

/** Stores the next version if the content is new. Rejects with `ReplacedError` too. */
export const deployWorkflow = operation(routes.deployWorkflow, {
  // A key that deploys a workflow can start everything that the workflow starts, so it needs these rights too.
  reach: async (parts: DeployParts, caller, { format, text }: DeployInput) => {
    const checked = await parts.checker.deployable(text, deployedWorkflowsFor(parts, caller));
    checkMaySee(caller, [checked.id, ...checked.children]);
    checkMayFollow(caller, checked.followed);
    return { checked, definition: definitionOf(text, format, checked.pins) };
  },
  // Triggers, other workflows and clients with stronger keys would start what the key itself may not (decision 17).
  effects: async (_parts, caller, { checked, definition }) => {
    // What it starts is started with all of its effects, so each of its children must allow them.
    for (const one of [checked.id, ...checked.children])
      await checkDefinitionEffects(onWorkflow(caller, one), definition);
  },
  perform: async (
    { store, secrets },
    caller,
    { mayReplace, confirmed },
    { checked, definition },
  ): Promise<DeployResult> => {
    const { id, title, description, findings, tool } = checked;
    if (tool !== undefined && isReserved(tool)) throw toolNameTaken(tool, 'is a tool of Baton itself');
    await checkHookSecrets(secrets, id, checked.hooks);
    if (confirmed !== undefined && definition.digest !== confirmed) throw toolsChanged();
    const deployed = await storeVersion(store, {
      workflow: id,
      ...defined({ title, description }),
      definition,
      findings: findings.map((finding) => ({ ...finding })),
      schedules: placedTriggers(checked.schedules, store.now()),
      by: caller.by,
      mayReplace,
    }).catch((error: unknown) => {
      if (!(error instanceof ToolNameTakenError)) throw error;
      // A key learns only the name of a workflow that it may not see.
      const owner = maySee(caller, error.owner) ? `the workflow ${error.owner}` : 'another workflow';
      throw toolNameTaken(error.tool, `belongs to ${owner}`);
    });
    return { id, ...deployed, digest: definition.digest, findings };
  },
});

/** What starts when a run has ended gets to know of it. Throws `ProblemError` for runs that the caller does not see. */
function checkMayFollow(caller: Principal, followed: readonly string[]): void {
  const scopes = new Set(['runs:values']);
  const beyond = followed.find(
    (one) => !mayGive(caller, { scopes, effects: 'read', ...(one !== '*' && { workflows: new Set([one]) }) }),
  );
  if (beyond === undefined) return;
  throw new ProblemError(
    'forbidden',
    `The trigger \`run\` would tell this workflow how runs of ${beyond} end, and you do not see all of those with their values.`,
  );
}

const toolsChanged = (): ProblemError =>
  new ProblemError('conflict', 'A tool of this workflow changed after the deployment was confirmed. Check it again.');

const toolNameTaken = (tool: string, why: string): ProblemError =>
  new ProblemError(
    'tool-name-taken',
    `The tool name ${JSON.stringify(tool.slice(0, 80))} ${why}. Give another one: on: [{ tool: { name: … } }].`,
  );
