/**
 * The whole of Baton on one machine: Postgres where none is given, an orchestrator and a worker, each a process of its
 * own, so that what is true of a production installation is true here.
 */
import type { Logger, Settings } from '@baton/boot';
import { lockFolder, StartError, startPostgres, SupervisedChild } from '@baton/boot';

import type { AppName } from './becomeApp.ts';
import { appFile } from './becomeApp.ts';

export interface StackOptions {
  readonly settings: Pick<Settings, 'BATON_DATA' | 'DATABASE_URL' | 'SHUTDOWN_GRACE'>;
  /** What the processes get, beside what is decided here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Something that cannot be started again has ended. */
  readonly onDown: (what: string) => void;
}

export interface Stack {
  /** Of the API. */
  readonly url: string;
  /** Without symbolic links. */
  readonly folder: string;
  /** Where the worker shows what it counts. */
  readonly workerMetrics: string;
  /** The admin key, at the first start only: it is shown once. */
  readonly adminKey: string | undefined;
  /** What people should know: that something was put elsewhere, or cleaned up. */
  readonly notes: readonly string[];
  /** Ends everything, in order. Leaves no process behind. */
  stop(graceMs: number): Promise<void>;
}

/** Resolves when runs are taken. Rejects with `FolderInUseError` where another one uses the data folder. */
export async function startStack({ settings, env, log, onDown }: StackOptions): Promise<Stack> {
  const stops: ((graceMs: number) => Promise<void>)[] = [];
  const stop = async (graceMs: number): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one(graceMs);
  };
  try {
    const lock = await lockFolder(settings.BATON_DATA);
    stops.push(() => lock.release());
    const { url: database, notes } = await openDatabase(settings.DATABASE_URL, lock.folder, { stops, onDown });
    const shared = { ...env, DATABASE_URL: database, BATON_DATA: lock.folder };
    const start = async (name: AppName, more: StackOptions['env'] = {}): Promise<Record<string, unknown>> => {
      const ready = Promise.withResolvers<Record<string, unknown>>();
      let isReady = false;
      void ready.promise.then(
        () => (isReady = true),
        () => undefined,
      );
      const child = new SupervisedChild({
        name,
        file: appFile(name),
        env: { ...shared, ...more },
        log,
        onMessage: (message) => {
          const told = message as Record<string, unknown>;
          if ('failed' in told) ready.reject(new StartError(String(told['failed'])));
          else ready.resolve(told);
        },
        // What cannot start once will not start twice; what has run may.
        mayRestart: (how) => {
          ready.reject(new StartError(`the ${name} did not start (${how})`));
          return isReady;
        },
      });
      stops.push((graceMs) => child.stop(graceMs));
      return ready.promise;
    };
    const { url, adminKey } = await start('orchestrator');
    const metricsPort = env['BATON_METRICS_PORT'] ?? '0';
    const { metrics } = await start('worker', { BATON_URL: String(url), BATON_METRICS_PORT: metricsPort });
    const key = typeof adminKey === 'string' ? adminKey : undefined;
    return { url: String(url), workerMetrics: String(metrics), folder: lock.folder, adminKey: key, notes, stop };
  } catch (error) {
    await stop(settings.SHUTDOWN_GRACE);
    throw error;
  }
}

interface Around {
  readonly stops: ((graceMs: number) => Promise<void>)[];
  readonly onDown: (what: string) => void;
}

async function openDatabase(
  given: string | undefined,
  folder: string,
  { stops, onDown }: Around,
): Promise<{ url: string; notes: readonly string[] }> {
  if (given !== undefined) return { url: given, notes: [] };
  const postgres = await startPostgres({ folder });
  let isStopping = false;
  void postgres.exited.then((last) => {
    if (!isStopping) onDown(`Postgres ended by itself. It said last: ${last}`);
  });
  stops.push(async () => {
    isStopping = true;
    await postgres.stop();
  });
  return { url: postgres.url, notes: postgres.notes };
}
