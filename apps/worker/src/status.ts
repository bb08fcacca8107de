/** Serves a worker's health, readiness and metrics to operators. */
import {
  type Metrics,
  type PartState,
  type Settings,
  type StatusListener,
  openStatusListener,
  Readiness,
} from '@baton/boot';
import type { OpenQueue } from '@baton/queue';
import type { SharedClock } from '@baton/runner';
import type { Store } from '@baton/store';

import type { StartedWorker } from './worker.ts';

export interface WorkerStatusOptions {
  readonly settings: Pick<Settings, 'BATON_METRICS_HOST' | 'BATON_METRICS_PORT'>;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly clock: SharedClock;
  readonly queue: OpenQueue;
}

export interface WorkerStatus extends StatusListener {
  /** Reports the state of this worker from now on; before, it is starting. */
  begin(worker: StartedWorker): void;
}

const away = (message: string): PartState => ({ status: 'away', message });

/** Undefined where no status address is configured. Rejects with `StartError`. */
export async function openWorkerStatus(options: WorkerStatusOptions): Promise<WorkerStatus | undefined> {
  const { settings, metrics, store, clock, queue } = options;
  const { BATON_METRICS_PORT: port, BATON_METRICS_HOST: host } = settings;
  if (port === undefined) return undefined;
  const readiness = new Readiness({ writeFault: () => store.writeFault(), queue, clock, history: store.history });
  let worker: StartedWorker | undefined;
  const listener = await openStatusListener({
    host,
    port,
    metrics,
    async ready() {
      const { status, parts } = await readiness.ask();
      const own = stateOf(worker);
      const isDown = own.status === 'away' && status !== 'fenced';
      return { status: isDown ? 'down' : status, parts: { ...parts, worker: own } };
    },
  });
  return { ...listener, begin: (started) => (worker = started) };
}

function stateOf(worker: StartedWorker | undefined): PartState {
  switch (worker?.state()) {
    case undefined:
      return away('It is starting.');
    case 'working':
      return { status: 'ok' };
    case 'late':
      return away('Its heartbeat is late: it makes no call until it is renewed.');
    case 'stopping':
      return away('It is stopping, and takes nothing new.');
  }
}
