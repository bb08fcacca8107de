/**
 * Trees of runs without processes: the engine simulates each run, which requests its children as a worker does and goes
 * on from earlier runs with the functions that a worker uses. All calls are in one ledger.
 */
import {
  type CallResult,
  type Run,
  type RunEvent,
  isEnded,
  planFor,
  playOn,
  rowOf,
  replay,
  stateAt,
  Trace,
} from '@baton/engine';
import type { Plan } from '@baton/language';
import { testPorts } from '@baton/testing';

import { requestChild } from '../call/child.ts';
import type { Ports } from '../drivePorts.ts';
import type { Children, ChildState } from '../ports/ports.ts';
import { requested, type RunOrder } from '../record/requested.ts';
import type { RepeatedCallSources } from '../rerun/callsInTree.ts';
import { goOn } from '../rerun/goOn.ts';
import { pastRun } from '../rerun/pastRun.ts';
import { BlobCache } from '../values/blobCache.ts';

/** A call in the tree, named as `RepeatedCall` names it: `all/3/run>pay`. */
export interface TreeCall {
  readonly path: string;
  readonly target: string;
  readonly outcome: TreeOutcome;
}

export type TreeOutcome = 'succeeded' | 'failed' | 'unknown';

const results: Readonly<Record<TreeOutcome, CallResult>> = {
  succeeded: { result: { content: [] } },
  failed: { failure: { code: 'server-rejected', message: 'No.' }, delivery: 'answered' },
  unknown: { failure: { code: 'connection-lost', message: 'Lost.' }, delivery: 'unknown' },
};

export class RunTree {
  ledger: TreeCall[] = [];
  /** Decides how the call at the path ends. */
  outcome: (path: string) => TreeOutcome = () => 'succeeded';
  /** By the digest of the definition, which is the name of the workflow unless it was deployed again. */
  readonly plans: Map<string, Plan>;
  /** Digests of the newest versions. */
  readonly newest = new Map<string, string>();
  readonly #journals = new Map<string, readonly RunEvent[]>();
  readonly #children = new Map<string, Map<string, string>>();
  #ids = 0;

  constructor(plans: ReadonlyMap<string, Plan>) {
    this.plans = new Map(plans);
  }

  get sources(): RepeatedCallSources {
    return {
      ...this.#values,
      childIds: async (runId) => this.#children.get(runId) ?? new Map(),
      rerunsOf: async (runId) => [...this.#journals].flatMap(([id, [first]]) => (isRerunOf(runId, first) ? [id] : [])),
      childTarget: async (workflow) => this.#targetOf(workflow),
      maySee: () => true,
    };
  }

  get #values(): Pick<Ports, 'journal' | 'blobs' | 'cache'> {
    const journal = {
      open: async (runId: string) => {
        const events = this.#journals.get(runId);
        return events && { events, log: {} };
      },
    } as unknown as Ports['journal'];
    return { journal, blobs: { get: async () => undefined }, cache: new BlobCache(0) };
  }

  eventsOf(runId: string): readonly RunEvent[] {
    return this.#journals.get(runId) ?? [];
  }

  childOf(runId: string, step: string): string {
    return this.#children.get(runId)?.get(step) ?? '';
  }

  /** Retention takes the run away. */
  remove(runId: string): void {
    this.#journals.delete(runId);
  }

  /** As if the run had not ended. */
  cutOff(runId: string): void {
    this.#journals.set(runId, this.eventsOf(runId).slice(0, -1));
  }

  /** Runs it to its end, with its children one after the other. `more`: the events after its request. */
  async run(
    order: Pick<RunOrder, 'workflow'> & Partial<RunOrder>,
    plan: Plan,
    more: readonly RunEvent[] = [],
    prefix = '',
  ): Promise<string> {
    const runId = `019a0000-0000-7000-8000-${String(++this.#ids).padStart(12, '0')}`;
    const base = { definition: order.workflow, inputs: {}, trigger: { kind: 'api' }, by: 'test', version: 1 } as const;
    let journal: readonly RunEvent[] = [requested({ ...base, ...order }, 1_700_000_000_000).event, ...more];
    for (;;) {
      const played = playOn(plan, journal, {
        id: runId,
        childrenHang: true,
        answer: ({ path, target }) => this.#call(`${prefix}${path}`, target),
      });
      ({ journal } = played);
      this.#journals.set(runId, journal);
      const news = isEnded(played.run) ? undefined : await this.#nextOfChild(plan, played.run, journal, prefix);
      if (news === undefined) return runId;
      journal = [...journal, news];
    }
  }

  #call(path: string, target: string): CallResult {
    const outcome = this.outcome(path);
    this.ledger.push({ path, target, outcome });
    return results[outcome];
  }

  /** Requests the first child run that the run waits for. */
  async #nextOfChild(
    plan: Plan,
    run: Run,
    journal: readonly RunEvent[],
    prefix: string,
  ): Promise<RunEvent | undefined> {
    for (const { path } of Trace.of(journal).steps) {
      const state = stateAt(run, path);
      if (state?.status !== 'waiting' || state.awaiting.for !== 'child' || state.arrived !== undefined) continue;
      const children = this.#childrenUnder(plan, `${prefix}${path}>`);
      const ports = testPorts({ ...this.#values, plans: async () => plan, children });
      const command = { kind: 'child', path, attempt: state.attempt, awaiting: state.awaiting } as const;
      const event = await requestChild(ports, plan, run, command);
      return event && { ...event, at: run.at };
    }
    return undefined;
  }

  #childrenUnder(parentPlan: Plan, prefix: string): Children {
    return {
      cancel: async () => false,
      request: async ({ goesOn, item, parent, ...wanted }) => {
        const target =
          item === undefined
            ? this.#targetOf(wanted.workflow)
            : { plan: this.plans.get(item.definition) ?? parentPlan, ...item };
        if (target === undefined) throw new Error(`there is no workflow ${wanted.workflow}`);
        const old = goesOn && (await pastRun(this.sources, goesOn.runId));
        const begun =
          goesOn &&
          old &&
          (await goOn(this.sources, old, target, { at: 1, asksAgain: goesOn.asksAgain, told: goesOn.told }));
        const { inputs = wanted.inputs, part = item?.part } = begun ?? {};
        const runId = await this.run(
          { ...wanted, parent, inputs, part, definition: target.definition, rerunOf: goesOn?.runId },
          planFor(target.plan, { part }),
          begun?.carried.events,
          prefix,
        );
        this.#children.set(parent.runId, (this.#children.get(parent.runId) ?? new Map()).set(parent.path, runId));
        return this.#stateOf(runId);
      },
    };
  }

  #targetOf(workflow: string) {
    const definition = this.newest.get(workflow) ?? workflow;
    const plan = this.plans.get(definition);
    return plan && { definition, plan };
  }

  #stateOf(runId: string): ChildState {
    const { status, outputs, failure } = rowOf(replay(runId, this.eventsOf(runId)));
    if (status === 'queued' || status === 'running' || status === 'waiting') return { kind: 'running', runId };
    return { kind: 'finished', runId, status, ...(outputs && { outputs }), ...(failure && { failure }) };
  }
}

const isRerunOf = (runId: string, first: RunEvent | undefined): boolean =>
  first?.type === 'run.requested' && first.rerunOf === runId;
