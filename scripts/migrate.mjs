/**
 * Writes the migration that leads to prisma/schema.prisma as it stands now: `node scripts/migrate.mjs <name>`.
 * Needs Node 24 (`npx node` has it) and nothing else: it starts a Postgres of its own for the moment.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { temporaryPostgres } from '../libs/boot/src/index.ts';
import { nextMigration } from '../libs/store/src/database/nextMigration.ts';

const name = process.argv[2];
if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
  console.error('usage: node scripts/migrate.mjs <name_in_small_letters>');
  process.exit(2);
}

const prisma = fileURLToPath(new URL('../prisma', import.meta.url));
const postgres = await temporaryPostgres();
try {
  const script = await nextMigration(postgres.url);
  if (script === undefined) {
    console.error('prisma/schema.prisma and the migrations agree: nothing to do');
  } else {
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const folder = join(prisma, 'migrations', `${stamp}_${name}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'migration.sql'), script);
    await copyFile(join(prisma, 'schema.prisma'), join(prisma, 'migrations', 'schema.prisma'));
    console.log(folder);
  }
} finally {
  await postgres.stop();
}
