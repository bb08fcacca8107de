/** Child runs: the same way in as any other run, told apart by the step that asked. */
import type { Failure, FailureCode } from '@baton/engine';
import { limits, validateInputs } from '@baton/language';
import type { Bell, Bus, Children, ChildState, Plans } from '@baton/runner';
import { advance, requested } from '@baton/runner';
import type { DeployedVersion, RunSummary, Store } from '@baton/store';
import { getChildRun, getRun, getWorkflow, getWorkflowVersion } from '@baton/store';

export interface ChildrenOptions {
  readonly store: Store;
  readonly plans: Plans;
  readonly bell: Bell;
  readonly bus: Bus;
}

type Wanted = Parameters<Children['request']>[0];

export function childRuns({ store, plans, bell, bus }: ChildrenOptions): Children {
  return {
    async request(wanted) {
      const known = await getChildRun(store, wanted.parent);
      if (known !== undefined) return stateOf(known);
      if (wanted.depth > limits.run.depth) {
        return refused('limit-exceeded', `Runs are nested ${limits.run.depth} deep at the most.`);
      }
      const version = await findVersion(store, wanted);
      if (version === undefined) return refused('child-failed', `There is no workflow ${nameOf(wanted)}.`);
      const { inputs, errors } = validateInputs(await plans(version.definition.digest), wanted.inputs);
      if (inputs === undefined) return refused('invalid-inputs', errors.map(({ message }) => message).join(' '));
      return start(version, { ...wanted, inputs });
    },
    async cancel(parent, reason) {
      const child = await getChildRun(store, parent);
      if (child === undefined) return false;
      if (child.endedAt !== undefined) return true;
      const advanced = await advance(store.journal, child.id, (run) => {
        if (run.endedAt !== undefined || run.cancel !== undefined) return [];
        return [{ type: 'run.cancelRequested', at: Math.max(Date.now(), run.at), by: `run ${parent.runId}`, reason }];
      });
      if (advanced === undefined || advanced.events.length === 0) return true;
      bus.publish({ runId: child.id, seq: advanced.run.seq });
      ring(child.id);
      return true;
    },
  };

  async function start(version: DeployedVersion, wanted: Wanted): Promise<ChildState> {
    const { parent, inputs, by, depth } = wanted;
    const trigger = { kind: 'workflow', detail: { run: parent.runId, step: parent.path } } as const;
    const order = { workflow: version.workflow, version: version.version, definition: version.definition.digest };
    const { runId, kind } = await store.request(
      requested({ ...order, inputs, trigger, by, parent, depth }, Date.now()),
    );
    if (kind === 'created') ring(runId);
    const found = kind === 'created' ? undefined : await getRun(store, runId);
    return found === undefined ? { kind: 'running', runId } : stateOf(found);
  }

  /** A bell that fails is rung again by the reconciler. */
  function ring(runId: string): void {
    bell.ring([{ runId }]).catch(() => {});
  }
}

async function findVersion(store: Store, { workflow, version }: Wanted): Promise<DeployedVersion | undefined> {
  const wanted = version ?? (await getWorkflow(store, workflow))?.version;
  return wanted === undefined ? undefined : getWorkflowVersion(store, workflow, wanted);
}

const nameOf = ({ workflow, version }: Wanted): string => (version === undefined ? workflow : `${workflow}@${version}`);

const refused = (code: FailureCode, message: string): ChildState => ({
  kind: 'refused',
  failure: { code, message } satisfies Failure,
});

function stateOf({ id, status, outputs, failure }: RunSummary): ChildState {
  if (status !== 'succeeded' && status !== 'failed' && status !== 'cancelled') return { kind: 'running', runId: id };
  return { kind: 'finished', runId: id, status, ...(outputs && { outputs }), ...(failure && { failure }) };
}
