/**
 * Runs all of Baton on one machine: Postgres unless one is given, and a server, each a process of its own, as in
 * production.
 */
import {
  type Settings,
  checkPort,
  exitCodes,
  lockFolder,
  StartError,
  startPostgres,
  SupervisedChild,
} from '@baton/boot';
import { unawaited } from '@baton/primitives';

import { writeAddress } from '../client/runningAddress.ts';
import type { Environment } from '../environment.ts';
import { appFile, startVariables } from './becomeApp.ts';
import { HeldLines } from './heldLines.ts';
import type { StackEvent } from './stackEvents.ts';

export interface StackOptions {
  readonly settings: Pick<Settings, 'BATON_DATA' | 'BATON_HOST' | 'BATON_PORT' | 'DATABASE_URL' | 'SHUTDOWN_GRACE'>;
  /** Further environment variables of the processes. */
  readonly env: Environment;
  /** Each line that a process logs. */
  readonly onLine: (line: string) => void;
  /** After `down` the stack can only stop. */
  readonly onNews: (news: StackEvent) => void;
}

export interface Stack {
  /** Address of the API. */
  readonly url: string;
  /** Without symbolic links. */
  readonly folder: string;
  /** The admin key, only at the first start: it is shown once. */
  readonly adminKey: string | undefined;
  /** Notes for people, such as a file that was moved or cleaned up. */
  readonly notes: readonly string[];
  /** Resolves when the running server uses the current `mcp.json`. */
  reloadServers(): Promise<void>;
  /** Stops everything, in order. Leaves no process behind. */
  stop(graceMs: number): Promise<void>;
}

/** Resolves when it accepts runs. Rejects with `FolderInUseError` and `PortTakenError` before it creates anything. */
export async function startStack({ settings, env, onLine, onNews: tell }: StackOptions): Promise<Stack> {
  let isDown = false;
  const lines = new HeldLines(onLine);
  process.once('exit', () => lines.flush());
  // Processes that end because another is down are not reported.
  const onNews = (news: StackEvent): void => (isDown ? undefined : tell(news));
  const onDown = async (what: string, how: string, said: Promise<string>): Promise<void> => {
    isDown = true;
    lines.drop();
    tell({ kind: 'down', what, how, said: await said });
  };
  const stops: ((graceMs: number) => Promise<void>)[] = [];
  const stop = async (graceMs: number): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one(graceMs);
  };
  try {
    const lock = await lockFolder(settings.BATON_DATA);
    stops.push(() => lock.release());
    await checkPort({ host: settings.BATON_HOST, port: settings.BATON_PORT });
    const { url: database, notes } = await openDatabase(settings.DATABASE_URL, lock.folder, { stops, onDown });
    const shared = { ...startVariables(), ...env, DATABASE_URL: database, BATON_DATA: lock.folder };
    let url: string | undefined;
    // Restarts at the same address, which people know.
    const ofServer = () => (url === undefined ? shared : { ...shared, BATON_PORT: new URL(url).port || '80' });
    const { ready, reload: reloadServers } = startServer(ofServer, { stops, lines, onNews });
    const { url: ownUrl, adminKey } = await ready;
    url = String(ownUrl);
    stops.push(await writeAddress(lock.folder, url));
    const key = typeof adminKey === 'string' ? adminKey : undefined;
    return { url, folder: lock.folder, adminKey: key, notes, reloadServers, stop };
  } catch (error) {
    await stop(settings.SHUTDOWN_GRACE);
    throw error;
  }
}

interface StackEnvironment {
  readonly stops: ((graceMs: number) => Promise<void>)[];
  readonly lines: HeldLines;
  readonly onNews: StackOptions['onNews'];
}

interface StartingServer {
  /** Its ready message. Rejects with `StartError`. */
  readonly ready: Promise<Record<string, unknown>>;
  /** Resolves when it uses the current `mcp.json`. */
  readonly reload: () => Promise<void>;
}

function startServer(env: () => StackOptions['env'], { stops, lines, onNews }: StackEnvironment): StartingServer {
  const ready = Promise.withResolvers<Record<string, unknown>>();
  let isReady = false;
  let why: string | undefined;
  let reloaded = Promise.withResolvers<void>();
  const child = new SupervisedChild({
    file: appFile('server'),
    env,
    greeting: { tellsOf: 'servers' },
    onLine: (line) => lines.add(line),
    onMessage: (message) => {
      const told = message as Record<string, unknown>;
      if ('failed' in told) {
        why = String(told['failed']);
        const { unavailable, misused } = exitCodes;
        ready.reject(new StartError(why, { exitCode: told['exitCode'] === unavailable ? unavailable : misused }));
      } else if ('reloaded' in told) reloaded.resolve();
      else if (isReady) onNews({ kind: 'back', address: String(told['url']) });
      else {
        isReady = true;
        ready.resolve(told);
      }
    },
    // A process that failed to start is not restarted; one that ran is.
    mayRestart: (how) => {
      ready.reject(new StartError(`the server did not start (${how})`, { exitCode: exitCodes.broken }));
      return isReady;
    },
    onRestart: (how, afterMs) => {
      // The next process reads the file itself.
      reloaded.resolve();
      onNews({ kind: 'died', how, why, afterMs });
      why = undefined;
    },
  });
  stops.push((graceMs) => child.stop(graceMs));
  const reload = (): Promise<void> => {
    reloaded = Promise.withResolvers<void>();
    if (!child.send({ reload: 'servers' })) reloaded.resolve();
    return reloaded.promise;
  };
  return { ready: ready.promise, reload };
}

async function openDatabase(
  given: string | undefined,
  folder: string,
  {
    stops,
    onDown,
  }: Pick<StackEnvironment, 'stops'> & {
    readonly onDown: (what: string, how: string, said: Promise<string>) => Promise<void>;
  },
): Promise<{ url: string; notes: readonly string[] }> {
  if (given !== undefined) return { url: given, notes: [] };
  const postgres = await startPostgres({ folder });
  let isStopping = false;
  const tell = async (how: string): Promise<void> =>
    isStopping ? undefined : onDown('Postgres', how, postgres.lastLogLines);
  unawaited(postgres.exitReason.then(tell));
  stops.push(async () => {
    isStopping = true;
    await postgres.stop();
  });
  return { url: postgres.url, notes: postgres.notes };
}
