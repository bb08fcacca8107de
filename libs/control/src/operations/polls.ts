/** Operations of polls: look at them, poll now, forget what was seen. */
import { type Poll, type PollReset, instant, ProblemError, routes } from '@baton/api';
import { defined } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Store, countKeys, newestItems, readPolls, resetPoll as forgetSeen } from '@baton/store';

import { checkEffectsOf } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { type DeployedPoll, namedPoll, pollNameOf } from '../polls/deployedPoll.ts';
import type { Poller } from '../polls/poller.ts';
import { shownPoll } from '../polls/shownPoll.ts';
import { operation } from './operation.ts';
import { type PageInput, pageIn } from './page.ts';
import { type ById, allReached } from './reach.ts';

export interface PollParts {
  readonly store: Store;
  readonly plans: Plans;
  readonly poller: Pick<Poller, 'all' | 'now'>;
}

const recentMax = 50;

/** A page, ordered by id. */
export const listPolls = operation(routes.listPolls, {
  reach: allReached,
  effects: 'none',
  perform: async (
    parts: PollParts,
    caller,
    { workflow, ...page }: PageInput & { readonly workflow?: string | undefined },
  ) => {
    const all = (await parts.poller.all()).filter(
      (one) => maySee(caller, one.workflow) && (workflow === undefined || one.workflow === workflow),
    );
    const named = all.map((poll) => ({ id: pollNameOf(poll), poll })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const { data, next } = pageIn(named, page);
    return {
      data: await shown(
        parts,
        data.map(({ poll }) => poll),
      ),
      next,
    };
  },
});

/** With the items that it saw last. */
export const getPoll = operation(routes.getPoll, {
  reach: (parts: PollParts, caller, input: ById) => pollInReach(parts, caller, input),
  effects: 'none',
  perform: async (parts, _caller, { id }, poll) => {
    const items = await newestItems(parts.store, id, recentMax);
    const recent = items.map(({ key, text, seenAt, runId }) => ({
      key,
      ...defined({ text }),
      at: instant(seenAt),
      ...defined({ runId }),
    }));
    return { ...(await one(parts, poll)), recent };
  },
});

export const pollNow = operation(routes.pollNow, {
  reach: (parts: PollParts, caller, input: ById) => pollInReach(parts, caller, input),
  effects: checkMayStart,
  perform: async ({ poller }, _caller, _input, poll) => poller.now(poll),
});

/** The next poll begins anew. */
export const resetPoll = operation(routes.resetPoll, {
  reach: (parts: PollParts, caller, input: ById & { readonly reset: PollReset }) => pollInReach(parts, caller, input),
  effects: checkMayStart,
  perform: async (parts, caller, { reset: { start = 'now' } }, poll) => {
    await forgetSeen(parts.store, namedPoll(poll), { begins: start, by: caller.by });
    return one(parts, poll);
  },
});

/** Its runs would do what the key itself may not. */
async function checkMayStart({ store, plans }: PollParts, caller: Principal, poll: DeployedPoll): Promise<void> {
  const version = await store.findVersion(poll);
  if (version !== undefined) await checkEffectsOf(caller, plans, version.definition);
}

async function pollInReach({ poller }: PollParts, caller: Principal, { id }: ById): Promise<DeployedPoll> {
  const all = (await poller.all()).filter(({ workflow }) => maySee(caller, workflow));
  const found = all.find((poll) => pollNameOf(poll) === id);
  if (found !== undefined) return found;
  const near = all.filter(({ workflow }) => workflow === id || id.startsWith(`${workflow}.`)).slice(0, 3);
  const names = near.map((poll) => JSON.stringify(pollNameOf(poll)));
  const hint = names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`;
  throw new ProblemError('not-found', `There is no poll ${JSON.stringify(id.slice(0, 80))}.${hint}`);
}

async function one(parts: PollParts, poll: DeployedPoll): Promise<Poll> {
  const [only] = await shown(parts, [poll]);
  if (only === undefined) throw new ProblemError('not-found', 'There is no such poll any more.');
  return only;
}

async function shown({ store }: PollParts, polls: readonly DeployedPoll[]): Promise<Poll[]> {
  const names = polls.map(pollNameOf);
  const [states, keys] = await Promise.all([readPolls(store, names), countKeys(store, names)]);
  const versions = await Promise.all(polls.map(({ workflow }) => store.findVersion({ workflow })));
  return polls.map((poll, at) => {
    const name = names[at] ?? '';
    const state = states.find((row) => row.name === name);
    return shownPoll(poll, { state, keys: keys.get(name) ?? 0, isPaused: versions[at]?.pausedBy !== undefined });
  });
}
