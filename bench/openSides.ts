/** Everyone who is measured, started: and stopped again, in the opposite order. */
import type { Side } from './core/load.ts';
import { openServices, type Services } from './services.ts';
import { batonQueue, batonRest } from './sides/baton.ts';
import { installPeers, openLimits, openPeers } from './sides/peers.ts';
import { startStack } from './sides/stack.ts';
import { openStarts } from './sides/starts.ts';

export interface OpenSides {
  readonly sides: readonly Side[];
  /** The peers behind an HTTP route, beside Baton's REST. */
  readonly routes: readonly Side[];
  /** Who is asked to start runs and no more. */
  readonly starts: readonly Side[];
  /** Who does one thing alone. */
  readonly limits: readonly Side[];
  readonly notes: readonly string[];
  /** For files, while it lasts. */
  readonly folder: string;
  close(): Promise<void>;
}

interface Options {
  readonly hasPeers: boolean;
  readonly say: (line: string) => void;
}

export async function openSides(options: Options): Promise<OpenSides> {
  const stops: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  try {
    return { ...(await open(options, stops)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open({ hasPeers, say }: Options, stops: (() => Promise<void>)[]): Promise<Omit<OpenSides, 'close'>> {
  const hasInstalled = hasPeers && installPeers();
  const services = await openServices();
  stops.push(() => services.close());
  say('Postgres and Redis are up');
  const sides = await openBaton(services, stops);
  // Nothing ends there.
  const env = { BATON_KEY_RUNS: '1000000' };
  const idle = await startStack(services, { name: 'starts', redisUrl: databaseOf(services, 2), workers: 0, env });
  stops.push(() => idle.close());
  const starts = await openStarts(idle, services);
  stops.push(() => starts.route.stop());
  say('Baton is up');
  const { folder } = services;
  if (!hasInstalled) {
    const notes = ['The peers are not measured.'];
    return { sides, routes: [], starts: starts.sides, limits: [], notes, folder };
  }
  const peers = await openPeers(services);
  stops.push(() => peers.close());
  const limits = await openLimits(services);
  stops.push(() => limits.close());
  say('the peers are up');
  const notes = [...peers.notes, ...limits.notes];
  const { routes } = peers;
  return { sides: [...sides, ...peers.sides], routes, starts: starts.sides, limits: limits.sides, notes, folder };
}

/** On the embedded default, and on Redis where there is one. */
async function openBaton(services: Services, stops: (() => Promise<void>)[]): Promise<Side[]> {
  const sides: Side[] = [];
  for (const redisUrl of services.redis === undefined ? [undefined] : [databaseOf(services, 1), undefined]) {
    const name = redisUrl === undefined ? 'embedded' : 'on-redis';
    const stack = await startStack(services, { name, redisUrl });
    stops.push(() => stack.close());
    const { side, feeder } = await batonQueue(stack, services);
    stops.push(() => feeder.stop());
    const server = await startStack(services, {
      name: `${name}-server`,
      redisUrl: redisUrl && databaseOf(services, 3),
      isServer: true,
    });
    stops.push(() => server.close());
    sides.push(side, batonRest(stack, services), batonRest(server, services, 'baton-server'));
  }
  return sides;
}

/** Each installation has a Redis database of its own. */
const databaseOf = ({ redis }: Services, database: number): string | undefined => redis && `${redis.url}/${database}`;
