import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { freePort } from '@baton/boot';
import { appFile, compileCache, freshDatabase } from '@baton/testing';
import { Client } from 'pg';
import { test } from 'vitest';

/** Which database there is, at which address a start looks for it. */
type Faulty = (url: URL, client: Client) => Promise<unknown>;

const faults: readonly (readonly [string, number, string, Faulty])[] = [
  ['nothing listens', 69, 'ECONNREFUSED', async (url) => (url.port = String(await freePort()))],
  ['the password is wrong', 2, 'the user and the password in DATABASE_URL', async (url) => (url.password = 'wrong')],
  [
    'the database is read-only',
    69,
    'a standby that was not promoted',
    (url, client) => client.query(`alter database ${url.pathname.slice(1)} set default_transaction_read_only = on`),
  ],
];

test.concurrent.for(faults)(
  'an orchestrator that cannot start because %s ends with %i and one sentence',
  async ([, code, sentence, breakIt], context) => {
    const { expect } = context;
    const { url, drop } = await freshDatabase('empty');
    const folder = await mkdtemp(join(tmpdir(), 'baton-start-'));
    const client = new Client(url);
    await client.connect();
    const faulty = new URL(url);
    await breakIt(faulty, client);
    await client.end();
    const env = { NODE_COMPILE_CACHE: compileCache, BATON_DATA: folder, BATON_PORT: '0', DATABASE_URL: faulty.href };
    const child = spawn(process.execPath, [appFile('orchestrator')], { cwd: folder, env });
    const [told] = await Promise.all([text(child.stdout), once(child, 'close')]);
    await rm(folder, { recursive: true });
    await drop();
    expect(child.exitCode).toBe(code);
    expect(told.trim().split('\n')).toEqual([expect.stringContaining(sentence) as string]);
    expect(told).not.toMatch(/"err"|stack/);
  },
);
