/**
 * The npm package as a stranger has it: packed, installed into an empty folder with install scripts blocked, and used.
 * On this Node; `npm run package:test` has it on Node 22 as well.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = (process.env['BATON_PACKAGE_NODES'] ?? '').split(',').filter((one) => one !== '');

interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder = '';
let tarball = '';
const running = new Set<ChildProcess>();

/** Nothing that the machine has set for Baton, and a home of its own. */
const bare = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(BATON_|DATABASE_URL|REDIS_URL|LOG_LEVEL|NODE_|FORCE_COLOR)/.test(name),
  ),
);

function must(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = bare): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** A Node of this major version: this one, or the one that npm has. */
async function nodeOf(version: string): Promise<string> {
  if (version === '' || process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const at = join(folder, `node${version}`);
  await mkdir(at);
  await writeFile(join(at, 'package.json'), '{}');
  const name = `node-${process.platform}-${process.arch}`;
  must('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`], at);
  return join(at, 'node_modules', name, 'bin', 'node');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-package-'));
  tarball =
    must(process.execPath, [join(root, 'scripts/package/main.ts')], root)
      .split('\n')
      .at(-1) ?? '';
}, 600_000);

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** A folder with the package in it, and what is typed there. */
class Project {
  readonly at: string;
  readonly node: string;
  readonly #env: NodeJS.ProcessEnv;
  url = '';

  constructor(at: string, node: string) {
    this.at = at;
    this.node = node;
    const path = `${dirname(node)}${delimiter}${bare['PATH'] ?? ''}`;
    this.#env = { ...bare, PATH: path, HOME: at, XDG_CONFIG_HOME: join(at, '.config'), BATON_PORT: '0' };
  }

  static async install(name: string, node: string): Promise<Project> {
    const at = join(folder, name);
    await mkdir(at);
    await writeFile(join(at, 'package.json'), '{ "private": true }');
    must('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', tarball], at);
    return new Project(at, node);
  }

  begin(args: readonly string[]): ChildProcess {
    const command = [join(this.at, 'node_modules', 'batonflow', 'bin', 'baton.mjs'), ...args];
    const child = spawn(this.node, command, {
      cwd: this.at,
      env: { ...this.#env, ...(this.url === '' ? {} : { BATON_URL: this.url }) },
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  async baton(...args: string[]): Promise<CommandResult> {
    const child = this.begin(args);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  /** A program of a service that has the package as a dependency. */
  async script(code: string): Promise<string> {
    await writeFile(join(this.at, 'service.mjs'), code);
    return must(this.node, ['service.mjs'], this.at, { ...this.#env, BATON_URL: this.url });
  }
}

/** `baton dev`, and a wait for what it says next. */
async function dev(
  project: Project,
): Promise<{ readonly child: ChildProcess; said: (words: RegExp) => Promise<string> }> {
  const child = project.begin(['dev']);
  let text = '';
  let from = 0;
  const heard = new EventTarget();
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    heard.dispatchEvent(new Event('more'));
  });
  child.once('exit', () => heard.dispatchEvent(new Event('more')));
  const said = async (words: RegExp): Promise<string> => {
    for (;;) {
      const found = words.exec(text.slice(from));
      if (found !== null) {
        from += found.index + found[0].length;
        return found[1] ?? found[0];
      }
      if (child.exitCode !== null) throw new Error(`dev ended:\n${text}`);
      await once(heard, 'more');
    }
  };
  project.url = await said(/Baton is up at (http:\/\/[\d.:]+)/);
  return { child, said };
}

const service = `
import { createClient, ProblemError } from 'batonflow/client';
import { readFileSync } from 'node:fs';
import schema from 'batonflow/schema.json' with { type: 'json' };
const client = createClient({ url: process.env.BATON_URL, key: readFileSync('.baton/admin-key', 'utf8').trim() });
const { id } = await client.runs.start('hello', { name: 'Ada' });
const seen = [];
for await (const { event } of client.runs.follow(id)) seen.push(event.type);
const { status, outputs } = await client.runs.wait(id);
const problem = await client.runs.start('nothing').catch((error) => error);
console.log(JSON.stringify({ status, outputs, first: seen[0], last: seen.at(-1), code: problem instanceof ProblemError && problem.code, schema: typeof schema.$schema }));
`;

const uncaught = `
import { createClient } from 'batonflow/client';
await createClient({ url: process.env.BATON_URL, key: 'wrong' }).runs.start('hello');
`;

/** The same in a page of the same origin. */
async function inChromium(project: Project): Promise<unknown> {
  const key = (await readFile(join(project.at, '.baton', 'admin-key'), 'utf8')).trim();
  const client = await readFile(join(project.at, 'node_modules', 'batonflow', 'client', 'index.js'), 'utf8');
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.route('**/test/page', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>test</title>' }),
    );
    await page.route('**/test/client.js', (route) => route.fulfill({ contentType: 'text/javascript', body: client }));
    await page.goto(`${project.url}/test/page`);
    return await page.evaluate(`import('/test/client.js').then(async ({ createClient }) => {
      const client = createClient({ url: location.origin, key: ${JSON.stringify(key)} });
      const { id } = await client.runs.start('hello', { name: 'Grace' });
      return (await client.runs.wait(id)).outputs;
    })`);
  } finally {
    await browser.close();
  }
}

describe.each(versions.length === 0 ? [''] : versions)('the package on Node %s', (version) => {
  test('goes from an empty folder to a run, and leaves nothing behind', async () => {
    const project = await Project.install(`project${version}`, await nodeOf(version));
    expect((await project.baton('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\+[\da-f]{12}$/m);
    expect((await project.baton('init', '--yes')).stdout).toContain('hello.workflow.yaml');
    expect(await project.baton('check', '.')).toMatchObject({ code: 0 });
    expect(await project.baton('test', '.')).toMatchObject({ code: 0 });
    const { child, said } = await dev(project);
    await said(/hello@1 deployed|hello@1\tdeployed/);
    const run = await project.baton('run', 'hello', '--wait');
    expect([run.code, JSON.parse(run.stdout)]).toEqual([0, { greeting: 'Hello, world!' }]);

    const file = join(project.at, 'hello.workflow.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('wait: 2s', 'wiat: 2s'));
    await said(/did you mean "wait"/);
    await writeFile(file, text.replace('wait: 2s', 'wait: 1ms'));
    await said(/hello@2.deployed/);

    expect(JSON.parse(await project.script(service))).toEqual({
      status: 'succeeded',
      outputs: { greeting: 'Hello, Ada!' },
      first: 'run.requested',
      last: 'run.finished',
      code: 'not-found',
      schema: 'string',
    });
    const thrown = await project.script(uncaught).catch(String);
    expect(thrown).toContain('ProblemError: Send a valid API key');
    // No line of it is a bundle's source, wherever the project and its Node are.
    const lines = thrown.replaceAll(project.node, '').replaceAll(project.at, '').split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200);
    expect(await inChromium(project)).toEqual({ greeting: 'Hello, Grace!' });

    child.kill('SIGINT');
    await once(child, 'exit');
    // The data folder stays, and no process uses it.
    expect((await readdir(join(project.at, '.baton'))).filter((name) => name.endsWith('.lock'))).toEqual([]);
    const left = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
    expect(left.split('\n').filter((line) => line.includes(project.at))).toEqual([]);
  }, 300_000);
});
