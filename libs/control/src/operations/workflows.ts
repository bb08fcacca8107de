/** Operations of deployed workflows. */
import { type Hook, instant, routes } from '@baton/api';
import type { RunStatus } from '@baton/engine';
import { matchesWorkflow } from '@baton/language';
import { defined } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import {
  type MayReplace,
  type Store,
  type WorkflowSummary,
  deleteWorkflow as removeWorkflow,
  getWorkflow as readWorkflow,
  getWorkflowVersion as readVersion,
  listHookDeliveries,
  listWorkflows as readWorkflows,
  pauseWorkflow as holdWorkflow,
  askedTimes,
  recentRuns,
  resumeWorkflow as releaseWorkflow,
} from '@baton/store';

import type { DeployedTriggers } from '../deploy/deployedTriggers.ts';
import type { DriftOverview, WorkflowDrift } from '../deploy/driftOverview.ts';
import { unknownWorkflow } from '../intake/unknownWorkflow.ts';
import { checkEffectsOf } from '../keys/effects.ts';
import { maySee, reachOf } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { percentile } from '../shapes/percentile.ts';
import { operation } from './operation.ts';
import type { PageInput } from './page.ts';
import { type ById, allReached } from './reach.ts';

const recentMax = 50;

interface WorkflowParts {
  readonly store: Store;
}

interface ListedWorkflowParts extends WorkflowParts {
  /** Absent: the face does not show which tools have changed. */
  readonly drift?: DriftOverview | undefined;
}

interface ListedWorkflow extends WorkflowSummary {
  /** Set if tools have changed since its newest version was checked. */
  readonly drift: WorkflowDrift | undefined;
}

async function withDrift(
  { drift }: ListedWorkflowParts,
  caller: Principal,
  workflows: readonly WorkflowSummary[],
): Promise<readonly ListedWorkflow[]> {
  const drifts = new Map((await drift?.of(caller))?.map((one) => [one.workflow, one]));
  return workflows.map((one) => ({ ...one, drift: drifts.get(one.id) }));
}

/** A page of the workflows, ordered by id. */
export const listWorkflows = operation(routes.listWorkflows, {
  values: 'none',
  reach: allReached,
  effects: 'none',
  perform: async (parts: ListedWorkflowParts, caller, { limit, after }: PageInput) => {
    const page = { limit, ...defined({ after, among: reachOf(caller) }) };
    const { workflows, next } = await readWorkflows(parts.store, page);
    return { data: await withDrift(parts, caller, workflows), next };
  },
});

/** The workflow, and one of its versions: the newest unless another one is named. */
export const getWorkflow = operation(routes.getWorkflow, {
  values: 'none',
  reach: (parts: ListedWorkflowParts, caller, input: ById & { readonly version?: number | undefined }) =>
    deployedWorkflow(parts, caller, input),
  effects: 'none',
  perform: async (parts, caller, { id, version }, found) => {
    const shown = await readVersion(parts.store, id, version ?? found.version);
    if (shown === undefined) throw await unknownWorkflow(parts.store, { workflow: id, version }, caller);
    const [newest = { ...found, drift: undefined }] = await withDrift(parts, caller, [found]);
    return { newest, shown };
  },
});

/** One version, also of a workflow that was removed. */
export const getWorkflowVersion = operation(routes.getWorkflowVersion, {
  values: 'none',
  reach: async ({ store }: WorkflowParts, caller, { id, version }: ById & { readonly version: number }) => {
    const shown = maySee(caller, id) ? await readVersion(store, id, version) : undefined;
    if (shown === undefined) throw await unknownWorkflow(store, { workflow: id, version }, caller);
    return shown;
  },
  effects: 'none',
  perform: async (_parts, _caller, _input, shown) => shown,
});

/** Removes it. Its runs and versions stay. */
export const deleteWorkflow = operation(routes.deleteWorkflow, {
  values: 'none',
  reach: (parts: WorkflowParts, caller, input: ById & { readonly mayReplace: MayReplace | undefined }) =>
    nameInReach(parts, caller, input),
  effects: 'none',
  perform: async ({ store }, caller, { id, mayReplace }): Promise<void> => {
    const isGone = await removeWorkflow(store, id, caller.by, mayReplace);
    if (!isGone) throw await unknownWorkflow(store, { workflow: id }, caller);
  },
});

/** Its triggers start nothing from now on. */
export const pauseWorkflow = operation(routes.pauseWorkflow, {
  values: 'none',
  reach: (parts: WorkflowParts, caller, input: ById) => nameInReach(parts, caller, input),
  effects: 'none',
  perform: async (parts, caller, input): Promise<WorkflowSummary> => {
    await holdWorkflow(parts.store, input.id, caller.by);
    return deployedWorkflow(parts, caller, input);
  },
});

/** Its triggers would start what the key itself may not start. */
export const resumeWorkflow = operation(routes.resumeWorkflow, {
  values: 'none',
  reach: async (parts: WorkflowParts & { readonly plans: Plans }, caller, input: ById) => {
    await nameInReach(parts, caller, input);
    const newest = await parts.store.findVersion({ workflow: input.id });
    if (newest === undefined) throw await unknownWorkflow(parts.store, { workflow: input.id }, caller);
    return newest;
  },
  effects: (parts, caller, { definition }) => checkEffectsOf(caller, parts.plans, definition),
  perform: async (parts, caller, input): Promise<WorkflowSummary> => {
    await releaseWorkflow(parts.store, input.id, caller.by);
    return deployedWorkflow(parts, caller, input);
  },
});

export const getWorkflowStats = operation(routes.getWorkflowStats, {
  values: 'none',
  reach: (parts: WorkflowParts, caller, input: ById) => deployedWorkflow(parts, caller, input),
  effects: 'none',
  perform: async ({ store }, _caller, { id }) => {
    const runs = await recentRuns(store, id, recentMax);
    const counts: Partial<Record<RunStatus, number>> = {};
    for (const { status } of runs) counts[status] = (counts[status] ?? 0) + 1;
    const notAchieved = runs.filter(({ failureCode }) => failureCode === 'not-achieved').length;
    const asked = await askedTimes(
      store,
      runs.map(({ id: runId }) => runId),
    );
    const durations = runs.flatMap(({ id: runId, durationMs }) =>
      durationMs === undefined ? [] : [Math.max(0, durationMs - (asked.get(runId) ?? 0))],
    );
    const [p50Ms, p95Ms] = [0.5, 0.95].map((part) => percentile(durations, part));
    const askedP95Ms = percentile([...asked.values()], 0.95);
    return {
      id,
      counts,
      ...(notAchieved === 0 ? {} : { notAchieved }),
      ...defined({ p50Ms, p95Ms, askedP95Ms }),
      runs: runs.map(({ id: runId, status, durationMs, createdAt }) => ({
        id: runId,
        status,
        ...defined({ durationMs, askedMs: asked.get(runId) }),
        at: instant(createdAt),
      })),
    };
  },
});

/** Address, signature, latest deliveries of each. */
export const listHooks = operation(routes.listHooks, {
  reach: allReached,
  effects: 'none',
  perform: async (
    { store, deployed }: WorkflowParts & { readonly deployed: DeployedTriggers },
    caller,
    { workflow }: { readonly workflow?: string | undefined },
  ): Promise<{ data: Hook[] }> => {
    const all = await deployed.of('webhook');
    const wanted = all.filter(
      (one) => maySee(caller, one.workflow) && (workflow === undefined || matchesWorkflow([workflow], one.workflow)),
    );
    const shown = wanted.map(async ({ workflow: of, version, trigger: { name, scheme, secret } }): Promise<Hook> => {
      const deliveries = await listHookDeliveries(store, { workflow: of, hook: name });
      return {
        workflow: of,
        hook: name,
        version,
        path: `/v1/hooks/${of}/${name}`,
        scheme,
        secret,
        deliveries: deliveries.map(({ at, outcome, reason, runId }) => ({
          at: instant(at),
          outcome,
          ...defined({ reason, runId }),
        })),
      };
    });
    return { data: await Promise.all(shown) };
  },
});

async function nameInReach({ store }: WorkflowParts, caller: Principal, { id }: ById): Promise<void> {
  if (!maySee(caller, id)) throw await unknownWorkflow(store, { workflow: id }, caller);
}

async function deployedWorkflow({ store }: WorkflowParts, caller: Principal, { id }: ById): Promise<WorkflowSummary> {
  const workflow = maySee(caller, id) ? await readWorkflow(store, id) : undefined;
  if (workflow === undefined) throw await unknownWorkflow(store, { workflow: id }, caller);
  return workflow;
}
