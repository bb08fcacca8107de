/** Starts the periodic tasks of the orchestrator; the lifecycle stops each. */
import {
  BudgetNotices,
  Sealer,
  Deliverer,
  EventHooks,
  LoginRevoker,
  Feed,
  PositionSeal,
  Reconciler,
  type RunFollowerOptions,
  RunFollower,
  type PollerOptions,
  Poller,
  type ResourceWatcherOptions,
  ResourceWatcher,
  type RetentionOptions,
  Retention,
  valueMover,
  type FiringOptions,
  type TickerOptions,
  Ticker,
  type RunView,
} from '@baton/control';
import type { AuditProblem, BudgetNotice } from '@baton/store';
import { type Outbound, openOutbound } from '@baton/transports';

import type { AppParts } from './appParts.ts';
import { backlogMetrics } from './http/backlogMetrics.ts';
import type { HttpMetrics } from './http/httpMetrics.ts';
import type { OpenApp } from './openApp.ts';
import { taskTrouble } from './taskTrouble.ts';

/** What faces use of the tasks. */
export type Tasks = ReturnType<typeof tend>;

export function tend(parts: AppParts, { httpMetrics, view, deployed, starter, firing, repinner, plans }: OpenApp) {
  const retention = startRetention(parts, httpMetrics);
  startValueMover(parts);
  backlogMetrics(parts, retention);
  const outbound = startDeliverer(parts, view, httpMetrics);
  startResourceWatcher(parts, { deployed, starter });
  const poller = startPoller(parts, { deployed, starter });
  startRunFollower(parts, { deployed, starter, plans });
  const ticker = startTicker(parts, firing);
  const feed = startFeed(parts);
  const sealer = startSealer(parts);
  startBudgetNotices(parts);
  const revoker = startRevoker(parts);
  startReconciler(parts, httpMetrics);
  whenLifted(parts.store, parts.lifecycle, () => repinner.start());
  return { retention, outbound, poller, ticker, feed, sealer, revoker };
}

/** While the fence stands, nothing is begun. */
function whenLifted({ history }: AppParts['store'], { stopping }: AppParts['lifecycle'], start: () => void): void {
  history.whenLifted(() => (stopping.aborted ? undefined : start()));
}

function startTicker(
  { store, clock, log, lifecycle }: AppParts,
  firing: FiringOptions & Pick<TickerOptions, 'httpMetrics'>,
): Ticker {
  const onRefused = (schedule: string, at: number, reason: string): void =>
    log.warn({ schedule, instant: new Date(at).toISOString(), reason }, 'the schedule started no run');
  const ticker = new Ticker({ ...firing, refusal: () => clock.warning(), onRefused, onTrouble: taskTrouble(log) });
  lifecycle.onStop('schedules', () => ticker.close());
  whenLifted(store, lifecycle, () => ticker.start());
  return ticker;
}

function startDeliverer(
  { store, clock, secrets, log, lifecycle, callbackNetworks = [] }: AppParts,
  view: RunView,
  { callback: onTried }: HttpMetrics,
): Outbound {
  const outbound = openOutbound({ loopback: false, networks: callbackNetworks });
  lifecycle.onStop('outbound', () => outbound.close());
  const onGivenUp = (runId: string, error: string): void =>
    log.warn({ runId, error }, 'the callback was given up after its last try');
  const onTrouble = taskTrouble(log);
  const deliverer = new Deliverer({ store, secrets, outbound, view, clock, onTrouble, onGivenUp, onTried });
  lifecycle.onStop('callbacks', () => deliverer.close());
  whenLifted(store, lifecycle, () => deliverer.start());
  return outbound;
}

function startFeed({ store, clock, vault, bus, lifecycle }: AppParts): Feed {
  const seal = new PositionSeal(vault.keysFor('positions in the feed'));
  const feed = new Feed({ store, bus, clock, seal });
  lifecycle.onStop('feed', async () => feed.close());
  return feed;
}

function startSealer({ store, clock, log, lifecycle }: AppParts): Sealer {
  const onRefused = (runs: number): void =>
    log.error({ runs }, 'journals of finished runs were changed and get no seal: `baton audit verify` names the first');
  const onProblem = (problem: AuditProblem): void =>
    log.error({ problem }, 'the audit was changed, and nothing more is sealed: see `baton audit verify`');
  const sealer = new Sealer({ store, clock, onRefused, onProblem, onTrouble: taskTrouble(log) });
  lifecycle.onStop('seals', () => sealer.close());
  whenLifted(store, lifecycle, () => sealer.start());
  return sealer;
}

function startRetention({ store, clock, log, lifecycle, keep }: AppParts, httpMetrics: HttpMetrics): Retention {
  const onRemoved: RetentionOptions['onRemoved'] = (what, count) => httpMetrics.removed(what, count);
  const forever = { runsMs: Infinity, recordsMs: Infinity };
  const retention = new Retention({ store, clock, keep: keep ?? forever, onRemoved, onTrouble: taskTrouble(log) });
  lifecycle.onStop('retention', () => retention.close());
  whenLifted(store, lifecycle, () => retention.start());
  return retention;
}

function startBudgetNotices({ store, clock, log, lifecycle }: AppParts): void {
  const onTold = ({ budget, share, detail }: BudgetNotice): void =>
    log.warn({ budget, ...detail }, share === 100 ? 'a budget is spent' : 'a budget is nearly spent');
  const notices = new BudgetNotices({ store, clock, onTold, onTrouble: taskTrouble(log) });
  lifecycle.onStop('budgets', () => notices.close());
  whenLifted(store, lifecycle, () => notices.start());
}

function startRevoker({ store, vault, servers, clock, log, lifecycle }: AppParts): LoginRevoker {
  const onUnrevoked = (
    { server, person }: { readonly server: string; readonly person: string },
    problem: string,
  ): void => log.warn({ server, person, problem }, 'tokens of a person who was removed may still be good at a server');
  const revoker = new LoginRevoker({ store, vault, servers, clock, onUnrevoked, onTrouble: taskTrouble(log) });
  lifecycle.onStop('ended logins', () => revoker.close());
  whenLifted(store, lifecycle, () => revoker.start());
  return revoker;
}

function startValueMover({ store, clock, log, lifecycle, valuesAfterMs = Infinity }: AppParts): void {
  const place = store.values;
  if (place === undefined) return;
  const mover = valueMover({ store, place, clock, afterMs: valuesAfterMs, onTrouble: taskTrouble(log) });
  lifecycle.onStop('values', () => mover.close());
  whenLifted(store, lifecycle, () => mover.start());
}

function startResourceWatcher(
  { store, clock, servers, log, lifecycle }: AppParts,
  more: Pick<ResourceWatcherOptions, 'deployed' | 'starter'>,
): void {
  const onUnwatched = (what: string, error?: unknown): void => log.warn({ err: error }, what);
  const watcher = new ResourceWatcher({ ...more, store, servers, clock, onUnwatched, onTrouble: taskTrouble(log) });
  lifecycle.onStop('resources', () => watcher.close());
  whenLifted(store, lifecycle, () => watcher.start());
}

function startPoller(
  { store, clock, secrets, servers, pace, vault, log, lifecycle, publicUrl }: AppParts,
  more: Pick<PollerOptions, 'deployed' | 'starter'>,
): Poller {
  const onRefused = (poll: string, reason: string): void =>
    log.warn({ poll, reason }, 'the poll failed, or refuses items');
  const keys = vault.keysFor('events that servers post');
  const hooks = publicUrl === undefined ? undefined : new EventHooks({ publicUrl, keys });
  const parts = { ...more, pace, store, secrets, servers, hooks, clock };
  const poller = new Poller({ ...parts, onRefused, onTrouble: taskTrouble(log) });
  lifecycle.onStop('polls', () => poller.close());
  whenLifted(store, lifecycle, () => poller.start());
  return poller;
}

function startRunFollower(
  { store, clock, log, lifecycle, publicUrl = '' }: AppParts,
  more: Pick<RunFollowerOptions, 'deployed' | 'starter' | 'plans'>,
): void {
  const onRefused = (trigger: string, runId: string, reason: string): void =>
    log.warn({ trigger, runId, reason }, 'the run started no other');
  const pageUrl = publicUrl.replace(/\/$/, '');
  const follower = new RunFollower({
    ...more,
    store,
    clock,
    pageUrl,
    onRefused,
    onTrouble: taskTrouble(log),
  });
  lifecycle.onStop('ends of runs', () => follower.close());
  whenLifted(store, lifecycle, () => follower.start());
}

function startReconciler({ store, clock, queue, bus, log, lifecycle }: AppParts, httpMetrics: HttpMetrics): void {
  whenLifted(store, lifecycle, () => {
    const reconciler = new Reconciler({
      store,
      journal: store.journal,
      bell: queue.bell,
      bus,
      clock,
      random: Math.random,
      onRemedy: (remedy, runs) => {
        httpMetrics.remedied(remedy, runs);
        log.info({ remedy, runs }, 'the reconciler woke runs');
      },
      onTrouble: taskTrouble(log),
    });
    lifecycle.onStop('reconciler', () => reconciler.close());
  });
}
