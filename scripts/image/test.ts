/**
 * `npm run image:test`: builds the Dockerfile as it stands, and runs what is in the image: all of Baton from one
 * container, then an orchestrator and a worker on another Postgres, then a server. There need be no Docker; buildah, mmdebstrap and the
 * rights of root have to be there.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { freePort, temporaryPostgres } from '@baton/boot';

import { baseName, makeBase } from './base.ts';
import { begin, buildah, imageBytes, storage } from './buildah.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const image = 'localhost/baton';
const user = 1000;
const bytesMax = 200 * 1024 * 1024;
const certificates = '/etc/ssl/certs';
const adminKey = 'of-the-image-test-and-of-nothing-else';

const shared = mkdtempSync(join(tmpdir(), 'baton-image-'));
const under: ChildProcess[] = [];

function check(holds: boolean, what: string): void {
  process.stdout.write(`${holds ? '✓' : '✗'} ${what}\n`);
  if (!holds) process.exitCode = 1;
}

function build(): void {
  // The npm of the build finds what it needs where that of this machine does: both belong to root.
  // The build runs as root, as this test does: both have the same home.
  const settings = join(homedir(), '.npmrc');
  const own = existsSync(settings) ? readFileSync(settings, 'utf8') : '';
  const ofBuild = join(shared, 'npmrc');
  // Node brings certificates of its own, and knows none that this machine trusts besides: `--env` is for the image.
  writeFileSync(ofBuild, `${own}\ncafile=${certificates}/ca-certificates.crt\n`);
  const cache = join(homedir(), '.npm');
  mkdirSync(cache, { recursive: true });
  const mounts = [`${ofBuild}:${settings}:ro`, `${cache}:${cache}`, `${certificates}:${certificates}:ro`];
  const volumes = mounts.flatMap((volume) => ['--volume', volume]);
  buildah('build', '--quiet', '--pull-never', '--format', 'docker', '--layers=false', ...volumes, '-t', image, root);
}

interface Container {
  readonly name: string;
  readonly process: ChildProcess;
  /** Resolves to the first line of stderr or stdout that holds it. */
  told(text: string): Promise<string>;
}

/** `command` as the image would run it, in a container of its own. */
function start(command: readonly string[], env: Readonly<Record<string, string>>): Container {
  const name = buildah('from', '--pull-never', image).trim();
  const set = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const mounts = ['--volume', `${join(shared, 'data')}:/data`, '--volume', `${join(shared, 'work')}:/baton:ro`];
  const child = begin('run', ...set, ...mounts, name, '--', 'tini', '-s', '--', 'baton', ...command);
  under.push(child);
  let said = '';
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) throw new Error('no pipe');
    createInterface({ input: stream }).on('line', (line) => {
      said += `${line}\n`;
      looks.forEach((look) => look());
    });
  }
  const told = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const line = said.split('\n').find((one) => one.includes(text));
        if (line !== undefined) resolve(line);
      };
      looks.add(look);
      child.once('exit', (code) => reject(new Error(`${command.join(' ')} ended with ${code}:\n${said}`)));
      look();
    });
  return { name, process: child, told };
}

/** Runs a command in a container that is there already. */
const inside = ({ name }: Container, env: Readonly<Record<string, string>>, ...command: readonly string[]): string => {
  const set = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const mounts = ['--volume', `${join(shared, 'data')}:/data`, '--volume', `${join(shared, 'work')}:/baton:ro`];
  return buildah('run', ...set, ...mounts, name, '--', ...command);
};

/** User ids of all processes whose command line has `text` in it. */
function usersOf(text: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(text) ? [statSync(`/proc/${pid}`).uid] : [];
      } catch {
        return [];
      }
    });
}

async function stop({ process: child, name }: Container, pattern: string): Promise<void> {
  const gone = once(child, 'exit');
  // To the first process of the container, as an engine of containers does it.
  for (const entry of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const line = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0').join(' ');
      if (/^(?:\S*\/)?tini /.test(line) && line.includes(pattern)) process.kill(Number(entry), 'SIGTERM');
    } catch {
      // It has ended.
    }
  }
  await gone;
  buildah('rm', name);
}

async function runDev(): Promise<void> {
  const port = String(await freePort());
  const env = { BATON_PORT: port, BATON_HOST: '127.0.0.1', BATON_ADMIN_KEY: adminKey };
  const dev = start(['dev'], env);
  await dev.told('Baton is up');
  const users = usersOf('/opt/baton/node_modules');
  check(users.length >= 3 && users.every((uid) => uid === user), 'dev: no process runs as root');
  const command = { BATON_URL: `http://127.0.0.1:${port}`, BATON_API_KEY: adminKey };
  const outputs = inside(dev, command, 'baton', 'run', 'hello', '--wait');
  check(outputs.includes('Hello'), 'dev: a workflow of a mounted folder runs');
  const health = inside(dev, env, 'sh', '-c', healthCheck());
  check(health === '', 'dev: the health check of the image holds');
  await stop(dev, 'baton dev');
  check(usersOf('/opt/baton/node_modules').length === 0, 'dev: nothing is left after SIGTERM');
}

/** As the image has it. */
function healthCheck(): string {
  const [, command = ''] = /HEALTHCHECK[^[]*CMD (\[.*\])/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  return (JSON.parse(command) as string[]).map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

async function runApart(): Promise<void> {
  const postgres = await temporaryPostgres();
  try {
    const [port, metrics] = [String(await freePort()), String(await freePort())];
    const url = `http://127.0.0.1:${port}`;
    const common = {
      DATABASE_URL: postgres.url,
      BATON_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      BATON_ADMIN_KEY: adminKey,
      BATON_HOST: '127.0.0.1',
    };
    const orchestrator = start(['orchestrator'], { ...common, BATON_PORT: port });
    await orchestrator.told('the orchestrator is ready');
    const worker = start(['worker'], { ...common, BATON_URL: url, BATON_METRICS_PORT: metrics });
    const command = { BATON_URL: url, BATON_API_KEY: adminKey };
    inside(orchestrator, command, 'baton', 'deploy', 'hello.workflow.yaml');
    const outputs = inside(orchestrator, command, 'baton', 'run', 'hello', '--wait');
    check(outputs.includes('Hello'), 'orchestrator and worker: a run ends');
    check(inside(worker, { BATON_METRICS_PORT: metrics }, 'sh', '-c', healthCheck()) === '', 'worker: it is healthy');
    const users = usersOf('/opt/baton/node_modules');
    check(users.length >= 2 && users.every((uid) => uid === user), 'orchestrator and worker: none runs as root');
    await stop(worker, 'baton worker');
    await stop(orchestrator, 'baton orchestrator');
    check(usersOf('/opt/baton/node_modules').length === 0, 'orchestrator and worker: nothing is left after SIGTERM');
    const server = start(['server'], { ...common, BATON_PORT: port });
    await server.told('the server is ready');
    check(inside(server, command, 'baton', 'run', 'hello', '--wait').includes('Hello'), 'server: a run ends');
    await stop(server, 'baton server');
    check(usersOf('/opt/baton/node_modules').length === 0, 'server: nothing is left after SIGTERM');
  } finally {
    await postgres.stop();
  }
}

function checkSize(): void {
  const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
  const [all, base] = [imageBytes(image), imageBytes(baseName)];
  const added = all - base;
  check(added <= bytesMax, `the image adds ${megabytes(added)} to its base of ${megabytes(base)}; 200 MiB are allowed`);
}

try {
  makeBase(root);
  build();
  checkSize();
  mkdirSync(join(shared, 'data'));
  chownSync(join(shared, 'data'), user, user);
  mkdirSync(join(shared, 'work'));
  writeFileSync(
    join(shared, 'work', 'hello.workflow.yaml'),
    'workflow: hello\nsteps:\n  - set: { ready: true }\noutputs: { text: Hello }\n',
  );
  await runDev();
  await runApart();
} finally {
  for (const child of under) if (child.exitCode === null) child.kill('SIGKILL');
  rmSync(shared, { recursive: true, force: true });
  rmSync(storage, { recursive: true, force: true });
}
