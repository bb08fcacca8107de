/**
 * Approves changed tools of a server: each workflow that uses them gets a new version with the same text and the
 * current definitions. Changes of other servers are not approved along with it.
 *
 * What is approved is what a preview showed: its digest names the definitions, and if the server offers others by the
 * time of the approval, nothing is approved.
 */
import { type ProblemDetail, ProblemError } from '@baton/api';
import { splitTarget } from '@baton/language';
import { type Drift, digestOf, driftText } from '@baton/protocol';
import { ReplacedError } from '@baton/store';

import { checkDefinitionEffects } from '../keys/effects.ts';
import type { Principal } from '../keys/scopes.ts';
import type { DeployableWorkflow } from './checker.ts';
import { deployedWorkflowsFor } from './deployedWorkflows.ts';
import { type ApproveOptions, type DriftedWorkflow, driftedWorkflows, pinsOfServer } from './driftedWorkflows.ts';
import { redeploy, withPins } from './redeploy.ts';

interface ApprovedWorkflow {
  readonly workflow: string;
  /** The newest version now; the previous one if the deployment was refused, or nothing was done yet. */
  readonly version: number;
  readonly changes: readonly Drift[];
  /** Why the workflow does not fit the current tools, or why the key may not let it go on. */
  readonly refused?: string;
}

export interface Approvals {
  /** Names the workflows and the definitions of their tools, as they are now. */
  readonly digest: string;
  readonly workflows: readonly ApprovedWorkflow[];
}

/**
 * What an approval would approve; deploys nothing. Skips workflows that the key may not change. Rejects with
 * `FailureError` if the server does not list its tools, and with `UnavailableError`.
 */
export async function previewApproval(
  options: ApproveOptions,
  server: string,
  principal: Principal,
): Promise<Approvals> {
  const drifted = await driftedWorkflows(options, server, principal);
  const workflows = drifted.map(({ workflow, version, changes }) => ({ workflow, version, changes }));
  return { digest: digestOfDrifted(drifted), workflows };
}

/**
 * Approves what the preview with this digest showed. Rejects with `ProblemError` if the server offers something else
 * now, and as `previewApproval` does.
 */
export async function approve(
  options: ApproveOptions,
  server: string,
  { principal, digest }: { readonly principal: Principal; readonly digest: string },
): Promise<Approvals> {
  const drifted = await driftedWorkflows(options, server, principal);
  // Nothing is left to approve where the request is repeated because its answer was lost.
  if (drifted.length > 0 && digestOfDrifted(drifted) !== digest) throw notWhatWasShown(server, drifted);
  const prepared: (DriftedWorkflow & Prepared)[] = [];
  for (const one of drifted) prepared.push({ ...one, ...(await prepare(options, one, principal)) });
  // The check asks the server once more: what it found is deployed only where all of it was shown.
  if (!prepared.every((one) => isAsShown(one, server))) {
    throw notWhatWasShown(server, await driftedWorkflows(options, server, principal));
  }
  const workflows: ApprovedWorkflow[] = [];
  for (const one of prepared) {
    const { workflow, changes } = one;
    workflows.push({ workflow, changes, ...(await approveWorkflow(options, one, { server, principal })) });
  }
  return { digest, workflows };
}

const digestOfDrifted = (drifted: readonly DriftedWorkflow[]): string =>
  digestOf(drifted.map(({ workflow, version, tools }) => ({ workflow, version, tools }))).slice(0, 16);

const detailsMax = 20;

function notWhatWasShown(server: string, drifted: readonly DriftedWorkflow[]): ProblemError {
  const errors = drifted.flatMap(({ workflow, changes }) =>
    changes.map((change): ProblemDetail => ({ code: 'tool-changed', message: `${workflow}: ${driftText(change)}` })),
  );
  const more = errors.length > detailsMax ? ` These are ${detailsMax} of ${errors.length} changes.` : '';
  const nothing = 'Nothing was approved. Look at what it would change now (`preview`), and approve that.';
  return new ProblemError(
    'conflict',
    `The tools of ${server}, or the workflows that use them, are not what was shown. ${nothing}${more}`,
    { errors: errors.slice(0, detailsMax) },
  );
}

type Prepared = { readonly checked: DeployableWorkflow } | { readonly refused: string };

/** Checks the workflow against the tools as they are now. */
async function prepare(
  { store, secrets, checker }: ApproveOptions,
  { definition: { source } }: DriftedWorkflow,
  principal: Principal,
): Promise<Prepared> {
  try {
    return { checked: await checker.deployable(source, deployedWorkflowsFor({ store, secrets }, principal)) };
  } catch (error) {
    return { refused: refusalOf(error) };
  }
}

function isAsShown(prepared: DriftedWorkflow & Prepared, server: string): boolean {
  if ('refused' in prepared) return true;
  const { tools, checked } = prepared;
  return Object.entries(pinsOfServer(checked.pins, server)).every(([tool, pin]) => {
    const shown = tools[tool];
    return pin.contract !== undefined && shown?.contract === pin.contract && shown.text === pin.text;
  });
}

async function approveWorkflow(
  { store }: ApproveOptions,
  { workflow, version, definition: before, ...prepared }: DriftedWorkflow & Prepared,
  { server, principal }: { readonly server: string; readonly principal: Principal },
): Promise<Pick<ApprovedWorkflow, 'version' | 'refused'>> {
  if ('refused' in prepared) return { version, refused: prepared.refused };
  const { title, description, findings, pins: found, schedules } = prepared.checked;
  const others = Object.entries(before.pins).filter(([tool]) => splitTarget(tool)[0] !== server);
  const pins = { ...Object.fromEntries(others), ...pinsOfServer(found, server) };
  const definition = withPins(before, pins);
  try {
    // As in `deploy`: triggers and stronger keys start what could not start before.
    await checkDefinitionEffects(principal, definition);
    const deployed = await redeploy(store, {
      workflow,
      replaced: version,
      title,
      description,
      definition,
      findings: findings.map((finding) => ({ ...finding })),
      schedules,
      by: principal.by,
    });
    return { version: deployed.version };
  } catch (error) {
    return { version, refused: refusalOf(error) };
  }
}

const refusals: ReadonlySet<string> = new Set(['workflow-invalid', 'forbidden']);

/** Why one workflow is not deployed; rethrows what concerns all of them. */
function refusalOf(error: unknown): string {
  if (error instanceof ReplacedError) return 'Another version was deployed meanwhile.';
  if (!(error instanceof ProblemError) || !refusals.has(error.code)) throw error;
  return error.message;
}
