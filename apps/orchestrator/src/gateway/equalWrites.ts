/**
 * Writes of a session that an equal write may repeat without meaning to: the client was told that the outcome is not
 * known, or its connection broke in silence (decision 14). Such a write is made again only if a person agrees, or if the
 * client gives it a key of its own.
 */
import { type Run, type SessionCall, type StepState, approvalKey, isEnded, stateAt } from '@baton/engine';

import type { WantedCall } from './sessionCall.ts';

export interface EqualWrite {
  readonly path: string;
  readonly outcome: 'unknown' | 'happened' | 'underWay';
  /** Name of the connection that requested it; undefined: an older Baton recorded it. */
  readonly connection: string | undefined;
  /** When its answer was handed to the network; undefined: just now, or not yet. Epoch milliseconds. */
  readonly answeredAt: number | undefined;
}

/** Two connections of one session may be one client, whose first connection broke and did not end. */
const otherConnectionMs = 60_000;

/** By digest of target and arguments: the last write that happened, or may have. */
export function equalWrites(run: Run): ReadonlyMap<string, EqualWrite> {
  const writes = new Map<string, EqualWrite>();
  for (const call of run.session?.calls ?? []) {
    const { digest, path, connection, deliveredAt } = call;
    const outcome = isWrite(call) ? outcomeOf(run, call) : undefined;
    if (outcome !== undefined) writes.set(digest, { path, outcome, connection, answeredAt: deliveredAt });
  }
  return writes;
}

export const isWrite = ({ target, refusal }: Pick<SessionCall, 'target' | 'refusal'>): boolean =>
  refusal === undefined && target.verb === 'tool' && target.effect.effect === 'write';

/** A client that gives a write a key says itself whether it is the same. */
export const mayBeDoubted = (wanted: WantedCall): boolean => wanted.key === undefined && isWrite(wanted);

/** Undefined: it did not happen. */
function outcomeOf(run: Run, { path }: SessionCall): EqualWrite['outcome'] | undefined {
  const state = stateAt(run, path);
  if (state !== undefined) return byStatus[state.status];
  if (isEnded(run)) return undefined;
  const approval = stateAt(run, approvalKey(path));
  return approval?.status === 'failed' || approval?.status === 'cancelled' ? undefined : 'underWay';
}

const byStatus: Readonly<Record<StepState['status'], EqualWrite['outcome'] | undefined>> = {
  running: 'underWay',
  waiting: 'underWay',
  retrying: 'underWay',
  succeeded: 'happened',
  unknown: 'unknown',
  // It may have been sent before the session was cancelled.
  cancelled: 'unknown',
  failed: undefined,
  skipped: undefined,
};

/** Why a person must agree to another write like this one; undefined: nothing is in doubt. */
export function doubtAbout(before: EqualWrite, connection: string, now: number): string | undefined {
  const { path, outcome, answeredAt = now } = before;
  if (outcome === 'unknown')
    return `Whether an equal call of this session (${path}) happened is not known. Made again, it may happen twice.`;
  // Two requests at once may be one client whose first connection broke in silence.
  if (outcome === 'underWay')
    return `An equal call of this session (${path}) is under way. Made again, it may happen twice.`;
  if (before.connection === connection || now - answeredAt >= otherConnectionMs) return undefined;
  return `An equal call was made less than a minute ago on another connection of this session (${path}). Made again, it happens twice.`;
}
