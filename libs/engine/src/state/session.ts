/**
 * A session: a run whose steps are the calls that a client requests, one after the other or at once. Its definition names
 * none of them: each call is appended from outside as `call.requested`, like a signal, and becomes a step.
 */

import type { Failure } from '../failure.ts';
import { invariant } from '../invariant.ts';
import type { EventOf, RunEvent } from './event.ts';
import type { Path } from './path.ts';
import type { SessionTarget } from './sessionTarget.ts';
import type { Value } from './value.ts';

export interface SessionCall {
  /** Path of its step. */
  readonly path: Path;
  readonly target: SessionTarget;
  readonly arguments: Value;
  /** Id of the API key that requested it. */
  readonly by: string;
  /** The client's own key of the call: a repeated request with it is the same call. */
  readonly key: string | undefined;
  /** SHA-256 over target and arguments, hex. */
  readonly digest: string;
  /** Name of the connection that it came on: an MCP connection, from one address; undefined: an older Baton recorded it. */
  readonly connection: string | undefined;
  /** The question that a person answers before the call; undefined: no approval is needed. */
  readonly approval: string | undefined;
  /** Why the call is not made; undefined: it is made. */
  readonly refusal: Failure | undefined;
  /** Epoch milliseconds. */
  readonly requestedAt: number;
  /** When the client was sent the answer; undefined: it was not yet. Epoch milliseconds. */
  readonly deliveredAt: number | undefined;
}

export interface GatewaySession {
  /** In the order of their requests. */
  readonly calls: readonly SessionCall[];
  readonly isClosed: boolean;
  /** When a call was last requested, or last ended. Epoch milliseconds. */
  readonly activeAt: number;
}

/** The empty session of a new run; undefined for a run that is no session. */
export const sessionOf = ({ trigger, at }: EventOf<'run.requested'>): GatewaySession | undefined =>
  trigger.kind === 'session' ? { calls: [], isClosed: false, activeAt: at } : undefined;

/** `before`: undefined for a run that is no session. */
export function evolveSession(before: GatewaySession | undefined, event: RunEvent): GatewaySession | undefined {
  switch (event.type) {
    case 'call.requested': {
      invariant(before !== undefined, 'calls are requested in a session only');
      invariant(callAt(before, event.path) === undefined, `${event.path} was requested before`);
      const { path, target, by, key, digest, connection, approval, refusal, at } = event;
      const call: SessionCall = {
        path,
        target,
        arguments: event.arguments,
        by,
        key,
        digest,
        connection,
        approval,
        refusal,
        requestedAt: at,
        deliveredAt: undefined,
      };
      return { ...before, calls: [...before.calls, call], activeAt: at };
    }
    case 'call.delivered': {
      invariant(before !== undefined, 'calls are delivered in a session only');
      const calls = before.calls.map((call) => (call.path === event.path ? { ...call, deliveredAt: event.at } : call));
      return { ...before, calls };
    }
    case 'session.closed':
      invariant(before !== undefined, 'only a session is closed');
      return { ...before, isClosed: true };
    case 'step.succeeded':
    case 'step.failed':
    case 'step.unknown':
    case 'step.cancelled':
    case 'step.skipped':
      return before && { ...before, activeAt: event.at };
    default:
      return before;
  }
}

const callAt = ({ calls }: GatewaySession, path: Path): SessionCall | undefined =>
  calls.find((call) => call.path === path);

/** The name under which a call's step reads its arguments. */
export const argumentsName = 'arguments';
