/** Opens what keeps this process, together with all others, within the rates of servers (docs/servers.md). */
import type { Readiness, Service } from '@baton/boot';
import type { OpenQueue } from '@baton/queue';
import { type Channels, type SharedClock, ServerRates, UnavailableError } from '@baton/runner';
import { type Store, storedMeters } from '@baton/store';

interface RatesParts {
  readonly store: Store;
  readonly clock: SharedClock;
  readonly queue: OpenQueue;
  readonly bus: Channels;
  readonly readiness: Readiness;
}

const awayMessage =
  'Calls to servers with a `rate` wait: the place that counts them (Redis, or Postgres without it) does not answer.';

export async function openRates(
  { servers, log, lifecycle }: Service,
  { store, clock, queue, bus, readiness }: RatesParts,
): Promise<ServerRates> {
  // Read anew for each call: `baton dev` follows changes of the file.
  const configOf = (server: string) => servers.config.servers.get(server);
  const rates = new ServerRates({
    meters: queue.meters ?? storedMeters(store),
    channels: bus,
    clock,
    random: Math.random,
    rateOf: (server) => configOf(server)?.policy.rate,
    // The addresses behind `http` are many, and one of them says nothing of the others.
    isOneServer: (server) => (configOf(server)?.type ?? 'builtin') !== 'builtin',
    onAway: (error) =>
      error === undefined ? log.info('calls to servers with a rate go on') : log.warn({ err: error }, awayMessage),
  });
  lifecycle.closing('rates', { close: async () => rates.close() });
  readiness.add('rates', {
    state: () => (rates.isAway ? { status: 'away', message: awayMessage } : { status: 'ok' }),
    isVital: false,
  });
  await rates.open().catch((error: unknown) => {
    if (!(error instanceof UnavailableError)) throw error;
    log.warn({ err: error }, 'which servers have asked to be called later is not known');
  });
  return rates;
}
