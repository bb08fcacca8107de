/**
 * The journal's vocabulary: facts about one run, in the past tense, in one total order (invariant I2).
 *
 * `at` is the time by Postgres' clock, in epoch milliseconds. Everything in an event survives JSON.
 * Paths name a step's place in this run: `scans/3/scan`, `charge/@onError/notify`, `@finally/release`.
 */
import type { Budget, Effect, Verb } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';

import type { Delivery, Failure } from '../failure.ts';
import type { DefinitionPart } from './definitionPart.ts';
import type { SessionTarget } from './sessionTarget.ts';
import type { Spending } from './spending.ts';
import type { Value } from './value.ts';

/** How much one run may do; its workflow cannot raise it. */
export interface RunLimits {
  /** Items of all its `forEach` steps together, including those of its child runs. */
  readonly items?: number;
  /** Unfinished runs of its source (`by`), child runs included; at this number no further child run begins. */
  readonly runs?: number;
}

/** The person behind a run. */
export interface RunPerson {
  /** As journals write it: of a person at a provider, the issuer and the subject there. */
  readonly id: string;
  /** For people to read. */
  readonly name: string;
  /**
   * What they did by which they agreed to the texts of child workflows that were deployed until then: a run that they asked
   * for, or the version that they deployed last of the workflow of a trigger. Absent: they asked for this run.
   */
  readonly agreed?:
    | { readonly workflow: string; readonly at: number; readonly version?: never }
    | { readonly workflow: string; readonly version: number };
  /** Why their logins are not used: a sentence that says who has to do what. Absent: they are used. */
  readonly notAgreed?: string;
}

/** What started a run. */
export interface Trigger {
  readonly kind:
    | 'api'
    | 'schedule'
    | 'webhook'
    | 'mcp'
    | 'resource'
    | 'poll'
    | 'event'
    | 'run'
    | 'device'
    | 'workflow'
    | 'retry'
    | 'rerun'
    | 'undo'
    | 'session';
  /** What distinguishes one firing from another: schedule id and instant, hook name and delivery id, device id. */
  readonly detail?: JsonObject;
}

/** The attempt of a step that requested this run. No two runs have the same parent. */
export interface Parent {
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
}

/** The intent: a call as decided, before it is sent. Secrets are masked. */
export type Call =
  | {
      readonly verb: 'tool';
      readonly server: string;
      readonly tool: string;
      readonly arguments: Value;
      readonly effect: Effect;
      /** By the server and its configuration, where that is stronger than what the step says: people are shown this one. */
      readonly toolEffect?: Effect;
      readonly idempotencyKey?: string;
      /** Arguments that the author has not written: the tool's defaults, and its idempotency key. */
      readonly added?: JsonObject;
      /** A `write` that its server executes once per key; every attempt of the step sends the same key. */
      readonly isKeyed?: true;
      /** SHA-256 of the arguments' JSON text, hex. Only for a `write`, whose call it identifies. */
      readonly digest?: string;
    }
  | { readonly verb: 'prompt'; readonly server: string; readonly prompt: string; readonly arguments: Value }
  /** `uri` may be an RFC 6570 template, filled from the arguments. */
  | { readonly verb: 'resource'; readonly server: string; readonly uri: string; readonly arguments: Value }
  | { readonly verb: 'sample'; readonly request: Value };

/** A question to a person. */
export interface Question {
  readonly message: string;
  /** A server's address that the person must open before answering; Baton never opens it. */
  readonly url?: string;
  /** JSON Schema of the answer. */
  readonly form: Json;
  /** A server's CreateMessageRequest params, for the model of the session's client; a person may answer instead. */
  readonly sample?: JsonObject;
  readonly expiresAt?: number;
  /** The answer that is used when time runs out. */
  readonly onExpire?: Json;
}

/** What a step that holds no worker is waiting for. */
export type WaitCondition =
  | { readonly for: 'time'; readonly until: number }
  | {
      readonly for: 'signal';
      readonly name: string;
      readonly expiresAt?: number;
      /** Journal position of the last signal that `match` was tried on; absent where that is quick to do again. */
      readonly tried?: number;
    }
  | { readonly for: 'answer'; readonly question: Question }
  /** Its turn at a server that takes calls at a rate, or has asked to be called later. The call was not sent. */
  | {
      readonly for: 'turn';
      readonly server: string;
      /** When its turn comes; absent: it has not asked for one yet. */
      readonly until?: number;
      /** The turns could not be asked, and are asked again at `until`. */
      readonly isAway?: true;
      /** Who has to log in to the server first, by name; it is looked again at `until`. */
      readonly login?: string;
      /** Since when it waits for the login. */
      readonly since?: number;
    }
  /** The model of the MCP client that called the workflow. */
  | { readonly for: 'sample'; readonly request: Value; readonly expiresAt?: number }
  | {
      readonly for: 'child';
      readonly workflow: string;
      readonly version?: number;
      readonly inputs: Value;
      /** The child runs one item of the enclosing `forEach`, on the inputs of this run. */
      readonly item?: true;
      /** What the child may spend. */
      readonly budget?: Budget;
      /** The step is over as soon as the child exists. */
      readonly detached?: true;
      /** In a rerun: the child begins with the outcomes of this run, which an earlier run had at this step. */
      readonly goesOn?: KeptChild;
      /** It is not started if it does more than reading. */
      readonly mustRead?: true;
    };

/** What an entry of `ensure` promises. */
export interface StepEnsures {
  /** The condition, as it is written. */
  readonly that: string;
  /** What is read: `github/get_issue`, `wiki wiki://page`, `the workflow audit`. */
  readonly read: string;
}

/** What Postgres has lost of a run, although its calls were made. Epoch milliseconds. */
export interface LostInterval {
  readonly from: number;
  readonly to: number;
}

/** What a person says of a call whose answer was lost, after its run has ended. */
export interface ToldOutcome {
  /** Of the step; in a child run, behind the path of the step that requested that run: `all/3/run>pay`. */
  readonly path: string;
  readonly happened: boolean;
  /** What the call answered, if it happened. */
  readonly output?: Json;
  readonly by: string;
}

/** A child run whose outcomes another one begins with. */
export interface KeptChild {
  readonly runId: string;
  /** Its questions, and those of the runs that it started, are asked again. */
  readonly asksAgain?: true;
  /** Of calls of the child run, and of the runs below it. */
  readonly told?: readonly ToldOutcome[];
}

/**
 * Why a run cancels its child, where that matters to the child: a limit, as by the code of its failure, or a failure that
 * undoes nothing.
 */
export type CancelCause = Pick<Failure, 'code' | 'message'>;

/** What a call cost. */
export interface Usage {
  /** The model, as `mcp.json` names it, or as the client says whose model answered; `several` of a call that asked several. */
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly usd?: number;
  /** The provider reported no token counts: one token for every four characters is assumed. */
  readonly estimated?: true;
}

/** How the steps of a run have ended; undoing, `onFailure` and `finally` may remain. */
export type RunEnd =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed' | 'cancelled'; readonly failure: Failure };

type EventShape<Type extends string, Fields> = { readonly type: Type; readonly at: number } & Readonly<Fields>;
type Step<Type extends string, Fields> = EventShape<Type, { path: string } & Fields>;

export type RunEvent =
  | EventShape<
      'run.requested',
      {
        workflow: string;
        /** Absent for a workflow given inline. */
        version?: number;
        /** Digest of the definition that the run keeps to its end. */
        definition: string;
        inputs: Value;
        trigger: Trigger;
        /** Who requested it: a key's id, or the trigger. */
        by: string;
        /** The client that requested it, where a person had connected it. */
        via?: string;
        /**
         * Whose logins its calls use: who asked for it, or who deployed the workflow of its trigger; for a child run, that
         * of its parent, and whether they agreed to its text. Absent: no person.
         */
        person?: RunPerson;
        tags?: readonly string[];
        priority?: number;
        parent?: Parent;
        rerunOf?: string;
        /** The run must not begin before this instant. */
        notBefore?: number;
        depth?: number;
        /** Absent: the run executes its whole definition. */
        part?: DefinitionPart;
        /** What the parent allows it to spend. */
        budget?: Budget;
        /** The limits of the API key that requested it; for a child run, what its parent has left of them. */
        limits?: RunLimits;
        /** Its parent went back in time: a child that Postgres has lost may have made the calls of this one. */
        lost?: LostInterval;
      }
    >
  | EventShape<'run.claimed', { worker: string; claim: number }>
  /** The state of the workflow as the run sees it to its end: every declared key, and how often each was written. */
  | EventShape<
      'state.read',
      {
        values: JsonObject;
        revisions: Readonly<Record<string, number>>;
        /** Earlier runs that this one goes on from. */
        writers?: readonly string[];
      }
    >
  /** The worker released the run: nothing can happen before `wakeAt`, or before another process appends. */
  | EventShape<'run.waiting', { wakeAt?: number }>
  | EventShape<'run.cancelRequested', { by: string; reason?: string; cause?: CancelCause }>
  /** The run can no longer succeed: it took too long, or spent too much. Its active steps are being stopped. */
  | EventShape<'run.stopped', { failure: Failure }>
  /** Postgres went back in time, and a person let the run go on: calls that it may have made since are unknown. */
  | EventShape<'run.rewound', LostInterval & { by: string }>
  /** The steps are over; undoing, `onFailure` and `finally` remain. */
  | EventShape<'run.ending', RunEnd>
  | EventShape<
      'run.finished',
      { status: 'succeeded'; outputs?: Value } | { status: 'failed' | 'cancelled'; failure: Failure }
    >
  | Step<
      'step.started',
      {
        verb: Verb;
        attempt: number;
        call?: Call;
        items?: Value;
        /** Number of `items`, in a run that limits them: the items themselves may be in a blob. */
        itemCount?: number;
        case?: number;
        ensures?: StepEnsures;
        /** In a rerun: items with a lower index than the last kept one that run again. */
        reopened?: readonly number[];
      }
    >
  | Step<
      'step.waiting',
      {
        verb: Verb;
        attempt: number;
        awaiting: WaitCondition;
        /** Its call had begun, and was not sent. */
        missedTurn?: true;
      }
    >
  | Step<'step.progressed', { attempt: number; progress: number; total?: number; message?: string }>
  | Step<
      'step.succeeded',
      {
        verb: Verb;
        attempt: number;
        value: Value;
        usage?: Usage;
        /** The server session on which the worker made the call: `tools#1`. */
        session?: string;
        /** Whose login the call used, where people have their own: as `by` names a person. */
        login?: string;
        /** Who answered, or signalled. */
        by?: string;
        /** A `state` that is refused if another run has written one of its keys. */
        ifUnchanged?: true;
        /** Journal position of the signal that a `wait` took. */
        signal?: number;
        /** The step has an `undo` that may still run. */
        undoable?: true;
        /** The outcome was carried over from the rerun run: its journal position there. */
        kept?: number;
      }
    >
  | Step<
      'step.retrying',
      {
        attempt: number;
        failure: Failure;
        delivery: Delivery;
        resumeAt: number;
        usage?: Usage;
        session?: string;
        login?: string;
      }
    >
  /** The call was sent and its outcome is not known; `ifUnknown` decides what follows. */
  | Step<
      'step.unknown',
      {
        attempt: number;
        failure: Failure;
        session?: string;
        login?: string;
        /** In a rerun: the run before it made `call` and did not learn its outcome; its journal position there. */
        kept?: number;
        call?: Call;
      }
    >
  | Step<
      'step.failed',
      { verb: Verb; attempt: number; failure: Failure; usage?: Usage; session?: string; login?: string; kept?: number }
    >
  | Step<'step.cancelled', { attempt: number; reason: string }>
  | Step<'step.skipped', { verb: Verb; kept?: number }>
  /** Its `undo` is over; the step is undone, or the undo failed and has its own event. */
  | Step<'step.undone', unknown>
  /**
   * One item of a `forEach`, one round of a `repeat`, or the steps of a group that has a `finally`, ended; `cut`: it was
   * stopped before its end.
   */
  | Step<
      'item.finished',
      { index: number; value?: Value; failure?: Failure; cut?: true; again?: boolean; resumeAt?: number }
    >
  /** A server asked a question during its call (MCP elicitation); the question ends with the call. */
  | Step<'question.asked', { attempt: number; question: Question }>
  | Step<'question.answered', { answer: Json; by: string }>
  /** The caller's model answered, or its client declined: the fields of CreateMessageResult, or a failure. */
  | Step<'sample.answered', { by: string; value?: Value; failure?: Failure; usage?: Usage }>
  /** The client of a session requested a call, which becomes the step at `path`. */
  | Step<
      'call.requested',
      {
        target: SessionTarget;
        arguments: Value;
        by: string;
        key?: string;
        digest: string;
        /** Name of the connection that it came on: an MCP connection, from one address. */
        connection?: string;
        approval?: string;
        /** Why the call is not made: its arguments do not fit what the client was shown of the tool. */
        refusal?: Failure;
      }
    >
  /** The client of the session was sent the answer to the call. */
  | Step<'call.delivered', unknown>
  /** The client ended its session: no more calls will be requested. */
  | EventShape<'session.closed', { by: string }>
  | EventShape<'signal.received', { name: string; payload: Json; by: string }>
  /** In a rerun: where the step with this path requests its child run, that run goes on from the named one. */
  | EventShape<'child.kept', KeptChild & { step: string }>
  /** A detached child run now exists. */
  | Step<
      'child.started',
      {
        runId: string;
        /** Items that the child may have, which count towards the parent's limit. */
        itemCount?: number;
      }
    >
  | Step<
      'child.finished',
      {
        runId: string;
        status: 'succeeded' | 'failed' | 'cancelled';
        outputs?: Value;
        failure?: Failure;
        spent?: Spending;
        /** Items that the child had, which count towards the parent's limit. */
        itemCount?: number;
      }
    >;

type RunEventType = RunEvent['type'];

export type EventOf<Type extends RunEventType> = Extract<RunEvent, { readonly type: Type }>;

/** What a run has read of the state of its workflow. */
export type RunState = Omit<EventOf<'state.read'>, 'type' | 'at'>;
