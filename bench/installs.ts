/**
 * What it costs to have Baton and its neighbours from npm: packages, size on disk, time of the install, and time to the
 * first answer of the command (`--version`). Each is installed into an empty folder with the npm of this machine and its
 * warm cache, install scripts blocked.
 *
 *   node bench/installs.ts [batonflow.tgz] [name …]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Contestant {
  readonly name: string;
  /** As npm installs it. */
  readonly spec: string;
  readonly bin: string;
}

const neighbours: readonly Contestant[] = [
  { name: 'inngest-cli', spec: 'inngest-cli@1.45.1', bin: 'inngest-cli' },
  { name: 'trigger.dev', spec: 'trigger.dev@4.8.3', bin: 'trigger' },
  { name: 'mastra', spec: 'mastra@1.31.0', bin: 'mastra' },
  { name: 'n8n', spec: 'n8n@2.41.3', bin: 'n8n' },
];
const installLimitMs = 20 * 60_000;
const answers = 5;

interface Figures {
  readonly name: string;
  readonly version: string;
  readonly packages: number;
  readonly megabytes: number;
  readonly installSeconds: number;
  /** Of processor time, beyond `node -e 0`; the best of five. Absent: it did not answer. */
  readonly answerMs: number | undefined;
}

function measured({ name, spec, bin }: Contestant): Figures | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'baton-installs-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{}');
    const from = performance.now();
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', spec];
    const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: installLimitMs });
    if (status !== 0) {
      process.stderr.write(`${name}: ${stderr.slice(-500)}\n`);
      return undefined;
    }
    const installSeconds = (performance.now() - from) / 1_000;
    const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, { readonly version?: string }>;
    };
    const { stdout } = spawnSync('du', ['-sk', 'node_modules'], { cwd: folder, encoding: 'utf8' });
    const installed = Object.keys(lock.packages);
    const place = installed.find((path) => path === `node_modules/${name}`) ?? '';
    return {
      name,
      version: lock.packages[place]?.version ?? '',
      packages: installed.length,
      megabytes: Number.parseInt(stdout, 10) / 1_024,
      installSeconds,
      answerMs: answerMs(folder, bin),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Commands begin with `env node`: that is to be this one. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };

/** Wall time says more of the other users of a machine. */
function processorMs(command: string, args: readonly string[], cwd: string): number | undefined {
  let best: number | undefined;
  for (let i = 0; i < answers; i += 1) {
    const before = childCpuMs();
    const { status } = spawnSync(command, args, { cwd, env, stdio: 'ignore', timeout: 120_000 });
    if (status !== 0) return undefined;
    const took = childCpuMs() - before;
    best = best === undefined ? took : Math.min(best, took);
  }
  return best;
}

/** Of all children that have ended: fields 16 and 17 of /proc/self/stat, in hundredths of a second. */
function childCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function answerMs(folder: string, bin: string): number | undefined {
  const bins = readdirSync(join(folder, 'node_modules/.bin'));
  if (!bins.includes(bin)) return undefined;
  const node = processorMs(process.execPath, ['-e', '0'], folder) ?? 0;
  const all = processorMs(join(folder, 'node_modules/.bin', bin), ['--version'], folder);
  return all === undefined ? undefined : Math.max(0, all - node);
}

const [tarball, ...names] = process.argv.slice(2);
const own: Contestant[] = tarball === undefined ? [] : [{ name: 'batonflow', spec: tarball, bin: 'baton' }];
const wanted = [...own, ...neighbours.filter(({ name }) => names.length === 0 || names.includes(name))];
process.stdout.write('| package | packages | installed | install | first answer |\n| --- | --- | --- | --- | --- |\n');
for (const contestant of wanted) {
  const figures = measured(contestant);
  if (figures === undefined) {
    process.stdout.write(`| ${contestant.spec} | | not installed here | | |\n`);
    continue;
  }
  const { name, version, packages, megabytes, installSeconds, answerMs: answer } = figures;
  const shown = answer === undefined ? 'none without its install script' : `${Math.round(answer)} ms`;
  process.stdout.write(
    `| ${name} ${version} | ${packages} | ${megabytes.toFixed(0)} MB | ${installSeconds.toFixed(0)} s | ${shown} |\n`,
  );
}
