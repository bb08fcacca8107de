/**
 * Compares the server configuration in use with the file. A process reads the file at its start; later changes are
 * reported here, and used only when `baton dev` makes the process adopt them.
 */
import { BackgroundTask, systemClock } from '@baton/runner';

import { SettingsError } from './readSettings.ts';
import type { ServersFile } from './serversFile.ts';

export interface ServerChange {
  /** `added`: only the file has it. `removed`: it is still used. */
  readonly change: 'added' | 'changed' | 'removed';
  readonly type: string;
}

export interface ServersOnDiskOptions {
  readonly loaded: ServersFile;
  /** As it is now. Rejects with `SettingsError`. */
  readonly read: () => Promise<ServersFile>;
  /** Called once for each state of the file that differs from the one in use. A sentence. */
  readonly onChange: (what: string) => void;
}

const everyMs = 10_000;

export class ServersOnDisk {
  readonly #options: ServersOnDiskOptions;
  readonly #looking: BackgroundTask;
  #told = '';

  constructor(options: ServersOnDiskOptions) {
    this.#options = options;
    const run = async (): Promise<number> => {
      await this.look();
      return everyMs;
    };
    const onTrouble = ({ message }: Error): void =>
      options.onChange(`the server configuration is not looked at: ${message}`);
    this.#looking = new BackgroundTask({ name: 'servers', clock: systemClock, run, onTrouble });
    this.#looking.start(everyMs);
  }

  /** The servers, by name, that differ from those in use; empty if the file cannot be read now. */
  async look(): Promise<ReadonlyMap<string, ServerChange>> {
    const { loaded, read } = this.#options;
    const now = await read().catch((error: unknown) => {
      if (!(error instanceof SettingsError)) throw error;
      return error;
    });
    if (now instanceof SettingsError) {
      this.#tell(`the server configuration has changed since the start, and cannot be read now: ${now.message}`);
      return new Map();
    }
    const found = difference(loaded, now);
    const listed = [...found].map(([name, { change }]) => `${name} ${change}`).join(', ');
    this.#tell(
      listed === '' ? '' : `the server configuration has changed since the start: ${listed}. Restart to use it`,
    );
    return found;
  }

  /**
   * Uses the servers of the file as it is now: `loaded` has them when this resolves. Models stay as they were. Rejects
   * with `SettingsError`, and then nothing has changed.
   */
  async adopt(): Promise<void> {
    const { loaded, read } = this.#options;
    const { servers } = (await read()).config;
    loaded.config.servers.clear();
    for (const [name, server] of servers) loaded.config.servers.set(name, server);
    this.#told = '';
  }

  close(): Promise<void> {
    return this.#looking.close();
  }

  #tell(what: string): void {
    if (what === this.#told) return;
    this.#told = what;
    if (what !== '') this.#options.onChange(what);
  }
}

/** By name. */
export function difference(
  { config: before }: Pick<ServersFile, 'config'>,
  { config: now }: Pick<ServersFile, 'config'>,
): ReadonlyMap<string, ServerChange> {
  const found = new Map<string, ServerChange>();
  for (const [name, server] of before.servers) {
    const other = now.servers.get(name);
    if (other === undefined) found.set(name, { change: 'removed', type: server.type });
    else if (JSON.stringify(other) !== JSON.stringify(server))
      found.set(name, { change: 'changed', type: server.type });
  }
  for (const [name, { type }] of now.servers) if (!before.servers.has(name)) found.set(name, { change: 'added', type });
  return found;
}
