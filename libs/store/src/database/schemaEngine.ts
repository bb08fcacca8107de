/**
 * Prisma's migration engine as WebAssembly, which writes the SQL of a new migration: no binary to download. Only tests and
 * `scripts/migrate.mjs` use it.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { once } from '@baton/primitives';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Pool } from 'pg';

import { GuardedClient } from './guardedClient.ts';

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

/** Calls `use` with an engine that is connected to the database at `url`, and frees the engine afterwards. */
export async function withSchemaEngine<Result>(
  url: string,
  schema: string,
  use: (engine: SchemaEngine) => Promise<Result>,
): Promise<Result> {
  await load();
  const pool = new Pool({ connectionString: url, max: 1, Client: GuardedClient });
  // The next statement reports that the connection broke.
  pool.on('error', () => undefined);
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  const options = { datamodels: [['schema.prisma', schema]] satisfies [string, string][] };
  const engine = await glue.SchemaEngine.new(options, () => undefined, adapter);
  try {
    return await use(engine);
  } catch (cause) {
    throw new Error(`Prisma's migration engine failed: ${(cause as Error).message}`, { cause });
  } finally {
    engine.free();
    await pool.end();
  }
}
