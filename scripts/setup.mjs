/**
 * Makes a fresh clone ready: dependencies, a Node that is new enough, the generated Prisma client, and the built page
 * (not with `--no-page`: what shows none does not wait for it).
 * Every npm script begins with it, on any Node that the machine has, so it is plain JavaScript without dependencies.
 * Needs no install script of any package: npm 12 runs none. Where npm is told to ignore scripts, it runs no `pre…`
 * script either, so none is used: a script runs this, forgets which `node` the shell has found (`hash -r`), and becomes
 * (`exec`) the program, which thus gets the signals that npm passes on.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);

/** Two npm scripts started at once must not both run `npm ci`: the second waits for the first. */
async function exclusively(work) {
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
  await work();
}

/** Baton needs no install script, and some download what it does not use. */
const npmCi = ['ci', '--ignore-scripts', '--loglevel=error', '--no-fund', '--no-audit'];

/** Resolves to whether it succeeded; where it did not, that is said. */
function succeeds(what, command, args, { env = {}, cwd = root } = {}) {
  process.stderr.write(`baton: ${what}\n`);
  const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], env: { ...process.env, ...env } });
  return new Promise((resolve) => {
    const end = (why) => {
      if (why !== undefined) process.stderr.write(`baton: "${command} ${args.join(' ')}" failed${why}\n`);
      resolve(why === undefined);
    };
    child.once('error', ({ message }) => end(`: ${message}`));
    child.once('exit', (code, signal) => end(code === 0 ? undefined : ` with ${signal ?? `exit code ${code}`}`));
  });
}

async function must(...step) {
  if (!(await succeeds(...step))) process.exit(1);
}

const digest = (...files) =>
  files.reduce((hash, file) => hash.update(readFileSync(at(file))), createHash('sha256')).digest('hex');

/** True when `stamp` records that `wanted` was reached before. */
const isDone = (stamp, wanted) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;

async function installInto(folder, what) {
  const stamp = join(folder, 'node_modules', '.baton-lock');
  const wanted = digest(join(folder, 'package-lock.json'));
  if (isDone(at(stamp), wanted)) return true;
  const isInstalled = await succeeds(what, 'npm', npmCi, { cwd: at(folder) });
  if (isInstalled) writeFileSync(at(stamp), wanted);
  return isInstalled;
}

/**
 * `why`: why Baton needs a Node of its own. Both at once: npm keeps little more than one core busy with each. Where one
 * fails, the other is not left behind at work.
 */
async function install(why) {
  const works = [installInto('.', 'installing dependencies (npm ci)')];
  if (why !== undefined) works.push(installInto(join('scripts', 'node'), `${why}: installing one for Baton alone`));
  if ((await Promise.all(works)).includes(false)) process.exit(1);
}

/** `[24, 3]` of `v24.3.0`, of `>=24.3`. */
const versionOf = (text) => (/(\d+)(?:\.(\d+))?/.exec(text) ?? []).slice(1).map((part) => Number(part ?? 0));

const isNewEnough = ([major, minor], [least, leastMinor]) => major > least || (major === least && minor >= leastMinor);

/** The version of the `node` at `path`, or nothing where there is none that runs here. */
function nodeAt(path) {
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return status === 0 ? versionOf(stdout) : undefined;
}

/** The machine's own Node: the first on the PATH outside of the folders that npm puts in front. */
function machinesNode() {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !/node_modules[/\\]\.bin[/\\]?$/.test(folder));
  const path = folders.map((folder) => join(folder, 'node')).find((file) => existsSync(file));
  return path === undefined ? undefined : nodeAt(path);
}

/** From the root. npm 10 does not always link the `bin` of a package, so it is looked for in the package itself. */
function broughtNode() {
  const folder = join('scripts', 'node');
  const names = Object.keys(JSON.parse(readFileSync(at(folder, 'package.json'), 'utf8')).optionalDependencies);
  return names.map((name) => join(folder, 'node_modules', name, 'bin', 'node')).find((path) => existsSync(at(path)));
}

const needed = JSON.parse(readFileSync(at('package.json'), 'utf8')).engines.node;

/** Why Baton needs a Node of its own here; undefined where the machine's is new enough. */
function whyOwnNode() {
  const machines = machinesNode();
  if (machines && isNewEnough(machines, versionOf(needed))) return undefined;
  return `Baton needs Node ${needed}, this machine has ${machines ? machines.join('.') : 'none on its PATH'}`;
}

/**
 * Where the machine's Node is too old, `node_modules/.bin/node` leads to one that `scripts/node` brings along; npm puts
 * that folder first on the PATH of its scripts and of what `npx` starts. Returns the Node to use.
 */
function provideNode(why) {
  const link = at('node_modules', '.bin', 'node');
  if (why === undefined) {
    rmSync(link, { force: true });
    return 'node';
  }
  if (existsSync(link)) return link;
  rmSync(link, { force: true });
  const brought = broughtNode();
  if (brought !== undefined) {
    chmodSync(at(brought), 0o755);
    symlinkSync(join('..', '..', brought), link);
  }
  if (nodeAt(link)) return link;
  rmSync(link, { force: true });
  process.stderr.write(
    `baton: Baton needs Node ${needed}, and brings none for ${process.platform} on ${process.arch}.\n`,
  );
  process.stderr.write('hint: install it from https://nodejs.org, and put it first on the PATH\n');
  process.exit(2);
}

async function generateClient(node) {
  const generated = at('libs', 'store', 'src', 'generated');
  const stamp = join(generated, '.baton-schema');
  const wanted = digest('prisma/schema.prisma', 'package-lock.json');
  if (isDone(stamp, wanted)) return;
  await must('generating the Prisma client', node, [at('node_modules', 'prisma', 'build', 'index.js'), 'generate'], {
    env: { PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' },
  });
  writeFileSync(stamp, wanted);
}

/** What the page is built from: its own room, and those that it imports. */
const pageSources = [
  'apps/dashboard',
  ...['api', 'editor-service', 'engine', 'expressions', 'language', 'primitives'].map((room) => `libs/${room}`),
];

function filesIn(folder) {
  return readdirSync(at(folder), { withFileTypes: true })
    .filter(({ name }) => !['node_modules', 'dist'].includes(name) && !/\.test\.tsx?$/.test(name))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .toSorted((one, other) => (one < other ? -1 : 1));
}

async function buildPage(node) {
  const folder = at('apps', 'dashboard');
  if (!existsSync(join(folder, 'vite.config.ts'))) return;
  const stamp = join(folder, 'dist', '.baton-page');
  const wanted = digest('package-lock.json', ...pageSources.flatMap(filesIn));
  if (isDone(stamp, wanted)) return;
  await must(
    'building the page (vite build)',
    node,
    [at('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel=warn'],
    {
      cwd: folder,
    },
  );
  writeFileSync(stamp, wanted);
}

await exclusively(async () => {
  const why = whyOwnNode();
  await install(why);
  const node = provideNode(why);
  await generateClient(node);
  if (!process.argv.includes('--no-page')) await buildPage(node);
});
