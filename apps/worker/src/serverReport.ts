/** Stores the state of the MCP servers as this worker sees it, so that the orchestrator can show it. */
import type { Logger } from '@baton/boot';
import { serverSight } from '@baton/protocol';
import { BackgroundTask, systemClock } from '@baton/runner';
import { type Store, noteServers } from '@baton/store';
import type { Servers } from '@baton/transports';

const everyMs = 5_000;

export interface ServerReportOptions {
  readonly store: Store;
  readonly worker: string;
  readonly servers: Pick<Servers, 'status'>;
  readonly log: Logger;
}

/** Stores the state whenever it has changed, until the task is closed. */
export function reportServers({ store, worker, servers, log }: ServerReportOptions): BackgroundTask {
  let written = '';
  const run = async (): Promise<number> => {
    const sights = servers.status().map((one) => serverSight(one));
    const text = JSON.stringify(sights);
    if (text !== written) await noteServers(store, worker, JSON.parse(text));
    written = text;
    return everyMs;
  };
  const onTrouble = (error: Error, what: string): void => log.warn({ err: error }, what);
  const name = 'the state of the servers could not be stored';
  const task = new BackgroundTask({ name, clock: systemClock, run, onTrouble });
  task.start(everyMs);
  return task;
}
