/**
 * One poll: asks the tool, starts a run for each new item, and remembers the keys, runs and keys in one transaction. A
 * process that ends between the answer and the transaction has done nothing; the next poll finds the same items.
 */
import { ProblemError } from '@baton/api';
import { FailureError, unfitWrite } from '@baton/engine';
import { EvaluationError, limits } from '@baton/expressions';
import { backoffMs, canonicalJson, cleanText } from '@baton/primitives';
import { UnavailableError } from '@baton/runner';
import {
  type PollCommit,
  type PollFound,
  type PollRefusal,
  type PollState,
  type Store,
  auditPoll,
  commitPoll,
  failPoll,
  readPolls,
  seenKeys,
} from '@baton/store';

import type { RunStarter } from '../intake/starter.ts';
import { triggerPrincipal } from '../keys/triggerPrincipal.ts';
import { type DeployedPoll, pollNameOf } from './deployedPoll.ts';
import { askForEvents } from './eventAnswer.ts';
import { type KeyedItem, type PlannedStarts, keysOf, startsOf } from './newItems.ts';
import { type PollAnswer, type PollCalls, askForItems, inScope } from './pollAnswer.ts';

export interface PollOptions extends PollCalls {
  readonly starter: Pick<RunStarter, 'prepare' | 'prepared' | 'roomOf'>;
  /** Called where a poll fails, and where it refuses items. */
  readonly onRefused: (poll: string, reason: string) => void;
}

export type Polled =
  /** `hasMore`: the server has further events now. */
  | { readonly kind: 'answered'; readonly found: PollFound; readonly hasMore: boolean }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The workflow is paused: nothing was asked. */
  | { readonly kind: 'paused' }
  /** Another process polled meanwhile, or a person reset the poll. */
  | { readonly kind: 'overtaken' };

const hourMs = 3_600_000;
/** What is left is asked for again after so long. */
const soonMs = 10_000;
const runsShown = 10;
const refusalsShown = 10;
const reasonsShown = 10;
const reasonCharacters = 500;

/** Rejects with `UnavailableError`; nothing was written then. */
export const pollOnce = (options: PollOptions, poll: DeployedPoll, signal: AbortSignal): Promise<Polled> =>
  takeAnswer(options, poll, signal, (before) => ask(options, poll, before, signal));

/** `answered`: what was found, by the row of before. Rejects with `UnavailableError`; nothing was written then. */
export async function takeAnswer(
  options: PollOptions,
  poll: DeployedPoll,
  signal: AbortSignal,
  answered: (before: PollState | undefined) => Promise<PollAnswer>,
): Promise<Polled> {
  const { store, starter } = options;
  const name = pollNameOf(poll);
  const [before] = await readPolls(store, [name]);
  const { workflow, version } = poll;
  const principal = triggerPrincipal(`poll ${name}`, workflow);
  try {
    const make = await starter.prepare({ workflow, version }, principal);
    const room = await starter.roomOf(principal.by, limits.poll.runsUnfinished);
    // What the server is not asked for, it keeps.
    room.check();
    const answer = await answered(before);
    const { keyed, repeated, refusals } = await keysOf(answer);
    const seen = isNewBasis(before, poll)
      ? new Set<string>()
      : await seenKeys(
          store,
          name,
          keyed.map(({ key }) => key),
        );
    const fresh = keyed.filter(({ key }) => !seen.has(key));
    const isPassing = begins(before, poll) === 'now';
    const planned = isPassing
      ? { starts: [], left: 0, refusals: [] }
      : await startsOf(poll, fresh, answer, { make, most: room.left });
    const news = {
      answer,
      seen,
      passedOver: isPassing ? fresh : [],
      planned,
      repeated,
      refused: [...refusals, ...planned.refusals],
    };
    await checkHistory(store);
    return await commit(options, poll, before, news);
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'workflow-paused') return { kind: 'paused' };
    const isTheirs = error instanceof ProblemError || error instanceof EvaluationError || error instanceof FailureError;
    if (!isTheirs || signal.aborted) throw error;
    return fail(options, poll, before, error);
  }
}

function ask(
  options: PollCalls,
  { trigger, ...deployed }: DeployedPoll,
  before: PollState | undefined,
  signal: AbortSignal,
): Promise<PollAnswer> {
  if (trigger.kind === 'poll') return askForItems(options, { ...deployed, trigger }, signal);
  const cursor = before?.basis === trigger.basis ? before.cursor : undefined;
  return askForEvents(options, { ...deployed, trigger }, cursor ?? null, signal);
}

/** A database that went back in time has lost keys: their items would start runs again. Rejects with `UnavailableError`. */
export async function checkHistory({ history }: Pick<Store, 'history'>): Promise<void> {
  await history.look();
  const fence = history.warning();
  if (fence !== undefined) throw new UnavailableError(fence);
}

/** What the poll begins with; undefined: it goes on. */
const begins = (before: PollState | undefined, poll: DeployedPoll): 'now' | 'all' | undefined =>
  before?.polledAt === undefined || isNewBasis(before, poll) ? (before?.begins ?? startOf(poll)) : before.begins;

/** Events are those from now on. */
const startOf = ({ trigger }: DeployedPoll): 'now' | 'all' => (trigger.kind === 'poll' ? trigger.start : 'now');

const isNewBasis = (before: PollState | undefined, { trigger }: DeployedPoll): boolean =>
  before !== undefined && before.basis !== trigger.basis;

interface PollNews {
  readonly answer: PollAnswer;
  readonly seen: ReadonlySet<string>;
  readonly passedOver: readonly KeyedItem[];
  readonly planned: PlannedStarts;
  readonly repeated: number;
  readonly refused: readonly PollRefusal[];
}

async function commit(
  options: PollOptions,
  poll: DeployedPoll,
  before: PollState | undefined,
  { answer, seen, passedOver, planned, repeated, refused }: PollNews,
): Promise<Polled> {
  const { store, starter, clock, secrets } = options;
  const name = pollNameOf(poll);
  const { workflow, trigger } = poll;
  const { basis, everyMs, keepMs } = trigger;
  const refusals = refusalsIn(refused, (reason) =>
    cleanText(secrets.redacted(reason), reasonCharacters).toWellFormed(),
  );
  let found: PollFound | undefined;
  const committed = await commitPoll(
    store,
    {
      name,
      workflow,
      basis,
      generation: before?.generation,
      isNewBasis: isNewBasis(before, poll),
      seen: [...seen],
      passedOver,
      starts: planned.starts,
      keepMs,
      state: writtenState(poll, answer),
      ...(answer.page && { cursor: answer.page.cursor }),
    },
    ({ started, full }) => {
      const itemsOf = (ids: ReadonlySet<string>): number =>
        planned.starts.reduce((sum, { items, request }) => sum + (ids.has(request.runId) ? items.length : 0), 0);
      found = {
        items: answer.items.length,
        seen: seen.size,
        started: itemsOf(started),
        runs: [...started].slice(0, runsShown),
        left: planned.left + itemsOf(full),
        passedOver: passedOver.length,
        repeated,
        refused: refused.length,
        ...(answer.page?.isGap === true && { gap: true as const }),
        ...refusals,
      };
      return { found, nextAt: clock.now() + pauseAfter(found, everyMs, answer.page) };
    },
  );
  if (committed === undefined || found === undefined) return { kind: 'overtaken' };
  for (const { request } of planned.starts) if (committed.started.has(request.runId)) starter.prepared(request);
  await tellRefusals(options, name, refusals, before?.found);
  if (found.gap === true) await tellGap(options, name);
  return { kind: 'answered', found, hasMore: answer.page?.hasMore === true };
}

/** Milliseconds. Where the server has more events, they are asked for at once. */
function pauseAfter({ left }: PollFound, everyMs: number, page: PollAnswer['page']): number {
  if (left > 0) return Math.min(soonMs, everyMs);
  return page?.hasMore === true ? 0 : (page?.pauseMs ?? everyMs);
}

async function tellGap({ store, onRefused }: PollOptions, name: string): Promise<void> {
  const reason = 'The server has lost events.';
  onRefused(name, reason);
  await auditPoll(store, { action: 'poll.gap', name, detail: { reason } });
}

/** Each reason has a place, and then come further items. */
function refusalsIn(
  refused: readonly PollRefusal[],
  shown: (reason: string) => string,
): Pick<PollFound, 'reasons' | 'refusals'> {
  const byReason = [...Map.groupBy(refused, ({ reason }) => reason)].map(
    ([reason, items]) => [shown(reason), items] as const,
  );
  const firsts = byReason.flatMap(([reason, [first]]) => (first === undefined ? [] : [{ ...first, reason }]));
  const others = byReason.flatMap(([reason, items]) =>
    items.slice(1, refusalsShown).map((one) => ({ ...one, reason })),
  );
  const reasons = byReason.slice(0, reasonsShown).map(([reason, items]) => ({ reason, items: items.length }));
  const refusals = [...firsts, ...others].slice(0, refusalsShown).toSorted((one, other) => one.index - other.index);
  return { reasons, refusals };
}

/** Of each reason that the poll before did not have. */
async function tellRefusals(
  { store, onRefused }: PollOptions,
  name: string,
  { reasons, refusals }: Pick<PollFound, 'reasons' | 'refusals'>,
  before: PollFound | undefined,
): Promise<void> {
  const known = new Set([...(before?.reasons ?? []), ...(before?.refusals ?? [])].map(({ reason }) => reason));
  for (const { reason, items } of reasons) {
    if (known.has(reason)) continue;
    onRefused(name, reason);
    const first = refusals.find((one) => one.reason === reason);
    await auditPoll(store, { action: 'poll.refused', name, detail: { ...first, reason, items } });
  }
}

/** Only what differs is written, so that the history is one of changes. Throws `FailureError` and `EvaluationError`. */
function writtenState({ trigger }: DeployedPoll, { result, state }: PollAnswer): PollCommit['state'] {
  if (trigger.kind !== 'poll' || trigger.writes === undefined || state === undefined) return undefined;
  const all = trigger.writes.evaluate({ result, ...inScope(state) });
  const failure = unfitWrite(trigger.state, all);
  if (failure !== undefined)
    throw new FailureError(failure.code === 'limit-exceeded' ? 'limit-exceeded' : 'state-unfit', failure.message);
  const values = Object.fromEntries(
    Object.entries(all).filter(([key, value]) => canonicalJson(value) !== canonicalJson(state.values[key] ?? null)),
  );
  if (Object.keys(values).length === 0) return undefined;
  return { values, unlessChanged: { revisions: state.revisions, writers: [] } };
}

/** Records that the poll failed. */
export async function fail(
  { store, clock, secrets, onRefused }: PollOptions,
  poll: DeployedPoll,
  before: PollState | undefined,
  { message }: Pick<Error, 'message'>,
): Promise<Polled> {
  const name = pollNameOf(poll);
  const { workflow, trigger } = poll;
  const { basis, everyMs } = trigger;
  const reason = cleanText(secrets.redacted(message), reasonCharacters).toWellFormed();
  const pauseMs = (failures: number): number =>
    backoffMs(failures, { firstMs: 2 * everyMs, longestMs: Math.max(everyMs, hourMs) });
  const { times = 0, since = clock.now() } = before?.failing ?? {};
  await failPoll(store, { name, workflow, basis, reason, nextAt: clock.now() + pauseMs(times + 1) });
  if (before?.failing?.reason !== reason) onRefused(name, reason);
  const wasLong = before !== undefined && times > 0 && before.nextAt - pauseMs(times) - since >= hourMs;
  if (clock.now() - since >= hourMs && !wasLong)
    await auditPoll(store, { action: 'poll.failing', name, detail: { since: new Date(since).toISOString(), reason } });
  return { kind: 'failed', reason };
}
