import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { appFile, AuthorizedServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from './installation.ts';

const adminKey = 'an-admin-key-of-our-own-0123456789abcdef';

const workflow = `workflow: greeting
steps:
  - { id: said, tool: remote/greet, effect: read }
outputs: { said: "\${{ steps.said.text }}" }
`;

let baton: Installation;
let remote: AuthorizedServer;

beforeAll(async () => {
  remote = await AuthorizedServer.start();
  baton = await Installation.start({
    servers: { remote: { url: remote.url } },
    env: { BATON_ADMIN_KEY: adminKey, LOG_LEVEL: 'trace' },
  });
});

afterAll(async () => {
  await baton.stop();
  await remote.close();
});

/** The command, with a person who agrees at the address that it prints; everything that it wrote. */
async function loggedIn(): Promise<{ readonly code: unknown; readonly said: string; readonly page: string }> {
  const child = command('login', 'remote');
  const ended = once(child, 'close');
  const errors = text(child.stderr);
  child.stdout.setEncoding('utf8');
  const first = await Promise.race([once(child.stdout, 'data'), ended]);
  const url = String(first[0]).trim();
  if (!URL.canParse(url)) throw new Error(`no address was printed: ${await errors}`);
  const page = await (await fetch(await remote.agree(url))).text();
  const [code] = (await ended) as [number];
  return { code, said: await errors, page };
}

const command = (...args: string[]) =>
  spawn(process.execPath, [appFile('cli'), 'servers', ...args], {
    cwd: baton.folder,
    env: { PATH: process.env['PATH'] ?? '', BATON_URL: baton.url, BATON_API_KEY: adminKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

test('a person logs in once; workers call and refresh by themselves, and no token is in any log', async () => {
  const { code, said, page } = await loggedIn();
  expect(page).toContain('Baton may use the server "remote"');
  expect([code, said]).toEqual([0, expect.stringContaining('remote answers')]);
  await baton.deploy(workflow);
  const greet = async () => baton.ended(await baton.start('greeting'));
  expect(await greet()).toMatchObject({ status: 'succeeded', outputs: { said: 'welcome' } });
  remote.expire();
  expect(await greet()).toMatchObject({ status: 'succeeded', outputs: { said: 'welcome' } });
  expect(remote.asked.map((form) => form['grant_type'])).toContain('refresh_token');
  const logs = baton.apps.map((app) => app.log());
  expect(logs.every((log) => log.length > 0)).toBe(true);
  const secrets = await baton.api('GET', '/v1/secrets');
  expect(secrets.body['data']).toEqual([]);
  for (const one of [...logs, said]) expect(one).not.toMatch(/(token|refresh|code)-\d/);
});

test('and out again: the worker that used the token has none', async () => {
  const child = command('logout', 'remote');
  const said = text(child.stderr);
  expect([(await once(child, 'close'))[0], await said]).toEqual([0, expect.stringContaining('Logged out of remote')]);
  expect(remote.revoked).toHaveLength(2);
  const ended = await baton.ended(await baton.start('greeting'));
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'server-unauthorized' } });
});
