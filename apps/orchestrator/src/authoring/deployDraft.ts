/** Deploys the text of an author: after it was said what that would arm, and only from the newest version. */
import { scheduleChangeText } from '@baton/api';
import {
  control,
  type DeployParts,
  type Principal,
  type ScheduleParts,
  placedTriggers,
  type DeploymentConsequences,
  armsMore,
  consequencesDigest,
  hasOtherTools,
  isSameActor,
  plannedCalls,
} from '@baton/control';
import { type Finding, type Plan, parseWorkflow, triggerTexts } from '@baton/language';
import {
  type Definition,
  type DeployedVersion,
  type Store,
  getWorkflowVersion,
  getWorkflow,
  listRuns,
  planOf,
  previewSchedules,
  ReplacedError,
} from '@baton/store';

import { nextAfterDeploy } from './nextSteps.ts';

export interface Draft {
  readonly id: string;
  readonly source: string;
  readonly definition: Definition;
  readonly plan: Plan;
  readonly schedules: readonly ScheduleParts[];
  readonly warnings: readonly Finding[];
}

export interface GivenDeployment {
  /** The version that the text was edited from; undefined: the author does not say. */
  readonly version?: number | undefined;
  readonly confirm?: string | undefined;
}

/** In place of a digest: the author confirms an edit that arms nothing new. */
const unchanged = 'unchanged';

/** The key may see the workflow. Rejects with `ProblemError` and `UnavailableError`. */
export async function deployDraft(
  options: DeployParts,
  principal: Principal,
  draft: Draft,
  { version, confirm }: GivenDeployment,
): Promise<object> {
  const { store } = options;
  const { id, source, definition } = draft;
  const newest = (await getWorkflow(store, id))?.version ?? 0;
  const before = newest === 0 ? undefined : await getWorkflowVersion(store, id, newest);
  const isOwn =
    before !== undefined && isSameActor(before.deployedBy, principal.by) && before.definition.source !== source;
  if ((version ?? (isOwn ? newest : 0)) !== newest) return stale(store, { draft, version, newest });
  const arming = await consequencesOf(store, draft, newest);
  const digest = consequencesDigest(arming, definition.digest);
  const isSame = confirm === unchanged && version !== undefined && !(await isMore(store, arming, draft, before));
  if (confirm !== digest && !isSame) {
    const warnings = draft.warnings.map(warningText);
    const next = nextAfterOffer({ digest, confirm, version, newest });
    return { armed: false, would: arming, warnings, digest, next };
  }
  const mayReplace = (now: number | undefined): boolean => (now ?? 0) === newest;
  const conditions = { mayReplace, confirmed: definition.digest };
  const text = { format: definition.format, text: source };
  const deployed = await control
    .deployWorkflow(options, principal, { ...text, ...conditions })
    .catch((error: unknown) => {
      if (error instanceof ReplacedError) return stale(store, { draft, version: newest, newest: error.newest ?? 0 });
      throw error;
    });
  if (!('version' in deployed)) return deployed;
  const { version: armed } = deployed;
  const schedules = deployed.schedules.flatMap((one) => scheduleChangeText(one) ?? []);
  const next = nextAfterDeploy(id, armed, arming.triggers);
  return { armed: true, workflow: id, version: armed, schedules, next };
}

interface Offered extends GivenDeployment {
  readonly digest: string;
  readonly newest: number;
}

function nextAfterOffer({ digest, confirm, version, newest }: Offered): string {
  const replaced =
    version === undefined && newest > 0 ? ` It replaces version ${newest}, which this key deployed.` : '';
  return `${whyOffered({ confirm, version, newest })}Nothing is deployed yet.${replaced} Look at what it would arm; to deploy it, call deploy_workflow again with "confirm": "${digest}".`;
}

function whyOffered({ confirm, version, newest }: Omit<Offered, 'digest'>): string {
  if (confirm === undefined) return '';
  if (confirm !== unchanged) return 'What it would arm is not what was confirmed. ';
  return version === undefined
    ? `"confirm": "${unchanged}" needs the "version" that the text was edited from. `
    : `It would arm more than version ${newest}, or start at other times. `;
}

async function consequencesOf(
  store: Store,
  { id, source, plan, schedules }: Draft,
  newest: number,
): Promise<DeploymentConsequences> {
  const changes = await previewSchedules(store, id, placedTriggers(schedules, store.now()));
  return {
    workflow: id,
    replaces: newest,
    calls: plannedCalls(plan),
    triggers: triggersOf(source),
    // Of those that it would change, and of those that are paused.
    schedules: changes.flatMap((one) => scheduleChangeText(one) ?? []),
    runsUnderWay: await underWay(store, id),
  };
}

/** Whether the text would arm more than the version before. */
async function isMore(
  store: Store,
  arming: DeploymentConsequences,
  { id, schedules, definition: { pins } }: Draft,
  before: DeployedVersion | undefined,
): Promise<boolean> {
  if (before === undefined) return true;
  const changes = await previewSchedules(store, id, placedTriggers(schedules, store.now()));
  if (changes.some(({ change }) => change !== 'same')) return true;
  const { definition } = before;
  if (hasOtherTools(pins, definition.pins)) return true;
  const calls = plannedCalls(await planOf(definition));
  return armsMore(arming, { calls, triggers: triggersOf(definition.source) });
}

interface Stale extends GivenDeployment {
  readonly draft: Draft;
  readonly newest: number;
}

/** The answer if another version was deployed since the author's. */
async function stale(store: Store, { draft: { id, source }, version, newest }: Stale): Promise<object> {
  if (newest === 0) return { armed: false, newest, next: `There is no workflow ${id} yet: hand back "version": 0.` };
  const now = await getWorkflowVersion(store, id, newest);
  if (now?.definition.source === source) {
    const same = `Version ${newest} of ${id} is this text already. To deploy it again, hand back "version": ${newest}.`;
    return { armed: false, newest, next: same };
  }
  const from = version === undefined ? 'no version that it names' : `version ${version}`;
  const next = `Version ${newest} of ${id} is the newest, and this text was edited from ${from}. Bring the edits together with \`source\`, and hand back "version": ${newest}.`;
  return { armed: false, newest, source: now?.definition.source, next };
}

async function underWay(store: Store, workflow: string): Promise<number> {
  const statuses = ['queued', 'running', 'waiting'] as const;
  const { runs } = await listRuns(store, { workflow, statuses }, { limit: 100 });
  return runs.length;
}

const warningText = ({ message, line, hint }: Finding): string =>
  `Line ${line}: ${message}${hint === undefined ? '' : ` Correction: ${hint}.`}`;

function triggersOf(source: string): readonly string[] {
  const { workflow } = parseWorkflow(source);
  return workflow === undefined ? [] : triggerTexts(workflow);
}
