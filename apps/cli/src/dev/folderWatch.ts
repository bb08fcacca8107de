/**
 * Watches a folder at any depth, except packages, `dist` and hidden folders: Node's recursive watch would include
 * `node_modules`.
 */
import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { unawaited } from '@baton/primitives';

import { isForeign } from '../workflowFiles.ts';

/** A folder with more folders is a home folder, not a project. */
const foldersMax = 500;
/** Waits this long for further changes, since editors write a file in several steps. */
const settleMs = 50;

export interface FolderWatchEvents {
  readonly onChange: () => void;
  readonly onFault: (folder: string, cause: Error) => void;
}

export class FolderWatch {
  readonly #root: string;
  readonly #onChange: () => void;
  readonly #onFault: (folder: string, cause: Error) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #hasFault = false;

  /**
   * `onChange`: called once for simultaneous changes. `onFault`: called for the first folder that cannot be watched,
   * since the limit of the system that one exceeds is that of all that follow.
   */
  constructor(root: string, { onChange, onFault }: FolderWatchEvents) {
    this.#root = root;
    this.#onChange = onChange;
    this.#onFault = onFault;
  }

  async open(): Promise<void> {
    const folders = await foldersIn(this.#root);
    if (this.#isClosed) return;
    for (const [folder, watcher] of this.#watchers) {
      if (folders.includes(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#add(folder);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, () => this.#changed());
      // The folder was removed meanwhile. One of its name may come back.
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch (error) {
      // Removed after its parent was read.
      if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code === 'ENOENT') return;
      if (!this.#hasFault) this.#onFault(folder, error);
      this.#hasFault = true;
    }
  }

  #changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      unawaited(this.open().then(() => this.#isClosed || this.#onChange()));
    }, settleMs);
  }
}

/** Breadth first. */
async function foldersIn(root: string): Promise<string[]> {
  const folders = [root];
  for (const folder of folders) {
    if (folders.length >= foldersMax) break;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries)
      if (entry.isDirectory() && !isForeign(entry.name)) folders.push(join(folder, entry.name));
  }
  return folders.slice(0, foldersMax);
}
