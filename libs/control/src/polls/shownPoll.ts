/** Polls as answers of the API. */
import { type Poll, instant } from '@baton/api';
import { defined, writtenDuration } from '@baton/primitives';
import type { PollState } from '@baton/store';

import { type DeployedPoll, nextPollAt, pollNameOf } from './deployedPoll.ts';

export interface PollSituation {
  /** Undefined: it was not polled yet. */
  readonly state: PollState | undefined;
  readonly keys: number;
  readonly isPaused: boolean;
}

export function shownPoll(poll: DeployedPoll, { state, keys, isPaused }: PollSituation): Poll {
  const { workflow, version, trigger } = poll;
  const { found, polledAt, failing } = state ?? {};
  return {
    id: pollNameOf(poll),
    workflow,
    version,
    ...(trigger.kind === 'poll'
      ? { tool: `${trigger.server}/${trigger.tool}` }
      : { event: `${trigger.server}/${trigger.event}` }),
    every: writtenDuration(trigger.everyMs),
    paused: isPaused,
    keys,
    ...(state === undefined || isPaused ? {} : { next: instant(nextPollAt(poll, state)) }),
    ...(found === undefined || polledAt === undefined
      ? {}
      : {
          last: {
            at: instant(polledAt),
            ...found,
            runs: [...found.runs],
            reasons: found.reasons.map((one) => ({ ...one })),
            refusals: found.refusals.map(({ index, key, reason }) => ({ index, ...defined({ key }), reason })),
          },
        }),
    ...(failing === undefined
      ? {}
      : { failing: { reason: failing.reason, times: failing.times, since: instant(failing.since) } }),
  };
}
