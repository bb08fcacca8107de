import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { jsonIn, testInstallation } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { runCommandLine } from './program.ts';

const files = {
  'fails.workflow.yaml': 'workflow: fails\nsteps:\n  - id: stop\n    fail: it was not to be\n',
  'twice.workflow.yaml':
    'workflow: twice\nsteps:\n  - steps:\n      - { id: stop, fail: it was not to be }\n    onError:\n      - { id: tidy, fail: nor was this }\n',
  'waits.workflow.yaml': 'workflow: waits\nsteps:\n  - id: nap\n    wait: 1h\n',
};
const { begin, baton } = testInstallation({ commandLine: runCommandLine, files });

describe('the exit code', () => {
  test('is 1 where the run failed, and the reason comes last', async () => {
    const { code, stdout, stderr } = await baton(['run', './fails.workflow.yaml', '--watch']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/✗ stop .*\n {2}it was not to be\n$/);
    const waited = await baton(['run', './fails.workflow.yaml', '--wait']);
    expect(waited).toMatchObject({ code: 1, stdout: '' });
    expect(waited.stderr).toMatch(/^✗ stop .*\n {2}it was not to be\n$/);
  });

  test('A run in which two steps failed ends with 1, and a silent wait names both', async () => {
    const { code, stderr } = await baton(['run', './twice.workflow.yaml', '--wait']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^✗ .*tidy .*\n {2}nor was this\n\nOther failed steps:\n\n✗ stop .*\n {2}it was not to be\n$/,
    );
    const [cause = ''] = (await baton(['runs', 'causes', '-w', 'twice'])).stdout.split('\n');
    expect(cause).toMatch(/^1\t0\t\S+Z\t\S+Z\ttwice\t\S*tidy\t\S+\tworkflow-failed: nor was this$/);
    const [run = ''] = /[\da-f-]{36}/.exec(cause) ?? [];
    expect((await baton(['runs', 'ls', '--like', run])).stdout).toMatch(new RegExp(`^${run}\t[^\n]+\n$`));
  });

  test('is 7 where waiting timed out, and the run goes on; 8 where it was cancelled; 5 where it is over', async () => {
    const late = await baton(['run', './waits.workflow.yaml', '--wait', '--timeout', '50ms']);
    expect(late).toMatchObject({ code: 7, stdout: '' });
    const id = /runs watch (\S+)/.exec(late.stderr)?.[1] ?? '';
    const watching = begin(['runs', 'watch', id]);
    await watching.told('nap waits');
    expect(await baton(['runs', 'cancel', id, '--reason', 'enough'])).toMatchObject({ code: 0, stdout: '' });
    const cancelled = await watching.ended;
    expect(cancelled.code).toBe(8);
    expect(cancelled.stderr).toContain('nap was cancelled: enough');
    expect(await baton(['runs', 'cancel', id])).toMatchObject({ code: 5, stdout: '' });
  });

  test('is 130 after Ctrl-C, and the run goes on without its watcher', async () => {
    const watching = begin(['run', './waits.workflow.yaml', '--watch']);
    const id = /run (\S+) of waits/.exec(await watching.told('nap waits'))?.[1] ?? '';
    watching.signal('SIGINT');
    const { code, stderr } = await watching.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`baton runs watch ${id}`);
    expect(jsonIn(await baton(['runs', 'show', id, '--json']))).toMatchObject({ status: 'waiting' });
    await baton(['runs', 'cancel', id]);
  });

  test('is 5 where the port of a new start is taken, told before anything is made', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const data = await mkdtemp(join(tmpdir(), 'baton-port-'));
    onTestFinished(() => rm(data, { recursive: true }));
    const { code, stderr } = await baton(['dev', '--port', String(port), '--data', data]);
    expect(code).toBe(5);
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is taken: set BATON_PORT to another one`);
    expect(stderr).toContain('hint: for one start: `baton dev --port PORT`');
    expect(await readdir(data)).not.toContain('postgres');
  });

  test('is 3 for what is not there, with what can be done about it', async () => {
    const run = await baton(['run', 'greeet']);
    expect(run).toMatchObject({ code: 3, stdout: '' });
    expect(run.stderr).toContain('Did you mean "greet"?');
    expect(run.stderr).toContain('baton deploy');
    expect((await baton(['runs', 'show', '019a0000-0000-7000-8000-000000000001'])).code).toBe(3);
    expect(await baton(['runs', 'show', 'lst'])).toMatchObject({
      code: 3,
      stderr: 'error: There is no run "lst".\nhint: did you mean "last"?\n',
    });
    expect(await baton(['runs', 'show', 'mine'])).toMatchObject({
      code: 3,
      stderr: 'error: There is no run "mine".\nhint: list the runs with `baton runs ls`\n',
    });
    expect((await baton(['servers', 'tools', 'unknown'])).code).toBe(3);
    expect((await baton(['api', 'GET', '/v1/nothing'])).code).toBe(3);
  });

  test('is 2 where a file cannot be written, without the words of the system call', async () => {
    const types = await baton(['types', '-o', 'no-folder/flows.d.ts']);
    expect(types).toMatchObject({ code: 2, stdout: '' });
    expect(types.stderr).toBe('error: no-folder/flows.d.ts cannot be used: there is no such file or folder.\n');
  });

  test('is 2 where dev cannot have its folders, told before anything is started', async () => {
    const folders = [
      ['/proc/baton/data', 'there is no such file or folder'],
      ['mcp.json', 'it is a file'],
      ['mcp.json/data', 'a part of its path is not a folder'],
    ] as const;
    for (const [folder, why] of folders) {
      const told = `error: The data folder ${folder} cannot be used: ${why}.\nhint: name a folder`;
      const stderr: unknown = expect.stringContaining(told);
      expect(await baton(['dev'], { env: { BATON_DATA: folder } })).toMatchObject({ code: 2, stderr });
      expect(await baton(['backup', 'none.bak', '--data', folder])).toMatchObject({ code: 2, stderr });
    }
    const watch = await baton(['dev', '--watch', 'nowhere']);
    expect(watch).toMatchObject({
      code: 2,
      stderr:
        'error: --watch nowhere cannot be watched: there is no such folder.\nhint: give the folder that the workflows are in\n',
    });
  });

  test.skipIf(process.getuid?.() !== 0)('is 4 where .baton here belongs to another account', async () => {
    await mkdir('.baton');
    await writeFile(join('.baton', 'address'), '');
    await chown('.baton', 65_534, 65_534);
    onTestFinished(() => rm('.baton', { recursive: true }));
    const env = { BATON_DATA: '', BATON_URL: '' };
    const told = 'error: .baton belongs to another account, and is not used.\nhint: use the account that Baton runs as';
    for (const command of [['dev'], ['backup', 'none.bak'], ['restore', 'none.bak'], ['runs', 'ls']]) {
      const stderr: unknown = expect.stringContaining(told);
      expect([command, await baton(command, { env })]).toEqual([command, { code: 4, stdout: '', stderr }]);
    }
  });

  test('is 4 for a key that is none', async () => {
    const { code, stdout, stderr } = await baton(['--api-key', 'not-a-key', 'runs', 'ls']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('BATON_API_KEY');
  });

  test('is 6 where nothing answers, and where something answers that is not Baton', async () => {
    const server = createServer(
      (_, response) => void response.setHeader('content-type', 'text/html').end('<h1>hello</h1>'),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const other = await baton(['--url', elsewhere, 'runs', 'ls']);
    expect(other).toMatchObject({ code: 6, stdout: '' });
    expect(other.stderr).toContain('is not Baton');
    server.close();
    await once(server, 'close');
    const answer = await baton(['--url', elsewhere, 'runs', 'ls']);
    expect(answer).toMatchObject({ code: 6, stdout: '' });
    expect(answer.stderr).toContain('no program listens there');
    expect(answer.stderr).toContain('baton dev');
  });

  test('is 2 for wrong usage, each time with a reason', async () => {
    const wrong: readonly (readonly [args: readonly string[], reason: string])[] = [
      [['rnu'], 'Did you mean run?'],
      [['run'], "missing required argument 'workflow'"],
      [['run', 'greet', '--bogus'], "unknown option '--bogus'"],
      [['run', 'greet', '--timeout', '1s'], '--timeout needs'],
      [['run', 'greet', '--wait', '--timeout', 'soon'], 'not a duration'],
      [['run', 'greet', '-i', 'name'], 'name=value'],
      [['run', 'greet', '-i', 'name=Ada', '-i', 'times=often'], 'a whole number'],
      [['run', 'greet'], '"name" is missing.\nhint: add -i name=…'],
      [['run', 'greet', '-i', 'name=Eve'], 'Ada or Grace'],
      [['run', 'greet', '-i', 'nmae=Ada'], 'There is no input "nmae".\nhint: did you mean "name"?'],
      [
        ['run', 'greet', '-i', 'name=Ada', '-i', 'tmies=2'],
        '"tmies" is superfluous: only "name" and "times" are allowed.',
      ],
      [['runs', 'ls', '--status', 'done'], 'queued, running'],
      [['check', 'nothing.yaml'], 'no such file'],
      [['--url', 'nowhere', 'runs', 'ls'], 'not an http(s) address'],
    ];
    const ends = await Promise.all(wrong.map(([args]) => baton(args)));
    for (const [i, [args, reason]] of wrong.entries()) {
      const { code, stdout, stderr = '' } = ends[i] ?? {};
      const said = stderr.includes(reason) ? reason : stderr;
      expect({ args, code, stdout, said }).toEqual({ args, code: 2, stdout: '', said: reason });
    }
  });
});
