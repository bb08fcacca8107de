import { readSettings, SettingsError } from '../settings/readSettings.ts';
import type { Settings } from '../settings/settings.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createLogger } from '../telemetry/logger.ts';
/** How every process of ours begins: what it is told, where it says things, and how it will end. */
import { Lifecycle } from './lifecycle.ts';
import { tellSupervisor } from './supervisor.ts';

export interface Started {
  readonly settings: Settings;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
}

const misusedExitCode = 2;

/** Ends the process where the settings cannot be used, and says all that is wrong with them. */
export function startProcess(name: string, values: Readonly<Record<string, string | undefined>>): Started {
  try {
    const { settings, notes } = readSettings([{ name: 'environment', values }]);
    const log = createLogger({ level: settings.LOG_LEVEL, name });
    for (const note of notes) log.warn(note);
    return { settings, log, lifecycle: new Lifecycle({ log, graceMs: settings.SHUTDOWN_GRACE }) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    tellSupervisor({ failed: error.message });
    createLogger({ level: 'fatal', name, to: 'stderr' }).fatal({ faults: error.faults }, 'the settings cannot be used');
    return process.exit(misusedExitCode);
  }
}
