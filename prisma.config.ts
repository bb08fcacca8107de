import { defineConfig } from 'prisma/config';

// `generate`, `validate` and `format` never run a schema engine, but the CLI fetches one unless it is given a file.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
});
