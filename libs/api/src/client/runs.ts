/** The client's methods for runs. */
import type { Run } from '../schemas/run.ts';
import type { AnyRunRequest } from '../schemas/startRun.ts';
import { type BodyOf, type CallOptions, type KeyedOptions, type QueryOf, call } from './call.ts';
import type { Connection } from './connection.ts';
import { type FollowedEvent, type FollowOptions, followRun } from './followRun.ts';
import { type AllOptions, type FilterOf, allOf, pageOf } from './listing.ts';

export interface StartOptions extends KeyedOptions, Partial<Omit<AnyRunRequest, 'workflow' | 'inputs'>> {}

/** Time limit of actions on many runs, which handle thousands one after the other. */
const manyMs = 10 * 60_000;

type Inputs = Readonly<Record<string, unknown>>;

export const runsOf = (connection: Connection) => {
  const get = (id: string, options?: CallOptions): Promise<Run> =>
    call(connection, 'getRun', { params: { id }, ...options });
  const follow = (id: string, options?: FollowOptions): AsyncGenerator<FollowedEvent> =>
    followRun(connection, id, options);
  return {
    /** `workflow`: the name of a deployed workflow, or an inline workflow as an object or YAML text. */
    start: (
      workflow: BodyOf<'startRun'>['workflow'],
      inputs: Inputs = {},
      { idempotencyKey, signal, timeoutMs, ...more }: StartOptions = {},
    ) => call(connection, 'startRun', { body: { workflow, inputs, ...more }, idempotencyKey, signal, timeoutMs }),
    /** Resolves to the run when it has ended, also if it failed. */
    wait: async (id: string, { signal, after = 0 }: FollowOptions = {}): Promise<Run> => {
      for await (const { event } of follow(id, { signal, after })) if (event.type === 'run.finished') break;
      return get(id, { signal });
    },
    /** Yields the events of the journal as they happen, until the run has ended. */
    follow,
    get,
    list: (query?: QueryOf<'listRuns'>, options?: CallOptions) => pageOf(connection, 'listRuns', query, options),
    all: (query?: FilterOf<'listRuns'>, options?: AllOptions) => allOf(connection, 'listRuns', query, options),
    /** Reads a page of the journal. */
    events: (id: string, query?: QueryOf<'listRunEvents'>, options?: CallOptions) =>
      pageOf(connection, 'listRunEvents', query, { params: { id }, ...options }),
    /** Reads a large value, of which other answers only show the beginning. */
    value: (id: string, sha256: string, options?: CallOptions) =>
      call(connection, 'getRunValue', { params: { id, sha256 }, ...options }),
    cancel: (id: string, { reason, ...options }: CallOptions & { readonly reason?: string | undefined } = {}) =>
      call(connection, 'cancelRun', { params: { id }, body: { reason }, ...options }),
    retry: (id: string, body: BodyOf<'retryRun'> = {}, options?: KeyedOptions) =>
      call(connection, 'retryRun', { params: { id }, body, ...options }),
    rerun: (id: string, body: BodyOf<'rerunRun'> = {}, options?: KeyedOptions) =>
      call(connection, 'rerunRun', { params: { id }, body, ...options }),
    undo: (id: string, body: BodyOf<'undoRun'> = {}, options?: CallOptions) =>
      call(connection, 'undoRun', { params: { id }, body, ...options }),
    /** Evaluates an expression with the values of the run. */
    evaluate: (id: string, body: BodyOf<'evaluateRun'>, options?: CallOptions) =>
      call(connection, 'evaluateRun', { params: { id }, body, ...options }),
    /** Learns a workflow that makes the same calls. `answers`: to the open questions of an earlier result. */
    learn: (id: string, body: BodyOf<'learnFromRun'> = {}, options?: CallOptions) =>
      call(connection, 'learnFromRun', { params: { id }, body, ...options }),
    /** Counts runs by time and status. */
    histogram: (query: QueryOf<'getRunHistogram'>, options?: CallOptions) =>
      call(connection, 'getRunHistogram', { query, ...options }),
    /** Groups failed runs by cause. */
    causes: (query: QueryOf<'getFailureCauses'> = {}, options?: CallOptions) =>
      call(connection, 'getFailureCauses', { query, ...options }),
    /** Lists calls whose outcome is not known, by what lost their answers. */
    unknown: (query: QueryOf<'listUnknownOutcomes'> = {}, options?: CallOptions) =>
      call(connection, 'listUnknownOutcomes', { query, ...options }),
    cancelMany: (body: BodyOf<'cancelRuns'>, options?: CallOptions) =>
      call(connection, 'cancelRuns', { body, timeoutMs: manyMs, ...options }),
    retryMany: (body: BodyOf<'retryRuns'>, options?: KeyedOptions) =>
      call(connection, 'retryRuns', { body, timeoutMs: manyMs, ...options }),
    signal: (id: string, name: string, payload: unknown = null, options?: CallOptions) =>
      call(connection, 'signalRun', { params: { id, name }, body: { payload }, ...options }),
  };
};
