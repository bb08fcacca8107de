/** One call of a session's client: decides whether it is a new step of the run or a repetition of an earlier one. */
import { createHash } from 'node:crypto';

import { ProblemError } from '@baton/api';
import {
  type EventOf,
  type Failure,
  type Run,
  type GatewaySession,
  type SessionCall,
  type SessionTarget,
  calledName,
} from '@baton/engine';
import { limits } from '@baton/expressions';
import { type JsonObject, canonicalJson, defined } from '@baton/primitives';

/** The run of the session takes no more calls: the next one begins another run. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}

export interface WantedCall {
  readonly target: SessionTarget;
  readonly arguments: JsonObject;
  readonly by: string;
  /** The client's id of the call. */
  readonly key: string | undefined;
  /** Name of the connection that it came on. */
  readonly connection: string;
  /** What a person is asked before the call, where a person is asked. */
  readonly question: string;
  /** Whether a person must agree to it in any case. */
  readonly needsApproval: boolean;
  /** Why the call is recorded and not made. */
  readonly refusal: Failure | undefined;
}

/** Digest of the target and the arguments. */
export function digestOf({ target, arguments: given }: Pick<WantedCall, 'target' | 'arguments'>): string {
  const { verb, server } = target;
  return createHash('sha256')
    .update(canonicalJson({ verb, server, name: calledName(target), given }))
    .digest('hex');
}

/**
 * Finds the earlier call that the client repeats because it never saw the answer (decision 14). `isHeld`: whether a
 * request waits for that call now, or got its answer. Throws `ProblemError`.
 */
export function findRepeatedCall(
  { calls }: GatewaySession,
  wanted: WantedCall,
  digest: string,
  isHeld: (path: string) => boolean,
): SessionCall | undefined {
  if (wanted.key !== undefined) {
    const before = calls.find(({ key, refusal }) => key === wanted.key && refusal === undefined);
    if (before === undefined || before.digest === digest) return before;
    throw new ProblemError(
      'idempotency-key-reused',
      'This idempotency key was used in this session before, for another call or with other arguments.',
    );
  }
  // Repeats a call without side effects, since the result may have changed.
  if (wanted.target.verb !== 'tool' || wanted.target.effect.effect !== 'write') return undefined;
  return calls.find(
    ({ digest: before, deliveredAt, key, refusal, path }) =>
      before === digest && deliveredAt === undefined && key === undefined && refusal === undefined && !isHeld(path),
  );
}

/**
 * `doubt`: why a person must agree, if a call before may be the same. Throws `SessionOverError` if the session has
 * reached its limit of calls.
 */
export function requestedEvent(
  run: Run,
  session: GatewaySession,
  wanted: WantedCall,
  { at, doubt }: { readonly at: number; readonly doubt: string | undefined },
): EventOf<'call.requested'> {
  if (session.calls.length >= limits.session.calls) {
    throw new SessionOverError(`run ${run.id} has ${limits.session.calls} calls, the maximum`);
  }
  const { target, arguments: given, by, key, connection, question, needsApproval, refusal } = wanted;
  const approval = doubt === undefined ? question : `${doubt} ${question}`;
  return {
    type: 'call.requested',
    at: Math.max(at, run.at),
    path: `${stepIdOf(target)}-${session.calls.length + 1}`,
    target,
    arguments: { json: given },
    by,
    digest: digestOf(wanted),
    connection,
    ...defined({ key }),
    ...(needsApproval || doubt !== undefined ? { approval } : {}),
    ...defined({ refusal }),
  };
}

/** The beginning of the call's step id: the name of the tool or the prompt, or `read` for a resource. */
function stepIdOf(target: SessionTarget): string {
  const name = target.verb === 'resource' ? 'read' : calledName(target);
  const word = name.replace(/\W+/g, '_').slice(0, 48);
  return /^[A-Za-z]/.test(word) ? word : `call_${word}`;
}
