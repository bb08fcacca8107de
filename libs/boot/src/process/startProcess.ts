/** How every Baton process begins: its settings, its output, and how it will end. */
import { KnownSecrets } from '@baton/runner';

import { exitCodes } from '../failure/startError.ts';
import { type DescribedSetting, readSettings, SettingsError } from '../settings/readSettings.ts';
import type { Settings } from '../settings/settings.ts';
import { type Logger, createLogger } from '../telemetry/logger.ts';
import { endProcess } from './endProcess.ts';
import { Lifecycle } from './lifecycle.ts';
import { secretsIn } from './processSecrets.ts';
import { sendToSupervisor } from './supervisor.ts';

export interface StartedProcess {
  readonly settings: Settings;
  /** The same for people, secrets masked. */
  readonly described: readonly DescribedSetting[];
  readonly log: Logger;
  /** Secrets of this process, which no log may hold. More are learned later. */
  readonly known: KnownSecrets;
  readonly lifecycle: Lifecycle;
}

/** If the settings cannot be used, reports every mistake in them and ends the process. */
export function startProcess(name: string, values: Readonly<Record<string, string | undefined>>): StartedProcess {
  // A package that will change one day is told to its developers: an operator reads lines of JSON, and can do nothing.
  process.noDeprecation = true;
  try {
    const { settings, described } = readSettings([{ name: 'environment', values }]);
    const known = new KnownSecrets();
    known.learn('settings', secretsIn(settings, values));
    const log = createLogger({ level: settings.LOG_LEVEL, name, known });
    return { settings, described, log, known, lifecycle: new Lifecycle({ log, graceMs: settings.SHUTDOWN_GRACE }) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    sendToSupervisor({ failed: error.message, exitCode: exitCodes.misused });
    createLogger({ level: 'fatal', name, to: 'stderr' }).fatal({ faults: error.faults }, 'the settings cannot be used');
    return endProcess(exitCodes.misused);
  }
}
