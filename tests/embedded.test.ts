import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { appFile } from '@baton/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const workflow = 'morning-brief';

interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<unknown>;
}

/** The embedded stack, from one command, as a newcomer has it. */
describe('on one machine', () => {
  const folders: string[] = [];
  const children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'baton-embedded-'));
    folders.push(made);
    return made;
  };

  const baton = (data: string, ...args: string[]): Started => batonIn(root, data, ...args);
  const batonIn = (cwd: string, data: string, ...args: string[]): Started => {
    const { DATABASE_URL: _database, REDIS_URL: _redis, ...env } = process.env;
    const child = spawn(process.execPath, [appFile('cli'), ...args], {
      cwd,
      env: { ...env, BATON_TRUST_FOLDER: '1', BATON_DATA: data, BATON_PORT: '0', NO_COLOR: '1' },
    });
    children.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return { child, said: () => said, ended: once(child, 'exit').then(([code, signal]: unknown[]) => code ?? signal) };
  };

  /** Resolves to the address of the API. */
  const up = async ({ child, said }: Started): Promise<string> => {
    if (child.stderr === null) throw new Error('no stderr');
    for await (const line of createInterface({ input: child.stderr })) {
      const [, url] = /Baton is up at (\S+)/.exec(line) ?? [];
      if (url !== undefined) return url;
    }
    throw new Error(`it ended before it was up:\n${said()}`);
  };

  const ask = async (url: string, data: string, ...args: string[]): Promise<string> => {
    const asked = baton(data, ...args, '--url', url);
    if ((await asked.ended) !== 0) throw new Error(asked.said());
    return asked.said();
  };

  test('the demo calls real servers, prints the result and where to look, and leaves nothing behind', async () => {
    const data = folder();
    const demo = baton(data, 'demo');
    expect([await demo.ended, demo.said()]).toEqual([0, expect.any(String)]);
    const steps = ['weather', 'notes', 'style', 'background', 'brief', 'review', 'filed', 'proof', 'remembered'];
    for (const step of steps) expect(demo.said()).toContain(`${step} succeeded`);
    expect(demo.said()).toContain('proof failed, attempt 1, again in');
    // stdout is data, stderr is progress: their order does not matter.
    expect(demo.said()).toMatch(/the run succeeded[^]*baton runs show/);
    expect(demo.said()).toContain('city: Chicago');
    expect(processesOf(data)).toEqual([]);
  });

  test('a second start finds everything again, also after the first was killed', async () => {
    const data = folder();
    const first = baton(data, 'dev', '--no-watch');
    const url = await up(first);
    await ask(url, data, 'deploy', 'examples/morning-brief.workflow.yaml');
    const outputs = await ask(url, data, 'run', workflow, '--wait');
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'baton_worker_runs_finished_total{status="succeeded"} 1',
    );
    expect(processesOf(data).length).toBeGreaterThan(0);

    // A copy that is made while it runs has a life of its own beside it.
    const copied = folder();
    spawnSync('cp', ['-a', `${data}/.`, copied]);
    const copy = baton(copied, 'dev', '--no-watch');
    const itsUrl = await up(copy);
    expect(itsUrl).not.toBe(url);
    await ask(itsUrl, copied, 'run', workflow, '--wait');
    const runsOf = async (at: string, of: string): Promise<number> =>
      (await ask(at, of, 'runs', 'ls')).split(`${workflow}@1\tsucceeded`).length - 1;
    expect([await runsOf(url, data), await runsOf(itsUrl, copied)]).toEqual([1, 2]);
    copy.child.kill('SIGTERM');
    expect(await copy.ended).toBe(0);

    expect(first.said()).toMatch(
      /admin key, shown only once: \S+\n +Data is in \S+, and the admin key in \S+\/admin-key\./,
    );
    first.child.kill('SIGKILL');
    await first.ended;

    const second = baton(data, 'dev', '--no-watch');
    const again = await up(second);
    expect(await ask(again, data, 'runs', 'ls')).toContain(`${workflow}@1\tsucceeded`);
    expect(await ask(again, data, 'run', workflow, '--wait')).toBe(outputs);
    second.child.kill('SIGTERM');
    expect([await second.ended, second.said()]).toEqual([0, expect.stringContaining('running calls have 30 s')]);
    expect(second.said()).not.toMatch(/^\s+at \S|Error:/m);
    expect(processesOf(data)).toEqual([]);
  });

  test('a killed process is started again, and `baton dev` says so in plain words', async () => {
    const data = folder();
    const stack = baton(data, 'dev', '--no-watch');
    const url = await up(stack);
    await expect.poll(stack.said).toContain('Press Ctrl-C to stop');
    const before = stack.said().length;
    const [server = ''] = childrenOf(stack.child, '/server.js');
    expect(childrenOf(stack.child, '.js')).toEqual([server]);
    process.kill(Number(server), 'SIGKILL');
    const back = /The server is running again, at (http:\S+)/;
    await expect.poll(stack.said).toMatch(back);
    expect(back.exec(stack.said())?.[1]).toBe(url);
    await ask(url, data, 'runs', 'ls');
    const told = stack.said().slice(before);
    expect(told).toContain('! The server ended (SIGKILL) and restarts in 200 ms.');
    expect(told).not.toContain('{');
    const [postgres = ''] = childrenOf(stack.child, 'bin/postgres');
    process.kill(Number(postgres), 'SIGKILL');
    expect(await stack.ended).toBe(1);
    expect(stack.said()).toContain('✗ Postgres ended unexpectedly (SIGKILL), so Baton stops.');
    // No process logs what follows from it.
    expect(stack.said()).not.toContain('{"level"');
    await expect.poll(() => processesOf(data)).toEqual([]);
  });

  test('a setting that is misspelt, and a server configuration that cannot be read, are told by `baton dev` alone, once', async () => {
    vi.stubEnv('REDIS_URI', 'redis://127.0.0.1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const at = folder();
    const mcp = join(at, 'mcp.json');
    writeFileSync(mcp, '{ "mcpServers": {} }');
    const dev = batonIn(at, join(at, 'data'), 'dev');
    const url = await up(dev);
    writeFileSync(mcp, '{ "mcpServers": { "notes": { "comand": "node" } } }');
    await expect.poll(dev.said).toContain('The MCP servers stay as they were');
    // The server reads the file for this answer.
    await ask(url, join(at, 'data'), 'servers', 'ls');
    dev.child.kill('SIGINT');
    await dev.ended;
    expect(dev.said().split('has neither')).toHaveLength(2);
    expect(dev.said().split('REDIS_URI (environment) is no setting of Baton. Did you mean REDIS_URL?')).toHaveLength(2);
  });

  test('a run in the middle of a call goes on at the next start, after Ctrl-C, Ctrl-C twice, and a power cut', async () => {
    const data = folder();
    const file = join(data, 'long.workflow.yaml');
    writeFileSync(file, long);
    const ctrlC = async ({ child }: Started): Promise<void> => void child.kill('SIGINT');
    const ctrlCTwice = async (stack: Started): Promise<void> => {
      await ctrlC(stack);
      await expect.poll(stack.said).toContain('Stopping:');
      // A second one that follows at once is what npm makes of the first.
      await expect.poll(() => stack.child.kill('SIGINT') && stack.child.exitCode).not.toBe(null);
    };
    const powerCut = async (): Promise<void> => {
      for (const one of processesOf(data)) process.kill(Number.parseInt(one), 'SIGKILL');
    };
    let run = '';
    let starts = 0;
    for (const [end, code] of [
      [ctrlC, 0],
      [ctrlCTwice, 130],
      [powerCut, 'SIGKILL'],
    ] as const) {
      const stack = baton(data, 'dev', '--no-watch');
      const url = await up(stack);
      if (run === '') {
        // Without the server's list the call counts as a write, and is not made again.
        const tools = (): Promise<string> => ask(url, data, 'servers', 'tools', 'everything').catch(String);
        await expect.poll(tools).toContain('trigger-long-running-operation');
        await ask(url, data, 'deploy', file);
        run = (await ask(url, data, 'run', 'long')).trim();
      }
      starts += 1;
      const watching = baton(data, 'runs', 'watch', run, '--url', url);
      const isInCall = new RegExp(`(took the run[^]*){${starts}}op progress 1 of 15`);
      await expect.poll(watching.said).toMatch(isInCall);
      watching.child.kill('SIGTERM');
      await end(stack);
      expect(await stack.ended).toBe(code);
      await expect.poll(() => processesOf(data)).toEqual([]);
    }
    const last = baton(data, 'dev', '--no-watch');
    expect(await ask(await up(last), data, 'runs', 'watch', run)).toMatch(/"done": 3/);
    last.child.kill('SIGTERM');
    expect(await last.ended).toBe(0);
  });
});

/**
 * Three calls, one after the other. Each takes much longer than a slow machine needs to see its beginning, and the second
 * in which a second Ctrl-C counts as the first.
 */
const long = `workflow: long
steps:
  - id: each
    forEach: "\${{ [1, 2, 3] }}"
    as: item
    maxParallel: 1
    steps:
      - { id: op, tool: everything/trigger-long-running-operation, with: { duration: 15, steps: 15 } }
outputs: { done: "\${{ size(steps.each.output) }}" }
`;

/**
 * Everything that runs on a data folder: by command line, or by the mark in the environment of what was started from
 * it.
 */
function processesOf(data: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const [command = '', environment = ''] = ['cmdline', 'environ'].map((file) =>
        readQuietly(`/proc/${pid}/${file}`),
      );
      return command.includes(data) || environment.includes(data) ? [`${pid} ${command.replaceAll('\0', ' ')}`] : [];
    });
}

/** The ids of the processes that it started with `words` in their command. */
function childrenOf({ pid: parent }: ChildProcess, words: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    const [, after = ''] = readQuietly(`/proc/${pid}/stat`).split(') ');
    return after.split(' ')[1] === String(parent) && readQuietly(`/proc/${pid}/cmdline`).includes(words);
  });
}

/** Nothing for a process that has just gone. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
