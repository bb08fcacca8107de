import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { migrationsFolder, readMigrations, readSchema } from './migrationFiles.ts';
import { withSchemaEngine } from './schemaEngine.ts';

/**
 * The SQL that leads from the newest migration to `schema.prisma`; undefined where they agree.
 *
 * Each migration's folder keeps the schema that it leads to, and the two schemas are compared: the engine cannot yet
 * read a schema back from a database through the adapter for `pg` (it meets the type "char", and gives up).
 * It wants a database to speak to all the same, and changes nothing there.
 */
export async function nextMigration(url: string): Promise<string | undefined> {
  const newest = (await readMigrations()).at(-1);
  const before = newest && (await readFile(join(migrationsFolder, newest.name, 'schema.prisma'), 'utf8'));
  return difference(url, before, await readSchema());
}

/** The SQL from nothing to `schema.prisma`. */
export async function wholeSchema(url: string): Promise<string> {
  return (await difference(url, undefined, await readSchema())) ?? '';
}

async function difference(url: string, before: string | undefined, after: string): Promise<string | undefined> {
  const target = (content: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path: 'schema.prisma', content }],
  });
  const { exitCode, stdout } = await withSchemaEngine(url, after, (engine) =>
    engine.diff({
      from: before === undefined ? { tag: 'empty' } : target(before),
      to: target(after),
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return exitCode === 2 ? (stdout ?? undefined) : undefined;
}
