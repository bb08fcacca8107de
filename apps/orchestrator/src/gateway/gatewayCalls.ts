/**
 * Calls of gateway clients. The orchestrator appends each call to the run of its session, a worker executes it as a
 * step, and the answer is read from the journal. So the client gets exactly what is recorded.
 */
import { ProblemError } from '@baton/api';
import {
  type RunAppender,
  appendOutside,
  type Principal,
  type RunWatches,
  type AskedQuestion,
  questionsIn,
} from '@baton/control';
import {
  type Failure,
  type Run,
  type GatewaySession,
  type SessionCall,
  type SessionTarget,
  type StepState,
  approvalKey,
  checkProgress,
  isEnded,
  stateAt,
} from '@baton/engine';
import { type Json, type JsonObject, defined } from '@baton/primitives';
import { advance, BlobCache, BlobOffloader, UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';

import { type EqualWrite, doubtAbout, equalWrites, isWrite, mayBeDoubted } from './equalWrites.ts';
import { type CallPlace, HeldCalls } from './heldCalls.ts';
import { PastRuns } from './pastRuns.ts';
import { digestOf, findRepeatedCall, requestedEvent, SessionOverError, type WantedCall } from './sessionCall.ts';
import type { SessionJournal } from './sessionJournal.ts';
import { SessionJournals } from './sessionJournals.ts';
import type { SessionClient, SessionRuns } from './sessionRuns.ts';

export interface GatewayCallsOptions extends RunAppender {
  readonly store: Pick<Store, 'blobs'>;
  readonly watches: RunWatches;
  readonly runs: Pick<SessionRuns, 'open'>;
  /** Absent: none is held yet. */
  readonly held?: HeldCalls;
}

export interface GatewayCall {
  readonly principal: Principal;
  /** Name of the session. */
  readonly session: string;
  readonly client: SessionClient;
  readonly target: SessionTarget;
  readonly arguments: JsonObject;
  readonly key: string | undefined;
  readonly connection: string;
  readonly question: string;
  readonly needsApproval: boolean;
  readonly refusal: Failure | undefined;
}

export interface PlacedCall extends CallPlace {
  /** The client asked for this call before, and did not see the answer. */
  readonly isRepeated: boolean;
}

export type CallEnd = Extract<StepState, { status: 'succeeded' | 'failed' | 'unknown' | 'cancelled' | 'skipped' }>;

export type CallOutcome =
  | { readonly kind: 'ended'; readonly state: CallEnd; readonly value: Json | undefined }
  | { readonly kind: 'asked'; readonly question: AskedQuestion }
  /** A person was asked and did not answer in time. `why`: the client's own answers were refused. */
  | { readonly kind: 'unanswered'; readonly question: AskedQuestion; readonly why?: string }
  | { readonly kind: 'sessionOver'; readonly run: Run }
  /** The client stopped waiting. */
  | { readonly kind: 'left' };

export interface FollowCallOptions {
  readonly signal: AbortSignal;
  /** How long to wait for the answer to a question that this client cannot be asked. */
  readonly forMs: number;
  /** Whether the client can be asked this question. */
  readonly stopsAt: (question: AskedQuestion) => boolean;
  readonly onProgress: (progress: { progress: number; total?: number; message?: string }) => void;
}

export class GatewayCalls {
  readonly #options: GatewayCallsOptions;
  readonly #journals: SessionJournals;
  readonly #held: HeldCalls;
  readonly #pastRuns: PastRuns;

  constructor(options: GatewayCallsOptions) {
    this.#options = options;
    this.#journals = new SessionJournals(options);
    this.#held = options.held ?? new HeldCalls();
    this.#pastRuns = new PastRuns(options.journal);
  }

  /** Records the call. Rejects with `ProblemError` and `UnavailableError`. */
  async place(call: GatewayCall): Promise<PlacedCall> {
    const { runs } = this.#options;
    const { principal, session, client, ...called } = call;
    const wanted = { ...called, by: principal.by };
    let over: string | undefined;
    for (;;) {
      const { runId, before } = await runs.open(principal, session, client, over);
      try {
        const past = before === undefined ? undefined : await this.#pastRuns.read(before, wanted);
        return this.#repeatedIn(past?.run, wanted) ?? (await this.#append(runId, wanted, past?.equal));
      } catch (error) {
        if (!(error instanceof SessionOverError) || runId === over) throw error;
        over = runId;
      }
    }
  }

  /** The call that is repeated, if it was made in the run before this one, which was full and has not ended yet. */
  #repeatedIn(run: Run | undefined, wanted: WantedCall): PlacedCall | undefined {
    if (run?.session === undefined) return undefined;
    const call = this.#findRepeated(run, run.session, wanted);
    return call && { runId: run.id, path: call.path, isRepeated: true };
  }

  #findRepeated({ id: runId }: Run, session: GatewaySession, wanted: WantedCall): SessionCall | undefined {
    return findRepeatedCall(session, wanted, digestOf(wanted), (path) => this.#held.has({ runId, path }));
  }

  /** `past`: an equal write in the run before. */
  async #append(runId: string, wanted: WantedCall, past: EqualWrite | undefined): Promise<PlacedCall> {
    let placed: PlacedCall | undefined;
    const follow: Parameters<typeof appendOutside>[2] = (run, at) => {
      const { session } = run;
      if (session?.isClosed === true)
        throw new ProblemError('not-found', 'The client ended this session. Begin another one with initialize.');
      if (session === undefined || isEnded(run) || run.cancel !== undefined) {
        this.#held.forget(runId);
        throw new SessionOverError(`run ${runId} takes no more calls`);
      }
      const before = this.#findRepeated(run, session, wanted);
      if (before !== undefined) {
        placed = { runId, path: before.path, isRepeated: true };
        return [];
      }
      const equal = mayBeDoubted(wanted) ? (equalWrites(run).get(digestOf(wanted)) ?? past) : undefined;
      const doubt = equal && doubtAbout(equal, wanted.connection, at);
      const event = requestedEvent(run, session, wanted, { at, doubt });
      placed = { runId, path: event.path, isRepeated: false };
      return [event];
    };
    const run = await appendOutside(this.#options, runId, follow, new BlobOffloader(new BlobCache(0)));
    if (run === undefined || placed === undefined) throw new UnavailableError(`run ${runId} cannot be read`);
    return placed;
  }

  /**
   * Waits for the end of the call, or for a question before it. After `ended` and `sessionOver`, `answered` must be
   * called. Rejects with `UnavailableError`.
   */
  async follow(place: CallPlace, more: FollowCallOptions): Promise<CallOutcome> {
    this.#held.hold(place);
    let isAnswered = false;
    try {
      const outcome = await this.#follow(place, more);
      isAnswered = outcome?.kind === 'ended' || outcome?.kind === 'sessionOver';
      return outcome ?? { kind: 'left' };
    } finally {
      // Also where something could not be read: the client is told to make the same call again.
      if (!isAnswered) this.#held.release(place);
    }
  }

  async #follow({ runId, path }: CallPlace, more: FollowCallOptions): Promise<CallOutcome | undefined> {
    const look = async ({ events }: SessionJournal, run: Run, isLate: boolean): Promise<CallOutcome | undefined> => {
      const end = endOf(run, path);
      if (end !== undefined) return { kind: 'ended', state: end, value: await this.#valueOf(end) };
      if (isEnded(run)) return { kind: 'sessionOver', run };
      if (run.questions === 0) return undefined;
      const own = questionsIn(runId, events).filter(
        (one) => one.isOpen && (one.path === path || one.path === approvalKey(path)),
      );
      const asked = own.find((one) => more.stopsAt(one));
      if (asked !== undefined) return { kind: 'asked', question: asked };
      const [question] = own;
      return isLate && question !== undefined ? { kind: 'unanswered', question } : undefined;
    };
    const { signal, forMs } = more;
    const onProgress: Parameters<SessionJournal['follow']>[1]['onProgress'] = ({
      path: at,
      progress,
      total,
      message,
    }) => {
      if (at !== path) return;
      more.onProgress({
        progress,
        ...defined({ total, message }),
      });
    };
    return this.#journals.follow(runId, look, { signal, forMs, onProgress });
  }

  /** Notes whether the client received the answer. For calls that may not be repeated, this is recorded. */
  answered(place: CallPlace, isDelivered: boolean): void {
    if (!isDelivered) return this.#held.release(place);
    const { runId, path } = place;
    const { journal, clock, queues } = this.#options;
    const record = () =>
      advance(journal, runId, (run) => {
        const call = run.session?.calls.find((one) => one.path === path);
        if (call === undefined || call.deliveredAt !== undefined || isEnded(run) || !isWrite(call)) return [];
        return [{ type: 'call.delivered', at: Math.max(clock.now(), run.at), path }];
      });
    // In the run's queue: a call that read the run before this record finds it held, and one that reads it later finds
    // the record. Without the record a repeated call gets this answer, which is right while this process remembers.
    queues
      .next(runId, async () => {
        await record();
        this.#held.release(place);
      })
      .catch((error: unknown) => {
        if (!(error instanceof UnavailableError)) throw error;
      });
  }

  /** Ends the session: its run takes no more calls, and ends after the last of them. */
  async close(runId: string, by: string): Promise<void> {
    await appendOutside(this.#options, runId, (run, at) =>
      isEnded(run) || run.session === undefined || run.session.isClosed ? [] : [{ type: 'session.closed', at, by }],
    );
    this.#journals.forget(runId);
    this.#held.forget(runId);
  }

  async #valueOf(state: CallEnd): Promise<Json | undefined> {
    if (state.status !== 'succeeded') return undefined;
    const { value } = state;
    if ('json' in value) return value.json;
    const text = 'blob' in value ? await this.#options.store.blobs.get(value.blob.sha256) : undefined;
    return text === undefined ? null : (JSON.parse(text) as Json);
  }
}

/** Its declared check has not said yet whether the call happened. */
function isBeingChecked(run: Run, path: string, state: StepState): boolean {
  const target = run.session?.calls.find((call) => call.path === path)?.target;
  const isChecked = target?.verb === 'tool' && target.check !== undefined;
  return isChecked && !isEnded(run) && checkProgress(state) !== 'over';
}

function endOf(run: Run, path: string): CallEnd | undefined {
  const state = stateAt(run, path);
  switch (state?.status) {
    case 'unknown':
      return isBeingChecked(run, path, state) ? undefined : state;
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'skipped':
      return state;
    case undefined: {
      // No person approved the call in time, so it is not made.
      const approval = stateAt(run, approvalKey(path));
      return approval?.status === 'failed' || approval?.status === 'cancelled' ? approval : undefined;
    }
    default:
      return undefined;
  }
}
