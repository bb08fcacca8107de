/** Reads `prisma/`: the schema, and the migrations that lead to it. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../../prisma', import.meta.url));
const migrationsFolder = join(folder, 'migrations');

export function readSchema(): Promise<string> {
  return readFile(join(folder, 'schema.prisma'), 'utf8');
}

/** The schema after the newest migration; undefined before the first one. */
export async function readMigratedSchema(): Promise<string | undefined> {
  return readFile(join(migrationsFolder, 'schema.prisma'), 'utf8').catch(() => undefined);
}

export interface Migration {
  readonly name: string;
  readonly script: string;
  /** SHA-256 of the script, hex, as in `_prisma_migrations`. */
  readonly checksum: string;
}

/** Oldest first. */
export async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true }).catch(() => []);
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const script = await readFile(join(migrationsFolder, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
}
