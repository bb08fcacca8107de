/**
 * Prisma's migration engine as WebAssembly: no binary to download. It writes the SQL of a new migration for
 * `scripts/migrate.mjs`, and of the whole schema for a test.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { once } from '@baton/primitives';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Pool } from 'pg';

import { GuardedClient } from '../database/guardedClient.ts';

/** TypeScript declares `WebAssembly` only in its DOM library. */
declare const WebAssembly: {
  instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/** Does what the package's own entry does, without the warning that Node prints for that. */
const load = once(async (): Promise<void> => {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const code = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': { ...glue } });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
});

/**
 * The SQL that leads from one schema to another; undefined if they agree. `before` undefined: from an empty database.
 *
 * The engine needs a database to connect to, at `url`, and changes nothing there. It cannot read a schema from a database
 * through the adapter for `pg`, which does not know the type "char".
 */
export async function schemaDifference(
  url: string,
  { before, after }: { readonly before: string | undefined; readonly after: string },
): Promise<string | undefined> {
  await load();
  const pool = new Pool({ connectionString: url, max: 1, Client: GuardedClient });
  // The next statement reports that the connection broke.
  pool.on('error', () => undefined);
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  const options = { datamodels: [['schema.prisma', after]] satisfies [string, string][] };
  const engine = await glue.SchemaEngine.new(options, () => undefined, adapter);
  try {
    const { exitCode, stdout } = await engine.diff({
      from: before === undefined ? { tag: 'empty' } : schemaOf(before),
      to: schemaOf(after),
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 2 ? (stdout ?? undefined) : undefined;
  } catch (cause) {
    throw new Error(`Prisma's migration engine failed: ${(cause as Error).message}`, { cause });
  } finally {
    engine.free();
    await pool.end();
  }
}

const schemaOf = (content: string) => ({
  tag: 'schemaDatamodel' as const,
  files: [{ path: 'schema.prisma', content }],
});
