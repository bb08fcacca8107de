/** Groups calls of unknown outcome by what lost their answers: a session that broke, a worker that died. */
import { type LostAnswer, causeOf, lostAnswerIn } from '@baton/engine';
import type { UnknownOutcome } from '@baton/store';

export interface LostGroup extends LostAnswer {
  readonly server: string | undefined;
  readonly worker: string | undefined;
  /** Newest first. */
  readonly calls: readonly UnknownOutcome[];
}

const serverOf = ({ call }: UnknownOutcome): string | undefined =>
  call !== undefined && 'server' in call ? call.server : undefined;

/** Of a failure that does not say how the answer was lost, its own code and message. */
const lostOf = ({ unknown: { failure } }: UnknownOutcome): LostAnswer => lostAnswerIn(failure) ?? failure;

/** A worker takes all of its calls with it, a session those that are in flight on it. */
function keyOf(outcome: UnknownOutcome): string {
  const { worker, unknown } = outcome;
  const { code, message } = lostOf(outcome);
  if (code === 'worker-lost') return JSON.stringify([code, worker]);
  const server = serverOf(outcome);
  // Answers that come too late have nothing in common but their server; those of one session ended at one moment.
  if (code === 'connection-lost' && unknown.session !== undefined)
    return JSON.stringify([code, server, worker, unknown.session]);
  return JSON.stringify([code, server, causeOf(message)]);
}

/** The group with the newest call first. */
export function groupLost(outcomes: readonly UnknownOutcome[]): readonly LostGroup[] {
  const newest = outcomes.toSorted((one, other) => other.unknown.at - one.unknown.at);
  return [...Map.groupBy(newest, keyOf).values()].flatMap((calls) => {
    const [last] = calls;
    if (last === undefined) return [];
    const lost = lostOf(last);
    const server = lost.code === 'worker-lost' ? undefined : serverOf(last);
    return [{ ...lost, server, worker: last.worker, calls }];
  });
}
