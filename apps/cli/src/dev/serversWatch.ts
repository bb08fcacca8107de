/** `baton dev`: uses a changed `mcp.json` at once, and reports mistakes with their place. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

import { type ServersFile, difference, readServersFile, SettingsError, usualServersFiles } from '@baton/boot';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { allowServers } from '../trust/allowServers.ts';
import { notWatched } from './notWatched.ts';

export interface ServersWatchOptions {
  readonly context: Context;
  /** The value of `BATON_SERVERS`; undefined: the usual names in this folder. */
  readonly path: string | undefined;
  /** Makes the processes use the current file. */
  readonly reload: () => Promise<void>;
  /** Called when they use it: a workflow that lacked a server may be valid now. */
  readonly onReloaded: () => Promise<void>;
}

/** Waits this long for further changes, since editors write a file in several steps. */
const settleMs = 50;

const nothingUsed: Pick<ServersFile, 'config'> = { config: { servers: new Map() } };

export class ServersWatch {
  readonly #options: ServersWatchOptions;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Undefined if the file could not be read right after the start. */
  #used: ServersFile | undefined;
  /** The check in progress; the next one waits for it. */
  #looking: Promise<void> = Promise.resolve();

  constructor(options: ServersWatchOptions) {
    this.#options = options;
  }

  /** Call it right after the start: the content of the file then is the one in use. */
  async open(): Promise<void> {
    const { path } = this.#options;
    this.#used = await this.#read();
    const names: readonly string[] = path === undefined ? usualServersFiles : [basename(path)];
    try {
      this.#watcher = watch(path === undefined ? '.' : dirname(resolve(path)), (_, name) => {
        if (name === null || names.includes(name)) this.#changed();
      });
      this.#watcher.on('error', () => this.close());
    } catch (error) {
      const { stderr } = this.#options.context;
      stderr.line(
        `${stderr.paint.yellow('!')} ${notWatched(path ?? usualServersFiles[0], error)} Changes are used after a restart.`,
      );
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  /** Reports a mistake, and resolves to undefined then. */
  async #read(): Promise<ServersFile | undefined> {
    const { context, path } = this.#options;
    const { stderr } = context;
    try {
      return await readServersFile(path, process.cwd());
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      stderr.line(`${stderr.paint.red('✗')} The MCP servers stay as they were: ${error.message}`);
      return undefined;
    }
  }

  #changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, settleMs);
  }

  /** Not every change is the user's own: Git and agents write files too. */
  async #isAllowed(file: ServersFile): Promise<boolean> {
    const { context } = this.#options;
    const { stderr } = context;
    try {
      await allowServers(context, file);
      return true;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      stderr.line(`${stderr.paint.red('✗')} The MCP servers stay as they were: ${error.message}`);
      if (error.hint !== undefined) stderr.line(`  hint: ${error.hint}`);
      return false;
    }
  }

  async #look(): Promise<void> {
    const { context, reload, onReloaded } = this.#options;
    const { stderr } = context;
    const now = await this.#read();
    if (now === undefined || !(await this.#isAllowed(now))) return;
    const before = this.#used ?? nothingUsed;
    this.#used = now;
    const changes = [...difference(before, now)].map(([name, { change }]) => `${name} ${change}`);
    if (JSON.stringify(before.config.models) !== JSON.stringify(now.config.models))
      stderr.line(`${stderr.paint.yellow('!')} The models have changed: they are used after a restart.`);
    if (changes.length === 0) return;
    await reload();
    stderr.line(`${stderr.paint.green('✓')} MCP servers: ${changes.join(', ')}`);
    await onReloaded();
  }
}
