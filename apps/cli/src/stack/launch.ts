/** The embedded stack as commands start it: settings read, signals taken over, everything gone when the command ends. */
import type { Settings } from '@baton/boot';
import { createLogger, Lifecycle, readSettings } from '@baton/boot';

import type { Environment } from '../client/address.ts';
import type { Stack } from './startStack.ts';
import { startStack } from './startStack.ts';

export interface LaunchOptions {
  readonly env: Environment;
  /** What the command line says, by the names of the settings; it goes before the environment. */
  readonly given: Environment;
}

export interface Launched {
  readonly stack: Stack;
  readonly settings: Settings;
  readonly lifecycle: Lifecycle;
  /** What is odd, in whole sentences. */
  readonly notes: readonly string[];
}

/** What goes on inside is for whoever asks for it with LOG_LEVEL. */
const usualLevel = 'warn';

/** Rejects with `SettingsError` and `FolderInUseError`. */
export async function launch({ env, given }: LaunchOptions): Promise<Launched> {
  const usual = { LOG_LEVEL: usualLevel };
  const { settings, notes } = readSettings([
    { name: 'command line', values: given },
    { name: 'environment', values: env },
    { name: 'default', values: usual },
  ]);
  const log = createLogger({ level: settings.LOG_LEVEL, name: 'baton', to: 'stderr' });
  const lifecycle = new Lifecycle({ log, graceMs: settings.SHUTDOWN_GRACE });
  const stack = await startStack({
    settings,
    env: { ...usual, ...env, ...given },
    log,
    onDown: (what) => {
      log.fatal(what);
      void lifecycle.end(what, 1);
    },
  });
  lifecycle.onStop('stack', (graceMs) => stack.stop(graceMs));
  return { stack, settings, lifecycle, notes: [...notes, ...stack.notes] };
}
