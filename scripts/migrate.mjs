/**
 * Writes the migration that leads to prisma/schema.prisma as it stands now: `node scripts/migrate.mjs <name>`.
 * The schema before that is the one in the newest commit that added or changed a migration. Needs Node 24 (`npx node` has
 * it) and Git: it starts a Postgres of its own for the moment.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { temporaryPostgres } from '../libs/boot/src/index.ts';
import { schemaDifference } from '../libs/store/src/testing/schemaEngine.ts';

const name = process.argv[2];
if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
  console.error('usage: node scripts/migrate.mjs <name_in_small_letters>');
  process.exit(2);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const prisma = join(root, 'prisma');
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
if (git('status', '--porcelain', 'prisma/migrations') !== '') {
  console.error('prisma/migrations has changes that are not committed: commit them first, with their schema');
  process.exit(1);
}

const newest = git('log', '-1', '--format=%H', '--', 'prisma/migrations/*/migration.sql');
const before = newest === '' ? undefined : git('show', `${newest}:prisma/schema.prisma`);
const postgres = await temporaryPostgres();
try {
  const script = await schemaDifference(postgres.url, {
    before,
    after: await readFile(join(prisma, 'schema.prisma'), 'utf8'),
  });
  if (script === undefined) {
    console.error('prisma/schema.prisma and the migrations agree: nothing to do');
  } else {
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const folder = join(prisma, 'migrations', `${stamp}_${name}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'migration.sql'), script);
    console.log(folder);
  }
} finally {
  await postgres.stop();
}
