/** The client of Baton's API: for Node, Bun, Deno, edge runtimes and browsers. */
import type {
  Accepted,
  ApprovedWorkflow,
  AuditCall,
  AuditEntry,
  AuditReport,
  Cancelling,
  CheckedCall,
  CheckedReference,
  Deployed,
  Finding,
  Key,
  ListAuditCallsQuery,
  ListAuditEntriesQuery,
  ListQuestionsQuery,
  ListRunsQuery,
  ListSchedulesQuery,
  MadeKey,
  NewKey,
  ProblemDetail,
  Question,
  Readiness,
  Rerun,
  RerunResult,
  Retry,
  Run,
  RunInList,
  RunRequest,
  Schedule,
  Secret,
  Server,
  Signalled,
  TakenAnswer,
  TestedServer,
  Tool,
  TriggeredSchedule,
  Workflow,
  WorkflowInList,
} from './contract.js';
import type { RunEvent } from './events.js';

export type { EventOf, RunEvent, RunEventType } from './events.js';
export type * from './contract.js';

/**
 * Inputs and outputs by the name of the workflow. `baton types` writes a file that fills it in for what is deployed;
 * without it any name, inputs and outputs are taken.
 */
export interface Workflows {}

type Name = keyof Workflows | (string & {});
type Of<W, Part extends string> = W extends keyof Workflows
  ? Workflows[W] extends Record<Part, infer Value>
    ? Value
    : unknown
  : Readonly<Record<string, unknown>>;

declare const workflow: unique symbol;

/** The id of a run; remembers of which workflow. Any string will do. */
export type RunId<W = unknown> = string & { readonly [workflow]?: W };

/** `{}` where nothing is required. */
type StartArguments<W> =
  {} extends Of<W, 'inputs'>
    ? [inputs?: Of<W, 'inputs'>, options?: StartOptions]
    : [inputs: Of<W, 'inputs'>, options?: StartOptions];

export type StartedRun<W> = Omit<Accepted, 'id'> & { readonly id: RunId<W> };
export type FinishedRun<W> = Omit<Run, 'outputs'> & { readonly outputs?: Of<W, 'outputs'> };

export interface ClientOptions {
  /** Where the API is: `http://127.0.0.1:4400`. */
  readonly url: string | URL;
  /** An API key. Absent: a browser sends the cookie of its session. */
  readonly key?: string | undefined;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
  /** How often a request that may be repeated is tried again; 2 where nothing is said. */
  readonly retries?: number;
  /** For one try; 30,000 where nothing is said. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface KeyedOptions extends CallOptions {
  /** The same key again is the same run. Absent: the client makes one, so that it can repeat the request. */
  readonly idempotencyKey?: string | undefined;
}

export interface StartOptions extends KeyedOptions, Partial<Omit<RunRequest, 'inputs'>> {}

export interface ListOptions extends CallOptions {
  /** At most so many; absent: all there are. */
  readonly limit?: number | undefined;
}

export interface FollowOptions {
  /** Only what comes after this position of the journal. */
  readonly after?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection is there, and when it broke and is tried again. */
  readonly onConnection?: (
    connection:
      | { readonly state: 'open'; readonly clockAheadMs: number }
      | { readonly state: 'cut'; readonly retryMs: number },
  ) => void;
}

/** An event and its position in the journal, from 1. Its `type` says which fields it has; `at` is epoch milliseconds. */
export interface FollowedEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

/** The filters of a list. How many items are read is said in the options: `limit`. */
type Filter<Query, Items = Omit<Query, 'limit' | 'cursor'>> = {
  readonly [Name in keyof Items]: Items[Name] | undefined;
};

export interface Client {
  readonly url: URL;
  readonly runs: {
    /** `workflow`: the name of a deployed one, or a whole one as an object or as YAML text. */
    // One signature: of several, TypeScript explains another one than the caller means.
    start<W extends Name | object>(workflow: W, ...rest: StartArguments<W>): Promise<StartedRun<W>>;
    /** The run, once it has ended, however it ended: see its `status`. */
    wait<W = unknown>(id: RunId<W>, options?: FollowOptions): Promise<FinishedRun<W>>;
    /** Every event of the journal as it happens, until the run has ended. Comes back by itself after a cut. */
    follow(id: string, options?: FollowOptions): AsyncGenerator<FollowedEvent>;
    get<W = unknown>(id: RunId<W>, options?: CallOptions): Promise<FinishedRun<W>>;
    /** One after the other, newest first, page after page. */
    all(query?: Filter<ListRunsQuery>, options?: ListOptions): AsyncGenerator<RunInList>;
    cancel(id: string, options?: CallOptions & { readonly reason?: string | undefined }): Promise<Cancelling>;
    /** Goes on with a failed run at the step that failed: `id` of the answer is the new run. */
    retry(id: string, body?: Retry, options?: KeyedOptions): Promise<RerunResult>;
    rerun(id: string, body?: Rerun, options?: KeyedOptions): Promise<RerunResult>;
    signal(id: string, name: string, payload?: unknown, options?: CallOptions): Promise<Signalled>;
  };
  readonly workflows: {
    check(
      text: string,
      options?: CallOptions & { readonly servers?: boolean },
    ): Promise<{
      readonly findings: readonly Finding[];
      readonly calls: readonly CheckedCall[];
      readonly references: readonly CheckedReference[];
    }>;
    deploy(text: string, options?: CallOptions): Promise<Deployed & { readonly isNew: boolean }>;
    all(options?: ListOptions): AsyncGenerator<WorkflowInList>;
    get(id: string, options?: CallOptions): Promise<Workflow>;
    delete(id: string, options?: CallOptions): Promise<null>;
  };
  readonly questions: {
    all(query?: Filter<ListQuestionsQuery>, options?: ListOptions): AsyncGenerator<Question>;
    get(id: string, options?: CallOptions): Promise<Question>;
    answer(id: string, answer: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<TakenAnswer>;
  };
  readonly schedules: {
    all(query?: Filter<ListSchedulesQuery>, options?: ListOptions): AsyncGenerator<Schedule>;
    get(id: string, options?: CallOptions): Promise<Schedule>;
    pause(id: string, options?: CallOptions): Promise<Schedule>;
    resume(id: string, options?: CallOptions): Promise<Schedule>;
    trigger(id: string, options?: CallOptions): Promise<TriggeredSchedule>;
  };
  readonly servers: {
    all(options?: ListOptions): AsyncGenerator<Server>;
    get(name: string, options?: CallOptions): Promise<Server>;
    tools(name: string, options?: CallOptions): Promise<{ readonly data: readonly Tool[] }>;
    test(name: string, options?: CallOptions): Promise<TestedServer>;
    approve(
      name: string,
      body?: object,
      options?: CallOptions,
    ): Promise<{ readonly workflows: readonly ApprovedWorkflow[] }>;
  };
  readonly secrets: {
    all(options?: ListOptions): AsyncGenerator<Secret>;
    set(name: string, value: string, options?: CallOptions): Promise<Secret>;
    delete(name: string, options?: CallOptions): Promise<null>;
  };
  readonly keys: {
    all(options?: ListOptions): AsyncGenerator<Key>;
    create(body: NewKey, options?: CallOptions): Promise<MadeKey>;
    revoke(id: string, options?: CallOptions): Promise<null>;
  };
  readonly audit: {
    all(query?: Filter<ListAuditEntriesQuery>, options?: ListOptions): AsyncGenerator<AuditEntry>;
    calls(query?: Filter<ListAuditCallsQuery>, options?: ListOptions): AsyncGenerator<AuditCall>;
    verify(body?: object, options?: CallOptions): Promise<AuditReport>;
  };
  isReady(options?: CallOptions): Promise<Readiness>;
}

export function createClient(options: ClientOptions): Client;

/** A request that was refused: problem+json as an error. `message` is the problem's `detail`. */
export class ProblemError extends Error {
  readonly name: 'ProblemError';
  /** What to go by: `not-found`, `validation-failed`, … */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly ProblemDetail[];
  /** What was asked for: `POST /v1/runs`. */
  readonly request: string | undefined;
  /** By which the server's log knows the request. */
  readonly requestId: string | undefined;
  /** After how long another try makes sense. */
  readonly retryAfterMs: number | undefined;
}

/** No answer, or one that no Baton gives. Nothing is known of what was asked for. */
export class UnreachableError extends Error {
  readonly name: 'UnreachableError';
  readonly url: string;
  /** `away`: no answer came. `not-baton`: something else answers there. `lost`: a stream did not come back. */
  readonly why: 'away' | 'not-baton' | 'lost';
  /** Of the system, where it gave one: `ECONNREFUSED`. */
  readonly code: string | undefined;
}
