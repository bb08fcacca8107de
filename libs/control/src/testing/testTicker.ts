/** For tests: the ticker of an orchestrator, with a clock that is moved by hand. */
import type { Clock } from '@baton/runner';
import { type Store, cachedPlans } from '@baton/store';
import { MemoryBell, MemoryBus, testSecrets } from '@baton/testing';

import { cachedTriggers } from '../deploy/triggers.ts';
import type { QueueBacklog } from '../intake/backlog.ts';
import { AppendQueues } from '../intake/runAppender.ts';
import { RunStarter } from '../intake/starter.ts';
import { type TickerOptions, Ticker } from '../schedules/ticker.ts';

/** All orchestrators of a test have the same one; it goes on only when the test moves it. */
export class HandClock implements Clock {
  at = Date.parse('2030-03-30T12:00:00Z');

  now = (): number => this.at;

  monotonic = (): number => this.at;

  after = (): (() => void) => () => undefined;
}

export interface TestTickerOptions extends Partial<
  Pick<TickerOptions, 'refusal' | 'onTrouble' | 'onRefused' | 'httpMetrics'>
> {
  readonly backlog?: QueueBacklog;
}

/** For failures that no test expects. */
export const failed = (error: unknown): void => {
  throw error;
};

export function testTicker(clock: Clock, store: Store, { backlog, ...more }: TestTickerOptions = {}): Ticker {
  const plans = cachedPlans(store);
  const bell = new MemoryBell();
  const bus = new MemoryBus();
  const starter = new RunStarter({
    store,
    secrets: testSecrets(store),
    plans,
    bell,
    clock,
    backlog,
    onBellFailed: failed,
  });
  const outside = { journal: store.journal, bell, bus, clock, queues: new AppendQueues(), onBellFailed: failed };
  return new Ticker({
    ...outside,
    onTrouble: failed,
    onRefused: () => undefined,
    httpMetrics: { fired: () => undefined, passedOver: () => undefined },
    ...more,
    store,
    starter,
    plans,
    triggers: cachedTriggers(store),
  });
}
