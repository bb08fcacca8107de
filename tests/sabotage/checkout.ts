/** A copy of the working tree, with the installed packages linked. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Mutation } from './mutation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What `scripts/setup.mjs` makes, and tests need. */
const built = ['libs/store/src/generated', 'apps/dashboard/dist'];

export interface Checkout {
  readonly folder: string;
  /** Switches a safeguard off; what it returns switches it on again. */
  readonly mutate: (mutation: Mutation) => Promise<() => Promise<void>>;
  readonly remove: () => Promise<void>;
}

export async function copyCheckout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-sabotage-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = [...new Set(String(listed).split('\0'))].filter((file) => file !== '');
  for (const file of [...files, ...built]) {
    await cp(join(root, file), join(folder, file), { recursive: true }).catch(ignoreMissing);
  }
  const rooms = ['apps', 'libs'].flatMap((side) =>
    files.filter((file) => new RegExp(`^${side}/[^/]+/package.json$`).test(file)),
  );
  await linkPackages(folder, rooms.map(dirname));
  return {
    folder,
    mutate: async ({ file, find, replace }) => {
      const path = join(folder, file);
      const text = await readFile(path, 'utf8');
      await writeFile(
        path,
        text.replace(find, () => replace),
      );
      return () => writeFile(path, text);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Packages are those of the original; `@baton/*` are the rooms of the copy. */
async function linkPackages(folder: string, rooms: readonly string[]): Promise<void> {
  for (const room of ['.', ...rooms]) {
    const from = join(root, room, 'node_modules');
    const to = join(folder, room, 'node_modules');
    const names = await readdir(from).catch(() => []);
    if (names.length > 0) await mkdir(to, { recursive: true });
    for (const name of names) {
      if (name !== '@baton' && name !== '.cache') await symlink(join(from, name), join(to, name));
    }
  }
  const own = join(folder, 'node_modules', '@baton');
  await mkdir(own);
  for (const room of rooms) {
    const { name } = JSON.parse(await readFile(join(root, room, 'package.json'), 'utf8')) as { name: string };
    await symlink(join(folder, room), join(own, name.replace('@baton/', '')));
  }
}

function ignoreMissing(error: unknown): void {
  // Deleted, and not yet committed.
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
