/** Implements `Children` of libs/runner: starts child runs, which the requesting step identifies. */
import {
  type EventOf,
  type Failure,
  type FailureCode,
  type Parent,
  type RequestedTurn,
  FailureError,
  isEnded,
  notVerified,
  requestedTurn,
} from '@baton/engine';
import { EvaluationError, limits, validateInputs } from '@baton/expressions';
import { type Plan, effectOfStep, stepsOf } from '@baton/language';
import { type JsonObject, defined } from '@baton/primitives';
import {
  type Bell,
  type Bus,
  type CallBudgets,
  type Children,
  type ChildState,
  type Clock,
  type Plans,
  advanceUnlessForged,
  openRun,
  requested,
  RunCount,
} from '@baton/runner';
import {
  type RequestOutcome,
  type RunSummary,
  type Store,
  countUnderWay,
  getChildRun,
  getRun,
  getWorkflow,
  getWorkflowVersion,
} from '@baton/store';

import { agreedPerson } from './agreedPerson.ts';
import { type BegunChild, goOnFrom } from './goOnFrom.ts';

export interface ChildrenOptions {
  readonly store: Store;
  /** This worker's id. */
  readonly worker: string;
  readonly plans: Plans;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Absent: there are no budgets over time. */
  readonly budgets?: CallBudgets;
}

type ChildRequest = Parameters<Children['request']>[0];

/** The definition that a child runs: that of a version, or the parent's for an item of a `forEach`. */
interface Definition extends Partial<Pick<BegunChild, 'part' | 'rerunOf' | 'more'>> {
  readonly workflow: string;
  readonly version?: number;
  readonly definition: string;
}

export function childRuns({ store, worker, plans, bell, bus, clock, budgets }: ChildrenOptions): Children {
  const begin = withinQuota({ store, clock });
  const goOn = goOnFrom({ store, clock });
  return {
    async request(wanted) {
      const { item, goesOn } = wanted;
      const isTooDeep = wanted.depth > limits.run.depth;
      // An item needs none of the checks below, and `start` finds one that was requested before.
      if (item !== undefined && goesOn === undefined && !isTooDeep)
        return start({ ...wanted, definition: item.definition, part: item.part }, wanted);
      const known = await getChildRun(store, wanted.parent);
      if (known !== undefined) return childState(known);
      if (isTooDeep) return refused('limit-exceeded', `Runs are nested ${limits.run.depth} deep at the most.`);
      const version =
        item === undefined ? await findVersion(store, wanted) : { ...wanted, definition: item.definition };
      if (version === undefined) return refused('child-failed', `There is no workflow ${nameOf(wanted)}.`);
      const plan = await plans(version.definition);
      if (wanted.mustRead === true && !onlyReads(plan)) return refused(notVerified, doesMore(wanted));
      const begun = goesOn && (await goOn(goesOn, { definition: version.definition, plan, part: item?.part }));
      if (begun instanceof FailureError) return refused(begun.code, begun.message);
      if (item !== undefined) return start({ ...version, ...begun }, { ...wanted, ...begun });
      const { inputs, errors } = validateInputs(plan, begun?.inputs ?? wanted.inputs);
      if (inputs === undefined) return refused('invalid-inputs', errors.map(({ message }) => message).join(' '));
      const person = await agreedPerson(store, wanted.person, version);
      const turns = turnOfChild(plan, wanted, inputs);
      const spent = await budgets?.refusedChild(version.workflow);
      if (spent !== undefined) return refused('budget-exceeded', spent);
      if (turns instanceof EvaluationError) return refused(turns.code, `Its concurrency key: ${turns.message}`);
      return start({ ...version, ...begun }, { ...wanted, inputs, ...defined({ person }) }, turns);
    },
    cancel: (parent, reason, cause) =>
      cancelChild({ store, bus, clock }, parent, { reason, ...defined({ cause }) }, ring),
  };

  async function start(
    { workflow, version, definition, part, rerunOf, more }: Definition,
    { item: _item, goesOn: _goesOn, mustRead: _mustRead, ...asked }: ChildRequest,
    turns: RequestedTurn = {},
  ): Promise<ChildState> {
    const { runId: run, path: step } = asked.parent;
    const trigger = { kind: 'workflow', detail: { run, step } } as const;
    const order = { ...asked, workflow, version, definition, trigger, part, rerunOf };
    const made = await begin(asked, () =>
      store.request({ ...requested(order, clock.now()), ...turns, more, parentWorker: worker }),
    );
    if (made === undefined) {
      const known = await getChildRun(store, asked.parent);
      return known === undefined ? refused('limit-exceeded', tooManyRuns(asked)) : childState(known);
    }
    if (made.kind === 'full') return refused('child-failed', `The concurrency limit of ${workflow} is reached.`);
    const { runId, kind } = made;
    if (kind === 'created') ring(runId);
    const found = kind === 'created' ? undefined : await getRun(store, runId);
    return found === undefined ? { kind: 'running', runId } : childState(found);
  }

  /** The state of a run that was requested before, with its spending from the journal. */
  async function childState(summary: RunSummary): Promise<ChildState> {
    const state = stateOf(summary);
    if (state.kind !== 'finished') return state;
    const opened = await openRun(store.journal, summary.id);
    if (opened === undefined) return state;
    const { spent, itemCount } = opened.run;
    return { ...state, spent, ...(itemCount > 0 && { itemCount }) };
  }

  /** Where the bell fails, the reconciler rings again. */
  function ring(runId: string): void {
    bell.ring([{ runId }]).catch(() => {});
  }
}

async function cancelChild(
  { store, bus, clock }: Pick<ChildrenOptions, 'store' | 'bus' | 'clock'>,
  parent: Parent,
  why: Pick<EventOf<'run.cancelRequested'>, 'reason' | 'cause'>,
  ring: (runId: string) => void,
): Promise<boolean> {
  const child = await getChildRun(store, parent);
  if (child === undefined) return false;
  if (child.endedAt !== undefined) return true;
  const advanced = await advanceUnlessForged(store.journal, child.id, (run) => {
    if (isEnded(run) || run.cancel !== undefined) return [];
    return [{ type: 'run.cancelRequested', at: Math.max(clock.now(), run.at), by: `run ${parent.runId}`, ...why }];
  });
  if (advanced === undefined || advanced.events.length === 0) return true;
  bus.publish({ runId: child.id, seq: advanced.run.seq });
  ring(child.id);
  return true;
}

function turnOfChild(plan: Plan, { workflow }: ChildRequest, inputs: JsonObject): RequestedTurn | EvaluationError {
  try {
    return requestedTurn(plan, { workflow, version: 1 }, { inputs });
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

async function findVersion(store: Store, { workflow, version }: ChildRequest): Promise<Definition | undefined> {
  const wanted = version ?? (await getWorkflow(store, workflow))?.version;
  const found = wanted === undefined ? undefined : await getWorkflowVersion(store, workflow, wanted);
  return found && { workflow, version: found.version, definition: found.definition.digest };
}

const nameOf = ({ workflow, version }: ChildRequest): string =>
  version === undefined ? workflow : `${workflow}@${version}`;

/** The check may not have known what this version of the child does. */
const onlyReads = (plan: Plan): boolean => stepsOf(plan).every((step) => effectOfStep(step) === 'read');

const doesMore = (wanted: ChildRequest): string =>
  `The workflow ${nameOf(wanted)} may do more than read, so it was not started.`;

const refused = (code: FailureCode, message: string): ChildState => ({
  kind: 'refused',
  failure: { code, message } satisfies Failure,
});

function stateOf({ id, status, outputs, failure }: RunSummary): ChildState {
  if (status !== 'succeeded' && status !== 'failed' && status !== 'cancelled') return { kind: 'running', runId: id };
  return { kind: 'finished', runId: id, status, ...(outputs && { outputs }), ...(failure && { failure }) };
}

/** How often, and at which interval, the runs are counted before a child run is refused. */
const recounts = { most: 10, everyMs: 500 };

/** Requests a run within the limit of its key, schedule or hook (I7); undefined if its source stays at its limit of unfinished runs for some seconds. */
function withinQuota({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  const runs = new RunCount({ count: () => countUnderWay(store), clock });
  return async (
    { by, limits: { runs: most } = {} }: ChildRequest,
    request: () => Promise<RequestOutcome>,
  ): Promise<RequestOutcome | undefined> => {
    if (most === undefined) return request();
    const start = () => request().then((made) => ({ made, isNew: made.kind === 'created' }));
    for (let count = 0; ; count += 1) {
      const started = await runs.within(by, most, start);
      if (started !== undefined || count === recounts.most) return started?.made;
      await new Promise<void>((resolve) => clock.after(recounts.everyMs, resolve));
    }
  };
}

const tooManyRuns = ({ by, limits: { runs } = {} }: ChildRequest): string =>
  `${runs} runs of ${JSON.stringify(by.slice(0, 80))} are unfinished, the maximum for it; child runs count too.`;
