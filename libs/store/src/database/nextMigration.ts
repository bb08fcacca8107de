import { readMigratedSchema, readSchema } from './migrationFiles.ts';
import { withSchemaEngine } from './schemaEngine.ts';

/**
 * The SQL that leads from the newest migration to `schema.prisma`; undefined if they agree.
 *
 * `prisma/migrations/schema.prisma` is the schema after the newest migration. It is stored because the engine cannot
 * read a schema from a database through the adapter for `pg`: it does not know the type "char". The engine still needs
 * a database to connect to, and changes nothing there.
 */
export async function nextMigration(url: string): Promise<string | undefined> {
  return difference(url, await readMigratedSchema(), await readSchema());
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
