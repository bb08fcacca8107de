/**
 * A session: a run whose steps are the calls that a client asks for, one after the other or at once. Its definition names
 * none of them: `call.requested` brings each call, appended from outside like a signal, and makes it a step.
 */

import { invariant } from '../invariant.ts';
import type { EventOf, RunEvent } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import type { Value } from '../state/value.ts';
import type { SessionTarget } from './sessionTarget.ts';

export interface SessionCall {
  /** Its step. */
  readonly path: Path;
  readonly target: SessionTarget;
  readonly arguments: Value;
  /** Who asked for it: a key. */
  readonly by: string;
  /** By which the client knows the call, and sends it again. */
  readonly key: string | undefined;
  /** SHA-256 over target and arguments, hex. */
  readonly digest: string;
  /** What a person is asked before the call; absent: no person is asked. */
  readonly approval: string | undefined;
  /** The client has the answer. */
  readonly isDelivered: boolean;
}

export interface Session {
  /** In the order in which they were asked for. */
  readonly calls: readonly SessionCall[];
  readonly isClosed: boolean;
  /** When the last call was asked for, or ended. */
  readonly activeAt: number;
}

/** Of `run.requested`. */
export const sessionOf = ({ trigger, at }: EventOf<'run.requested'>): Session | undefined =>
  trigger.kind === 'session' ? { calls: [], isClosed: false, activeAt: at } : undefined;

/** `before`: undefined for a run that is no session. */
export function evolveSession(before: Session | undefined, event: RunEvent): Session | undefined {
  switch (event.type) {
    case 'call.requested': {
      invariant(before !== undefined, 'calls are asked for in a session only');
      invariant(callAt(before, event.path) === undefined, `${event.path} was asked for before`);
      const { path, target, by, key, digest, approval, at } = event;
      const call: SessionCall = {
        path,
        target,
        arguments: event.arguments,
        by,
        key,
        digest,
        approval,
        isDelivered: false,
      };
      return { ...before, calls: [...before.calls, call], activeAt: at };
    }
    case 'call.delivered': {
      invariant(before !== undefined, 'calls are delivered in a session only');
      const calls = before.calls.map((call) => (call.path === event.path ? { ...call, isDelivered: true } : call));
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

const callAt = ({ calls }: Session, path: Path): SessionCall | undefined => calls.find((call) => call.path === path);

/** The arguments of a call are read under this name, once it begins. */
export const argumentsName = 'arguments';
