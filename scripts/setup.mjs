/**
 * Makes a fresh clone ready: dependencies and the generated Prisma client.
 * Runs before every npm script, on whatever Node the machine has, so it is plain JavaScript without dependencies.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);

/** Two npm scripts started at once must not both run `npm ci`: the second waits for the first. */
function exclusively(work) {
  const lock = at('.setup.lock');
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (Date.now() - statSync(lock, { throwIfNoEntry: false })?.mtimeMs > 300_000)
        rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    }
  }
  // However this process ends: a step that failed ends it in the middle of the work.
  process.once('exit', () => rmSync(lock, { recursive: true, force: true }));
  work();
}

function run(what, command, args, env = {}) {
  process.stderr.write(`baton: ${what}\n`);
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ...env },
  });
  if (error || status !== 0) {
    process.stderr.write(
      `baton: "${command} ${args.join(' ')}" failed${error ? `: ${error.message}` : ` with exit code ${status}`}\n`,
    );
    process.exit(status || 1);
  }
}

const digest = (...files) =>
  files.reduce((hash, file) => hash.update(readFileSync(at(file))), createHash('sha256')).digest('hex');

/** True when `stamp` records that `wanted` was reached before. */
const isDone = (stamp, wanted) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;

function installDependencies() {
  const stamp = at('node_modules', '.baton-lock');
  const wanted = digest('package-lock.json');
  if (isDone(stamp, wanted)) return;
  run('installing dependencies (npm ci)', 'npm', ['ci', '--loglevel=error', '--no-fund', '--no-audit']);
  writeFileSync(stamp, wanted);
}

function generateClient() {
  const generated = at('libs', 'store', 'src', 'generated');
  const stamp = join(generated, '.baton-schema');
  const wanted = digest('prisma/schema.prisma', 'package-lock.json');
  if (isDone(stamp, wanted)) return;
  run(
    'generating the Prisma client',
    at('node_modules', '.bin', 'node'),
    [at('node_modules', 'prisma', 'build', 'index.js'), 'generate'],
    {
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  );
  writeFileSync(stamp, wanted);
}

exclusively(() => {
  installDependencies();
  generateClient();
});
