import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, test } from 'vitest';

import { appFile } from './installation.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const workflow = 'morning-brief';

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

  const baton = (
    data: string,
    ...args: string[]
  ): { child: ChildProcess; said: () => string; ended: Promise<unknown> } => {
    const { DATABASE_URL: _database, REDIS_URL: _redis, ...env } = process.env;
    const child = spawn(process.execPath, [appFile('cli'), ...args], {
      cwd: root,
      env: { ...env, BATON_DATA: data, BATON_PORT: '0', NO_COLOR: '1' },
    });
    children.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return { child, said: () => said, ended: once(child, 'exit').then(([code, signal]: unknown[]) => code ?? signal) };
  };

  /** Resolves to the address of the API. */
  const up = async ({ child }: { child: ChildProcess }): Promise<string> => {
    if (child.stderr === null) throw new Error('no stderr');
    for await (const line of createInterface({ input: child.stderr })) {
      const [, url] = /Baton is up at (\S+)/.exec(line) ?? [];
      if (url !== undefined) return url;
    }
    throw new Error('it ended before it was up');
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
    // stdout is data, stderr is progress: which of them is read first is nobody's business.
    expect(demo.said()).toMatch(/the run succeeded[^]*baton runs show/);
    expect(demo.said()).toContain('city: Chicago');
    expect(processesOf(data)).toEqual([]);
  });

  test('a second start finds everything again, whatever became of the first', async () => {
    const data = folder();
    const first = baton(data, 'dev');
    const url = await up(first);
    await ask(url, data, 'deploy', 'examples/morning-brief.workflow.yaml');
    const outputs = await ask(url, data, 'run', workflow, '--wait');
    const [, workerMetrics = ''] = /of the worker (\S+)/.exec(first.said()) ?? [];
    expect(await (await fetch(workerMetrics)).text()).toContain(
      'baton_worker_runs_finished_total{status="succeeded"} 1',
    );
    expect(processesOf(data).length).toBeGreaterThan(0);
    first.child.kill('SIGKILL');
    await first.ended;

    const second = baton(data, 'dev');
    const again = await up(second);
    expect(await ask(again, data, 'runs', 'ls')).toContain(`${workflow}@1\tsucceeded`);
    expect(await ask(again, data, 'run', workflow, '--wait')).toBe(outputs);
    second.child.kill('SIGTERM');
    expect([await second.ended, second.said()]).toEqual([
      0,
      expect.stringContaining('calls that are under way have 30 s'),
    ]);
    expect(processesOf(data)).toEqual([]);
  });
});

/** Everything that runs on a data folder: by command line, or by the mark in the environment of what was started from it. */
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

/** Nothing for a process that has just gone. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
