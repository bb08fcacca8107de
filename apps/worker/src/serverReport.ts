/** Stores the state of the MCP servers as this worker sees it, so that the orchestrator can show it. */
import type { Logger } from '@baton/boot';
import { serverSight } from '@baton/protocol';
import { UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import { noteServers } from '@baton/store';
import type { Servers } from '@baton/transports';

const everyMs = 5_000;

export interface ServerReportOptions {
  readonly store: Store;
  readonly worker: string;
  readonly servers: Pick<Servers, 'status'>;
  readonly log: Logger;
}

/** Stores the state whenever it has changed. Returns a function that ends this. */
export function reportServers({ store, worker, servers, log }: ServerReportOptions): () => void {
  let written = '';
  const report = async (): Promise<void> => {
    const sights = servers.status().map((one) => serverSight(one));
    const text = JSON.stringify(sights);
    if (text === written) return;
    await noteServers(store, worker, JSON.parse(text));
    written = text;
  };
  const timer = setInterval(() => {
    report().catch((error: unknown) => {
      if (!(error instanceof UnavailableError)) throw error;
      log.debug({ err: error }, 'the state of the servers could not be stored');
    });
  }, everyMs);
  return () => clearInterval(timer);
}
