import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AuditKeys, auditLines, auditRecords, sealRuns } from '@baton/store';
import { appFile, freshStore, requestedEvent, runningRow, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

// Each test starts a process, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: string;
let file: string;
let lines: string[];
let server: Server;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-audit-'));
  file = join(folder, 'audit.ndjson');
  lines = await exported();
  await writeFile(file, lines.join(''));
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/v1/audit/calls') {
      if (searchParams.has('jq')) return void response.writeHead(422).end();
      const later = { ...call, at: '2026-11-18T09:00:00.000Z' };
      const isAsked = searchParams.get('server') === 'tracker' && searchParams.get('tool') === 'create_ticket';
      const found = isAsked ? [call] : [];
      const data = searchParams.get('tool') === 'two' ? [call, later] : found;
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ data }));
    }
    if (pathname === '/v1/audit') {
      const isAsked = ['action', 'by', 'target', 'from', 'to'].every((name) => searchParams.has(name));
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ data: isAsked ? [entry] : [] }));
    }
    response.writeHead(pathname === '/v1/audit/export' ? 200 : 404, { 'content-type': 'application/x-ndjson' });
    // Baton stops amid the export.
    if (searchParams.has('unsealed')) return void response.write(lines[0], () => response.destroy());
    response.end(lines.join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const call = {
  at: '2026-11-17T09:00:00.000Z',
  by: 'Ada (1)',
  workflow: 'triage',
  version: 2,
  run: 'run-1',
  step: 'file',
  attempt: 1,
  verb: 'tool',
  server: 'tracker',
  tool: 'create_ticket',
  effect: 'write',
  arguments: { sha256: '0'.repeat(64), preview: '{"title":"a, b"}' },
  outcome: 'succeeded',
  durationMs: 40,
};

const entry = {
  seq: 7,
  at: '2026-11-17T09:00:00.000Z',
  by: 'Ada (1)',
  action: 'secret.set',
  target: 'TOKEN',
  detail: { version: 2 },
};

async function exported(): Promise<string[]> {
  const store = await freshStore();
  const at = 1_800_000_000_000;
  const { runId } = await store.request({ event: requestedEvent({ at }) });
  const opened = await store.journal.open(runId);
  await opened?.log.append({
    events: [{ type: 'run.finished', at, status: 'succeeded' }],
    row: runningRow({ status: 'succeeded', endedAt: at }),
  });
  await sealRuns(store, { nowMs: at });
  const all = await Array.fromAsync(auditLines(auditRecords(store, { nowMs: at })));
  await store.close();
  return all;
}

function baton(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'], BATON_URL: url, BATON_API_KEY: 'x'.repeat(40), NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [appFile('cli'), 'audit', ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe('baton audit verify', () => {
  test('says that an export is as it was, without any server', async () => {
    const { code, stdout } = await baton('verify', file);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^intact: 2 events of 1 run, 1 entry, 1 seal\nsigned by: [\da-f]{16}\nsince: entry 1, .*\nshown: .*\nnot shown: who made the export, .*--key FILE.*\ncheckpoint: 1:[\da-f]{64}\n$/,
      ) as string,
    });
  });

  test('says whose it is, with the public key and nothing else', async () => {
    const [ours, theirs] = [join(folder, 'ours.pem'), join(folder, 'theirs.pem')];
    await writeFile(ours, new AuditKeys(testSecretKey).publicKey);
    await writeFile(theirs, new AuditKeys(Buffer.alloc(32, 9)).publicKey);
    const known = await baton('verify', file, '--key', ours);
    expect(known.code).toBe(0);
    expect(known.stdout).toMatch(/^shown: .*; seal 1 is signed with the given key.*\nnot shown: what has no seal yet/m);
    const { code, stdout } = await baton('verify', file, '--key', theirs);
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringMatching(/^forged: seal 1\./) as string });
    expect((await baton('verify', file, '--key', file)).code).toBe(2);
    expect((await baton('verify', '--key', ours)).code).toBe(2);
  });

  test('names the first bad place and its kind', async () => {
    const edited = join(folder, 'edited.ndjson');
    await writeFile(edited, lines.join('').replace('key-1', 'key-2'));
    const { code, stdout } = await baton('verify', edited, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      isIntact: false,
      problem: { kind: 'edited', where: expect.stringContaining('event 1') as string },
    });
  });

  test('asks for a file that is there, and for a checkpoint that is one', async () => {
    expect((await baton('verify', 'nothing.ndjson')).code).toBe(3);
    expect((await baton('verify', file, '--checkpoint', 'x')).code).toBe(2);
  });

  test('tells a file that is no export from one that was changed, and one without runs from both', async () => {
    const other = join(folder, 'other.ndjson');
    const verified = async (text: string) => {
      await writeFile(other, text);
      return baton('verify', other);
    };
    expect(await verified('{ "workflow": "triage" }\n')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('none of its lines is a record') as string,
    });
    expect(await verified('\n')).toMatchObject({ code: 2, stderr: expect.stringContaining('it is empty') as string });
    expect(await verified(`x${lines.join('')}`)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^edited: line 1\./) as string,
    });
    const store = await freshStore();
    const nothing = await Array.fromAsync(auditLines(auditRecords(store, { nowMs: 1_800_000_000_000 })));
    await store.close();
    const { code, stdout } = await verified(nothing.join(''));
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^intact: 0 events of 0 runs, 1 entry, 0 seals\nsince: entry 1, /) as string,
    });
  });
});

describe('baton audit ls', () => {
  const asked = '--action secret.set --by Ada --target TOKEN --from 2026-11-17 --to 2026-11-17'.split(' ');

  test('lists changes as rows or JSON, with the filters that the API has', async () => {
    expect(await baton('ls', ...asked)).toMatchObject({
      code: 0,
      stdout: '2026-11-17T09:00:00.000Z\tAda (1)\tsecret.set\tTOKEN\t{"version":2}\n',
    });
    expect(JSON.parse((await baton('ls', ...asked, '--json')).stdout)).toEqual([entry]);
    expect(await baton('ls')).toMatchObject({ code: 0, stdout: '', stderr: 'There is no such entry.\n' });
  });

  test('refuses an action that is never recorded, and names those that are', async () => {
    const { code, stderr } = await baton('ls', '--action', 'secrets.set');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('secret.set, secret.deleted') as string,
    });
  });
});

describe('baton audit calls', () => {
  const asked = ['calls', '--tool', 'tracker/create_ticket', '--from', '2026-11-17'];

  test('are rows, for a person or a program', async () => {
    const { stdout } = await baton(...asked);
    expect(stdout).toBe(
      '2026-11-17T09:00:00.000Z\tAda (1)\ttracker/create_ticket\twrite\ttriage@2\trun-1\tfile\tsucceeded\t40 ms\n',
    );
    const { stdout: json } = await baton(...asked, '--json');
    expect(JSON.parse(json)).toEqual([call]);
    expect((await baton(...asked, '--jq', '.[].by')).stdout).toBe('Ada (1)\n');
  });

  test('are sorted by time, newest first, all or as many as asked for', async () => {
    const times = async (...args: string[]): Promise<string> =>
      (await baton('calls', '--tool', 'two', ...args, '--jq', '.[].at')).stdout;
    expect(await times()).toBe('2026-11-18T09:00:00.000Z\n2026-11-17T09:00:00.000Z\n');
    expect(await times('-n', '2')).toBe('2026-11-18T09:00:00.000Z\n2026-11-17T09:00:00.000Z\n');
  });

  test('are CSV, quoted', async () => {
    const { stdout } = await baton(...asked, '--csv');
    const [head, row] = stdout.split('\n');
    expect(head).toMatch(/^at,by,workflow,run,step,attempt,verb,server,tool,effect,/);
    expect(row).toContain(`,write,${'0'.repeat(64)},"{""title"":""a, b""}",succeeded,40`);
  });
});

describe('baton audit export', () => {
  test('writes a file, once, or to stdout', async () => {
    const target = join(folder, 'fresh.ndjson');
    expect((await baton('export', '-o', target)).code).toBe(0);
    expect(await readFile(target, 'utf8')).toBe(lines.join(''));
    expect((await baton('export', '-o', target)).code).toBe(2);
    expect(await baton('export')).toMatchObject({ code: 0, stdout: lines.join('') });
  });

  test('that breaks off leaves no part of a file, and says so', async () => {
    const target = join(folder, 'part.ndjson');
    const { code, stderr } = await baton('export', '--unsealed', '-o', target);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: `error: The export broke off: the connection to Baton was lost.\nhint: ${target} was removed, since it was not whole; export again\n`,
    });
    await expect(readFile(target)).rejects.toThrow('ENOENT');
    expect(await baton('export', '--unsealed')).toMatchObject({ code: 6, stdout: lines[0] });
  });

  test('says why its file cannot be written', async () => {
    expect((await baton('export', '-o', join(folder, 'no', 'file'))).stderr).toContain(
      'cannot be written: there is no such file or folder.',
    );
  });
});
