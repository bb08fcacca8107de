import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

import { offeringServer, terminalOn } from '@baton/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import { Context } from '../context.ts';
import { ServersWatch } from '../dev/serversWatch.ts';
import { runCommandLine } from '../program.ts';

let outer: string;
/** As Git has cloned it. */
let folder: string;

beforeEach(async () => {
  outer = await realpath(await mkdtemp(join(tmpdir(), 'baton-cloned-')));
  folder = join(outer, 'cloned');
  await mkdir(folder);
  process.chdir(folder);
  await names({ tracker: offeringServer(join(folder, 'tools.json'), [tool]) });
});

afterEach(async () => {
  process.chdir(tmpdir());
  await rm(outer, { recursive: true, force: true });
});

const tool = { name: 'create_issue', inputSchema: { type: 'object', properties: { title: { type: 'string' } } } };
const names = (mcpServers: object): Promise<void> => writeFile('mcp.json', JSON.stringify({ mcpServers }));

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `keys`: what a person types at the question; absent: there is no terminal. */
async function baton(args: readonly string[], keys?: string, env: Context['env'] = {}): Promise<Said> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([readAll(stdout), readAll(stderr)]);
  let isAnswered = false;
  const stdin =
    keys === undefined
      ? Readable.from([''])
      : terminalOn(stderr, (shown, type) => {
          if (isAnswered || !shown.includes('Allow this server?')) return;
          isAnswered = true;
          type(keys);
        });
  const around = { PATH: process.env['PATH'], TERM: 'xterm', XDG_CONFIG_HOME: join(outer, 'config'), ...env };
  const code = await runCommandLine(args, { env: around, stdin, stdout, stderr });
  [stdout, stderr].forEach((stream) => stream.end());
  const [out, err] = await texts;
  return { code, stdout: out, stderr: err };
}

/** It starts the servers of the folder where no Baton answers. */
const schema = ['schema', '--servers', '--url', 'http://127.0.0.1:1'];
const offered = '"const": "tracker/create_issue"';
const notAllowed = /names servers that you have not allowed: tracker: .*node.*BATON_TRUST_FOLDER=1/s;

test('No command without a terminal starts a program of a folder that the user has not allowed', async () => {
  await mkdir('examples');
  await writeFile('examples/morning-brief.workflow.yaml', 'workflow: morning-brief\nsteps: [{ set: { a: 1 } }]\n');
  const before = await readdir('.');
  const fix = ['check', '--fix', '--servers', 'examples', '--url', 'http://127.0.0.1:1'];
  for (const command of [schema, fix, ['dev', '--port', '0'], ['demo']]) {
    const refused = { code: 2, stdout: '', stderr: expect.stringMatching(notAllowed) as string };
    expect([command, await baton(command)]).toEqual([command, refused]);
  }
  expect(await readdir('.')).toEqual(before);
});

test('A command at a terminal asks once for a folder, by whichever path, and remembers that for the user alone', async () => {
  const asked = await baton(schema, 'y');
  expect(asked.stderr).toMatch(/cloned names servers that you have not allowed:\n {2}tracker: .*node/);
  expect(asked.stdout).toContain(offered);
  expect((await stat(join(outer, 'config', 'baton', 'allowed-servers.json'))).mode & 0o777).toBe(0o600);
  expect((await baton(schema)).stdout).toContain(offered);
  await symlink(folder, join(outer, 'link'));
  process.chdir(join(outer, 'link'));
  expect((await baton(schema)).stdout).toContain(offered);
});

test('a folder where the answer was no is asked about again', async () => {
  for (const command of [schema, ['dev', '--port', '0']])
    expect(await baton(command, 'n')).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining('Nothing was started.') as string,
    });
  expect(await baton(schema)).toMatchObject({ code: 2 });
  expect(await readdir('.')).toEqual(['mcp.json', 'tools.json']);
});

test('another program in an allowed folder is asked about, and only that; so is an allowed program in another folder', async () => {
  await baton(schema, 'y');
  const text = await readFile('mcp.json', 'utf8');
  const { mcpServers } = JSON.parse(text) as { mcpServers: object };
  await names({ ...mcpServers, more: { command: 'evil', args: ['--now'] } });
  const { code, stderr } = await baton(schema);
  expect(code).toBe(2);
  expect(stderr).toContain('not allowed: more: evil --now.');
  const other = join(outer, 'other');
  await mkdir(other);
  await writeFile(join(other, 'mcp.json'), text);
  process.chdir(other);
  expect(await baton(schema)).toMatchObject({ code: 2 });
});

test('what the user names or allows in the environment is not asked about, and not remembered', async () => {
  for (const env of [{ BATON_TRUST_FOLDER: '1' }, { BATON_SERVERS: 'mcp.json' }])
    expect((await baton(schema, undefined, env)).stdout).toContain(offered);
  for (const env of [{ BATON_TRUST_FOLDER: '0' }, { BATON_SERVERS: '' }])
    expect(await baton(schema, undefined, env)).toMatchObject({ code: 2 });
});

test('a damaged file of what is allowed allows nothing, and is replaced', async () => {
  const allowed = join(outer, 'config', 'baton', 'allowed-servers.json');
  await mkdir(join(outer, 'config', 'baton'), { recursive: true });
  for (const damaged of ['{', '[]', JSON.stringify({ [folder]: 'all' })]) {
    await writeFile(allowed, damaged);
    expect(await baton(schema)).toMatchObject({ code: 2 });
  }
  expect((await baton(schema, 'y')).stdout).toContain(offered);
  expect((await baton(schema)).stdout).toContain(offered);
});

test('Allowed servers are used where nothing can be remembered, and the user reads why it will be asked again', async () => {
  await writeFile(join(outer, 'config'), 'a file');
  const { stdout, stderr } = await baton(schema, 'y');
  expect(stdout).toContain(offered);
  expect(stderr).toContain('It is not remembered that these servers are allowed: a part of its path is not a folder.');
});

test('a server that the user adds is allowed, and none that stood beside it', async () => {
  const added = await baton(['add', 'mine', '--no-test', '--', process.execPath, 'mine.mjs']);
  expect(added).toMatchObject({ code: 0 });
  const { stderr } = await baton(schema);
  expect(stderr).toContain('tracker: ');
  expect(stderr).not.toContain('mine: ');
});

test('the servers of a template are allowed where it is written, and a file that was there is not', async () => {
  expect(await baton(['init', 'hello', 'kept'])).toMatchObject({ code: 0 });
  process.chdir('kept');
  expect(await baton(schema)).toMatchObject({ code: 0 });
  process.chdir(folder);
  expect(await baton(['init', 'hello'])).toMatchObject({ code: 0 });
  expect(await baton(schema)).toMatchObject({ code: 2 });
});

test('a program that is written into mcp.json while baton dev runs is not started unasked', async () => {
  const stderr = new PassThrough();
  let said = '';
  stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const env = { XDG_CONFIG_HOME: join(outer, 'config') };
  const context = new Context({ env, stdin: Readable.from(['']), stdout: new PassThrough(), stderr });
  const reload = vi.fn<() => Promise<void>>(async () => {});
  const watch = new ServersWatch({ context, path: undefined, reload, onReloaded: async () => {} });
  onTestFinished(() => watch.close());
  await watch.open();
  await names({ more: { command: 'evil' } });
  await expect.poll(() => said).toContain('The MCP servers stay as they were: ');
  expect(said).toContain('more: evil');
  await names({});
  await expect.poll(() => said).toContain('tracker removed');
  expect(reload).toHaveBeenCalledOnce();
});
