/** Polls of deployed workflows: how they are called, and when the next one is due. */
import type { EventTrigger, PollTrigger } from '@baton/language';
import type { NamedPoll, PollState } from '@baton/store';

import type { DeployedTrigger } from '../deploy/deployedTriggers.ts';

/** Of a tool, or of an event of a server. */
export type DeployedPoll = DeployedTrigger<PollTrigger | EventTrigger>;

export type DeployedEvent = DeployedTrigger<EventTrigger>;

/** The last part is the tool or the event where its author gives no `id`. */
export const pollNameOf = ({ workflow, trigger }: DeployedPoll): string => `${workflow}.${trigger.name}`;

export const namedPoll = (poll: DeployedPoll): NamedPoll => ({
  name: pollNameOf(poll),
  workflow: poll.workflow,
  basis: poll.trigger.basis,
});

/** Epoch milliseconds. A new version with a shorter pause waits for no longer one; the server of an event may ask for one. */
export const nextPollAt = ({ trigger }: DeployedPoll, { failing, polledAt, nextAt }: PollState): number =>
  trigger.kind === 'poll' && failing === undefined && polledAt !== undefined
    ? Math.min(nextAt, polledAt + trigger.everyMs)
    : nextAt;
