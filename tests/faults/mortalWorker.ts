/**
 * A worker for crash points: the production runner on real Postgres and real sessions, in a process that ends itself by
 * SIGKILL when each of its runs stands at the point at which it is to stand: where it reaches out, or is answered.
 */
import { type Plan, compile, parseWorkflow } from '@baton/language';
import { readServers } from '@baton/protocol';
import {
  type Append,
  type Calls,
  type Journal,
  type Ports,
  type RunLog,
  BlobCache,
  RunDrivers,
  systemClock,
  KnownSecrets,
} from '@baton/runner';
import { openStore, type Store } from '@baton/store';
import { openServers, type Servers } from '@baton/transports';

/** One run, and where it is to be when the process dies. */
export interface Mission {
  readonly runId: string;
  /** The point at which it is left standing, counted from 1; absent: it is driven as far as it goes. */
  readonly until?: number;
}

export interface Order {
  readonly databaseUrl: string;
  readonly worker: string;
  readonly workflow: string;
  /** As in `mcp.json`. */
  readonly server: object;
  readonly missions: readonly Mission[];
}

const effects: Readonly<Record<string, 'read' | 'write'>> = { 'work/echo': 'read', 'work/posted': 'read' };

export class MortalWorker {
  readonly #order: Order;
  readonly #store: Store;
  readonly #servers: Servers;
  readonly #plan: Plan;

  constructor(order: Order) {
    this.#order = order;
    this.#store = openStore({ url: order.databaseUrl, secretKey: Buffer.alloc(32, 7), connections: 4 });
    const { config } = readServers(JSON.stringify({ mcpServers: { work: order.server } }));
    const secret = async (): Promise<undefined> => undefined;
    this.#servers = openServers(config, { environment: process.env, secret, root: process.cwd(), version: '0' });
    const { workflow } = parseWorkflow(order.workflow);
    if (workflow === undefined) throw new Error('this is no workflow');
    this.#plan = compile(workflow, {
      effects: (server, tool) => ({ effect: effects[`${server}/${tool}`] ?? 'write', from: 'server' }),
      declarations: (server, tool) => config.servers.get(server)?.policy.declarations[tool],
    });
  }

  /** All missions at once, each until it is over or stands where it is to stand. How many points each one passed. */
  async drive(): Promise<number[]> {
    return Promise.all(this.#order.missions.map((mission) => this.#driveOne(mission)));
  }

  async close(): Promise<void> {
    await this.#servers.close();
    await this.#store.close();
  }

  async #driveOne({ runId, until }: Mission): Promise<number> {
    let points = 0;
    const arrived = Promise.withResolvers<void>();
    const point = async (): Promise<void> => {
      points += 1;
      if (until === undefined || points < until) return;
      // It and all that the run does beside it: a process that is dead does nothing.
      arrived.resolve();
      await new Promise<never>(() => undefined);
    };
    const parts = { store: this.#store, calls: this.#servers.calls, plan: this.#plan, point };
    const drives = new RunDrivers(portsOf(this.#order, parts));
    await Promise.race([drives.drive(runId), arrived.promise]);
    return points;
  }
}

interface Parts {
  readonly store: Store;
  readonly calls: Calls;
  readonly plan: Plan;
  /** Called before and after each await. */
  readonly point: () => Promise<void>;
}

function portsOf({ worker }: Order, { store, calls, plan, point }: Parts): Ports {
  const between = async <T>(work: () => Promise<T>): Promise<T> => {
    await point();
    try {
      return await work();
    } finally {
      await point();
    }
  };
  const logOf = (log: RunLog): RunLog => ({
    runId: log.runId,
    get seq() {
      return log.seq;
    },
    append: (append: Append) => between(() => log.append(append)),
    flush: () => log.flush(),
  });
  const journal: Journal = {
    open: (runId, after) =>
      between(async () => {
        const opened = await store.journal.open(runId, after);
        return opened && { ...opened, log: logOf(opened.log) };
      }),
  };
  return {
    worker,
    journal,
    blobs: { get: (sha256) => between(() => store.blobs.get(sha256)) },
    cache: new BlobCache(1),
    plans: () => between(async () => plan),
    calls: {
      callTool: (call, context) => between(() => calls.callTool(call, context)),
      getPrompt: (call, context) => between(() => calls.getPrompt(call, context)),
      readResource: (call, context) => between(() => calls.readResource(call, context)),
      release: (runId) => calls.release(runId),
    },
    models: { sample: () => Promise.reject(new Error('there are no models here')) },
    children: { request: () => Promise.reject(new Error('no children')), cancel: async () => false },
    secrets: async () => ({}),
    state: { read: (owner) => between(() => store.state.read(owner)) },
    known: new KnownSecrets(),
    bell: { ring: async () => undefined, close: async () => undefined },
    bus: { publish: () => undefined, subscribe: () => () => undefined, close: async () => undefined },
    clock: systemClock,
    workers: { isAlive: () => between(async () => false) },
    fence: { openSince: () => 0 },
  };
}
