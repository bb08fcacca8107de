/**
 * A compiled workflow, as the engine executes it.
 *
 * The authored document is validated once and turned into this tree; expressions are parsed, durations are
 * milliseconds, defaults are filled in, shorthands are spelled out. Nothing here depends on a run.
 */
import type { Expression, Template } from '@baton/expressions';
import type { JsonObject, JsonSchema } from '@baton/primitives';

/** How often, and at which intervals, a call is tried. */
export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly attempts: number;
  readonly backoff: 'exponential' | 'linear' | 'fixed';
  readonly delayMs: number;
  readonly maxDelayMs: number;
  readonly jitter: boolean;
  /** Codes of failures that are retried; absent: all transient ones. */
  readonly on?: readonly string[];
  /** In the first edition: failures that a tool reports are retried, too. */
  readonly alsoToolFailed?: true;
}

/** Progress restarts `idle`, and does not change `total`. */
export interface Timeout {
  readonly idleMs?: number;
  readonly totalMs?: number;
}

export interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
  readonly toolCalls?: number;
}

/** What calling a tool does, which decides whether the call may be repeated. */
export type Effect = 'read' | 'idempotent' | 'write';

/** How a server recognizes a repeated call: by `_meta.idempotencyKey`, or by an argument that holds the key. */
export type KeySupport = 'meta' | { readonly argument: string };

/** An effect and who decided it, for the check report and the audit. */
export interface DecidedEffect {
  readonly effect: Effect;
  readonly from: 'step' | 'server' | 'annotations' | 'default';
  /** Present if the server honours keys: it executes a `write` once, however often it is sent. */
  readonly idempotency?: KeySupport;
}

/** Steps that run top to bottom. */
export interface Block {
  readonly pointer: string;
  readonly steps: readonly Step[];
}

/** Keys of every step. */
export interface StepCommon {
  /** The step's segment in a path: its id, or `<verb>-<n>` with its 1-based place among its siblings. */
  readonly key: string;
  readonly id?: string;
  readonly title?: string;
  readonly pointer: string;
  readonly if?: Expression;
  readonly timeout: Timeout;
  readonly retry: RetryPolicy;
  readonly onError: OnError;
  readonly undo?: Block;
  /** `ensure` of an acting step, which runs after the step has succeeded; a group has it at the end of its steps. */
  readonly ensure?: Block;
  readonly budget?: Budget;
  /** Siblings inside a `parallel` that must end before this one starts. */
  readonly needs: readonly string[];
}

/**
 * `fail`: the enclosing block fails; `ignore`: the step stays failed and the next one runs; handlers: the first that
 * matches runs its steps.
 */
export type OnError = 'fail' | 'ignore' | readonly ErrorHandler[];

interface ErrorHandler {
  /** Failure codes; absent: any. */
  readonly match?: readonly string[];
  readonly block: Block;
}

/** The tool's schemas at the time of the check: its answers must fit `outputSchema`. */
export interface ToolSchemas {
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** A tool as it was at the time of the check. */
export interface ToolPin {
  /** Of its schemas and annotations. */
  readonly contract: string;
  /** Of its title and descriptions. Absent: they may change. */
  readonly text?: string;
  /** All that was kept of it, to say what has changed. Absent: it was too large to store, or a client saw it. */
  readonly definition?: object;
}

export interface ToolStep extends StepCommon {
  readonly verb: 'tool';
  readonly server: string;
  readonly tool: string;
  readonly with: Template<JsonObject>;
  readonly effect: DecidedEffect;
  /** The effect by the configuration and the annotations of the server, without the step's own. */
  readonly toolEffect: Effect;
  /** Absent: its server could not be asked, or the definition was too large to store. */
  readonly definition?: ToolSchemas;
  /** What the tool must still be when it is called. Absent: its server could not be asked. */
  readonly pin?: ToolPin;
  /** Defaults of required arguments, sent if `with` omits them. */
  readonly defaults?: JsonObject;
  /** Sent as `_meta.idempotencyKey`. */
  readonly idempotencyKey?: Template;
  readonly ifUnknown: 'fail' | 'retry' | 'ask' | 'check';
  /** Reads `result`: an answer for which it is true is a failure. */
  readonly failIf?: Expression;
  /** A step that finds out whether the call happened; `result` is that step in `happened`. */
  readonly check?: CheckPlan;
  /** `undo: declared`: its undo is the one that the server configuration declares. */
  readonly isUndoDeclared?: true;
}

/** How to find out whether a call happened. */
export interface CheckPlan {
  readonly block: Block;
  readonly happened: Expression;
  /** The output of the call that happened; absent: the step of a workflow has that of the check, a declared one none. */
  readonly output?: Expression;
  /** The server configuration declares it for all calls of the tool. */
  readonly isDeclared?: true;
}

interface PromptStep extends StepCommon {
  readonly verb: 'prompt';
  readonly server: string;
  readonly prompt: string;
  readonly with: Template<JsonObject>;
}

interface ResourceStep extends StepCommon {
  readonly verb: 'resource';
  readonly server: string;
  /** May be an RFC 6570 template, filled from `with`. */
  readonly uri: Template;
  readonly with: Template<JsonObject>;
}

export interface SampleStep extends StepCommon {
  readonly verb: 'sample';
  /** The fields of CreateMessageRequest: messages, systemPrompt, maxTokens, temperature, modelPreferences, … */
  readonly request: Template<JsonObject>;
  /** Text added as one more user message. */
  readonly append?: Template;
  /** The answer must fit this schema. */
  readonly output?: JsonSchema;
  /** Answered by the configured providers, or by the model of the MCP client that called the workflow. */
  readonly via: 'provider' | 'caller';
}

export interface AskStep extends StepCommon {
  readonly verb: 'ask';
  readonly message: Template;
  readonly form: JsonSchema;
  readonly expiresMs?: number;
  readonly onExpire?: Template;
}

export interface WaitStep extends StepCommon {
  readonly verb: 'wait';
  readonly for:
    | { readonly kind: 'duration'; readonly ms: number }
    | { readonly kind: 'until'; readonly at: Template }
    | { readonly kind: 'signal'; readonly name: string; readonly match?: Expression; readonly timeoutMs?: number };
}

interface SetStep extends StepCommon {
  readonly verb: 'set';
  readonly values: Template<JsonObject>;
}

/** Writes state of the workflow: for later runs, and not for this one. */
export interface StateStep extends StepCommon {
  readonly verb: 'state';
  readonly values: Template<JsonObject>;
  /** It fails if another run has written one of the keys since this run began, or since its own last write. */
  readonly ifUnchanged?: true;
}

export interface WorkflowStep extends StepCommon {
  readonly verb: 'workflow';
  readonly workflow: string;
  readonly version?: number;
  readonly with: Template<JsonObject>;
  /** The step is over as soon as the child run exists; it outlives its parent. */
  readonly isDetached?: true;
  /** It may only read: a version of the child that does more is not started. */
  readonly mustRead?: true;
}

export interface ParallelStep extends StepCommon {
  readonly verb: 'parallel';
  readonly steps: readonly Step[];
  readonly maxParallel: number;
  /** The first step that succeeds ends the others. */
  readonly until?: 'first';
}

/** A group. The states of its steps are in the enclosing frame, as if the steps were in place of the group. */
export interface GroupStep extends StepCommon {
  readonly verb: 'steps';
  readonly body: Block;
  /** Runs after the steps and the handler of the group, however they ended. */
  readonly finally?: Block;
}

export interface ForEachStep extends StepCommon {
  readonly verb: 'forEach';
  readonly items: Template;
  /** The item's name in scope. */
  readonly as: string;
  readonly body: Block;
  readonly maxParallel: number;
  readonly onItemError: 'fail' | 'collect';
  readonly collect?: Template;
  /** Items run as child runs, on any worker. */
  readonly distribute: boolean;
}

interface SwitchStep extends StepCommon {
  readonly verb: 'switch';
  /** In order; the one without `when` is `else`, and last. */
  readonly cases: readonly { readonly when?: Expression; readonly block: Block }[];
}

export interface RepeatStep extends StepCommon {
  readonly verb: 'repeat';
  readonly max: number;
  readonly until?: Expression;
  readonly while?: Expression;
  readonly everyMs?: number;
  readonly body: Block;
}

/** An entry of `ensure`: reads until a condition is true or the time is over. */
export interface EnsureStep extends StepCommon {
  readonly verb: 'ensure';
  /** One step, which reads; `result` in `that` is that step. */
  readonly body: Block;
  readonly that: Expression;
  /** Absent: it reads once. */
  readonly withinMs?: number;
  readonly everyMs: number;
}

export interface FailStep extends StepCommon {
  readonly verb: 'fail';
  readonly message: Template;
  readonly code: string;
}

export type Step =
  | ToolStep
  | PromptStep
  | ResourceStep
  | SampleStep
  | AskStep
  | WaitStep
  | SetStep
  | StateStep
  | WorkflowStep
  | ParallelStep
  | GroupStep
  | ForEachStep
  | SwitchStep
  | RepeatStep
  | EnsureStep
  | FailStep;

export type Verb = Step['verb'];

/** At most `limit` runs with the same key at once. */
export interface Concurrency {
  readonly key: Template;
  readonly limit: number;
  readonly whenFull: 'queue' | 'reject' | 'replace';
}

/** What a workflow remembers between its runs. */
export interface StatePlan {
  /** JSON Schema of the values; none is required. */
  readonly schema: JsonSchema;
  /** Of each declared key: its default, or null, which it is until a run has written it. */
  readonly defaults: JsonObject;
}

export interface Plan {
  readonly workflow: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the inputs object, defaults included. */
  readonly inputs: JsonSchema;
  /** Absent: the workflow declares none. */
  readonly state?: StatePlan;
  readonly timeoutMs?: number;
  readonly budget?: Budget;
  readonly concurrency?: Concurrency;
  readonly steps: Block;
  readonly onFailure?: Block;
  readonly finally?: Block;
  readonly outputs?: Template<JsonObject>;
}
