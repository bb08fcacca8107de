/** Starts the embedded stack for a command: reads settings, handles signals, stops everything when the command ends. */
import {
  type ServersFile,
  type Settings,
  createLogger,
  FolderInUseError,
  Lifecycle,
  PortTakenError,
  readServersFile,
  readSettings,
  SettingsError,
  StartError,
  strangeNames,
} from '@baton/boot';
import { unawaited } from '@baton/primitives';

import { ownDataFolder } from '../client/dataFolder.ts';
import { CommandError } from '../commandError.ts';
import type { Environment } from '../environment.ts';
import { exitCodeOfStart, exitCodes } from '../exitCodes.ts';
import type { Output } from '../output/output.ts';
import { logLine } from './logLine.ts';
import { makeDataFolder } from './makeDataFolder.ts';
import { newsLines } from './stackEvents.ts';
import { type Stack, startStack } from './startStack.ts';

export interface LaunchOptions {
  readonly env: Environment;
  /** Values of the command line, by the names of the settings; they override the environment. */
  readonly given: Environment;
  /** Rejects where the user has not allowed the servers of the file: nothing starts then. */
  readonly allow: (file: ServersFile) => Promise<void>;
  /** Called when a process ends by itself. */
  readonly stderr: Output;
}

export interface LaunchedStack {
  readonly stack: Stack;
  readonly settings: Settings;
  readonly lifecycle: Lifecycle;
  /** Warnings, in whole sentences. */
  readonly notes: readonly string[];
}

/** Shows logs only with LOG_LEVEL. */
const usualLevel = 'warn';

/** Rejects with `CommandError`; its cause is a `FolderInUseError` if another Baton uses the data folder. */
export async function launch(options: LaunchOptions): Promise<LaunchedStack> {
  try {
    return await start(options);
  } catch (error) {
    if (error instanceof SettingsError) throw new CommandError(exitCodes.usage, error.message, { cause: error });
    if (error instanceof PortTakenError) {
      const hint = 'for one start: `baton dev --port PORT`';
      throw new CommandError(exitCodes.conflict, error.message, { cause: error, hint });
    }
    if (error instanceof StartError) throw new CommandError(exitCodeOfStart(error), error.message, { cause: error });
    if (error instanceof FolderInUseError) throw new CommandError(exitCodes.conflict, error.message, { cause: error });
    throw error;
  }
}

async function start({ env, given, allow, stderr }: LaunchOptions): Promise<LaunchedStack> {
  const usual = { LOG_LEVEL: usualLevel };
  const { settings, described } = readSettings([
    { name: 'command line', values: given },
    { name: 'environment', values: env },
    { name: 'default', values: usual },
  ]);
  const servers = await readServersFile(settings.BATON_SERVERS, process.cwd());
  await allow(servers);
  if (described.some(({ name, source }) => name === 'BATON_DATA' && source === 'default')) await ownDataFolder();
  await makeDataFolder(settings.BATON_DATA);
  const log = createLogger({ level: settings.LOG_LEVEL, name: 'baton', to: 'stderr' });
  const lifecycle = new Lifecycle({ log, graceMs: settings.SHUTDOWN_GRACE });
  const stack = await startStack({
    settings,
    env: { ...usual, ...env, ...given },
    // Programs that read the log get it as it is.
    onLine: (line) => stderr.line(stderr.isTerminal ? logLine(line, stderr.paint) : line),
    onNews: (news) => {
      for (const line of newsLines(news, stderr.paint)) stderr.line(line);
      if (news.kind === 'down') unawaited(lifecycle.end(`${news.what} ended`, exitCodes.failed));
    },
  });
  lifecycle.onStop('stack', (graceMs) => stack.stop(graceMs));
  const notes = [...strangeNames(env, servers.variables), ...servers.notes, ...stack.notes];
  return { stack, settings, lifecycle, notes };
}
