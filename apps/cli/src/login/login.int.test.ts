/** The command logs a person in at a real Baton, and what others on the way, or on the machine, could make of it. */
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { jsonIn, testInstallation } from '@baton/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';

import { runCommandLine } from '../program.ts';

const installation = testInstallation({ commandLine: runCommandLine });
const { baton, begin } = installation;

/** Without the key of the data folder: a log-in is what is tried. */
const noKey = { BATON_DATA: '/nowhere' };
let url = '';
let cookie = '';
/** The browser of Ana, an operator. */
beforeAll(async () => {
  const added = jsonIn(await baton(['people', 'add', 'ana', '--role', 'operator', '--json']));
  const link = new URL(String(added['link']));
  url = link.origin;
  const answer = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: fromPage,
    body: JSON.stringify({ code: link.hash.slice('#code='.length) }),
  });
  cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
});

const fromPage = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

async function newHome(): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-login-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { ...noKey, XDG_CONFIG_HOME: folder };
}

const fileIn = async ({ XDG_CONFIG_HOME = '' }: Readonly<Record<string, string>>): Promise<string> => {
  const folder = join(XDG_CONFIG_HOME, 'baton', 'logins');
  return join(folder, (await readdir(folder)).find((one) => one.endsWith('.json')) ?? 'none');
};

async function decide(id: string, choice: string | null, more = ''): Promise<string> {
  const answer = await fetch(`${url}/v1/consents/${id}`, {
    method: 'POST',
    headers: { ...fromPage, cookie: `${cookie}${more}` },
    body: JSON.stringify({ choice }),
  });
  const { goOn } = (await answer.json()) as { readonly goOn: string };
  return goOn;
}

/** As the browser goes from the address that the command prints to the one where it listens. */
async function agree(address: string, choice: string | null = 'run'): Promise<string> {
  const asked = await fetch(address, { redirect: 'manual' });
  const cookies = asked.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
  const id = (asked.headers.get('location') ?? '').split('/').at(-1) ?? '';
  const goOn = await decide(id, choice, `; ${cookies.join('; ')}`);
  const back = await fetch(goOn, { redirect: 'manual', headers: { cookie: cookies.join('; ') } });
  return (await fetch(back.headers.get('location') ?? '')).text();
}

async function logIn(env: Readonly<Record<string, string>>, choice: string | null = 'run') {
  const command = begin(['login', '--print', url], { env: { ...env, DISPLAY: ':0', SSH_CONNECTION: '', SSH_TTY: '' } });
  const said = await command.told('/oauth/authorize');
  const page = await agree(/http\S+authorize\S+/.exec(said)?.[0] ?? '', choice);
  return { page, ...(await command.ended) };
}

test('A person logs in with the browser, is who they are for Baton, and logs out: then the tokens are of no use.', async () => {
  const env = await newHome();
  const { code, stderr, page } = await logIn(env);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Logged in at ${url} as ana.`)]);
  expect(page).toContain('You are logged in');
  const file = await fileIn(env);
  expect([(await stat(file)).mode & 0o777, (await stat(join(file, '..'))).mode & 0o777]).toEqual([0o600, 0o700]);
  const who = jsonIn(await baton(['whoami', '--json'], { env }));
  expect(who).toMatchObject({ person: { name: 'ana' }, client: { name: 'The baton command' } });
  const shown = await baton(['whoami'], { env });
  expect(shown.stdout).toMatch(/^WHO {5}ana \(person-[^]*^VIA {5}The baton command [^]*^MAY {5}[^]*runs:write/m);
  expect((await baton(['workflows', 'ls'], { env })).stdout).toContain('greet');
  const refused = await baton(['keys', 'ls'], { env });
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining(`baton login ${url}`)]);
  expect((await baton(['open', '--print'], { env })).stdout).toBe(`${url}/\n`);
  const { access } = JSON.parse(await readFile(file, 'utf8')) as { readonly access: string };
  const out = await baton(['logout'], { env });
  expect([out.code, out.stderr]).toEqual([0, `Logged out of ${url}.\n`]);
  expect((await fetch(`${url}/v1/runs`, { headers: { authorization: `Bearer ${access}` } })).status).toBe(401);
  expect((await baton(['logout'], { env })).code).toBe(3);
  expect((await baton(['whoami'], { env })).code).toBe(4);
});

test('Where there is no browser, a person types the code that the command shows.', async () => {
  const env = await newHome();
  const command = begin(['login', url], { env: { ...env, SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' } });
  const said = await command.told('type the code');
  const [, code = ''] = /type the code (\S+)/.exec(said) ?? [];
  await decide(code, 'read');
  expect(await command.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('as ana.') as string });
  expect((await baton(['whoami'], { env })).stdout).toMatch(/^MAY {5}runs:read/m);
});

test('A log-in that the person refuses writes nothing.', async () => {
  const env = await newHome();
  const { code, page } = await logIn(env, null);
  expect([code, page]).toEqual([4, expect.stringContaining('You are not logged in')]);
  await expect(fileIn(env)).rejects.toThrow('ENOENT');
});

/** As an hour later. */
async function age(env: Readonly<Record<string, string>>): Promise<string> {
  const file = await fileIn(env);
  const kept = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...kept, expiresAt: Date.now() }));
  return readFile(file, 'utf8');
}

test('Two commands that find the token ended renew it once: a second use of its refresh token would end the log-in.', async () => {
  const env = await newHome();
  await logIn(env);
  for (let round = 0; round < 3; round += 1) {
    const before = await age(env);
    const commands = Array.from({ length: 4 }, () => begin(['whoami'], { env }));
    const ended = await Promise.all(commands.map((one) => one.ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await readFile(await fileIn(env), 'utf8')).not.toBe(before);
  }
});

test('The command says that its log-in has ended and what to type, and takes no other key.', async () => {
  const env = await newHome();
  await logIn(env);
  const { client } = jsonIn(await baton(['whoami', '--json'], { env })) as { client: { id: string } };
  expect((await baton(['tokens', 'revoke', client.id])).code).toBe(0);
  const withKey = { ...env, BATON_DATA: join(installation.folder, 'data') };
  const told = `error: Your log-in at ${url} has ended.\nhint: log in again: baton login ${url}`;
  for (const make of [async () => undefined, () => age(env)]) {
    await make();
    expect(await baton(['runs', 'ls'], { env: withKey })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(told) as string,
    });
  }
  expect((await baton(['runs', 'ls'], { env: { ...withKey, BATON_API_KEY: 'baton_x' } })).stderr).not.toContain(
    'log-in',
  );
});

test('A file that other accounts may read, a link and a file of another server are not used.', async () => {
  const env = await newHome();
  await logIn(env);
  const file = await fileIn(env);
  const refused = async (why: string) =>
    expect(await baton(['whoami'], { env })).toMatchObject({ code: 4, stderr: expect.stringContaining(why) as string });
  await chmod(file, 0o640);
  await refused('other accounts may read or write it');
  await chmod(file, 0o600);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(url, 'https://other.example'));
  await refused('it is damaged');
  await writeFile(file, text);
  await rename(file, `${file}.moved`);
  await symlink(`${file}.moved`, file);
  await refused('it is a link');
  // A new log-in takes the place of the link, and what it led to stays.
  await logIn(env);
  expect([(await baton(['whoami'], { env })).code, await readFile(`${file}.moved`, 'utf8')]).toEqual([0, text]);
});

test('Where the server cannot be reached, a log-out removes the file and says what is left to do.', async () => {
  const env = await newHome();
  await logIn(env);
  const file = await fileIn(env);
  const away = 'http://127.0.0.1:1';
  const { loginFileOf } = await import('../client/loginFile.ts');
  await writeFile(loginFileOf(env, away), (await readFile(file, 'utf8')).replace(url, away), { mode: 0o600 });
  const out = await baton(['logout', away], { env });
  expect([out.code, out.stderr]).toEqual([6, expect.stringMatching(/removed from this machine[^]*Connected clients/)]);
  expect((await baton(['logout', away], { env })).code).toBe(3);
});

/** A server at an address that someone had the person type: it passes everything on to a good one, but for what it changes. */
async function hostile(change: (metadata: Record<string, string>, own: string) => object): Promise<string> {
  const server = createServer();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const metadata = (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Record<
      string,
      string
    >;
    const body =
      request.url === '/.well-known/oauth-authorization-server'
        ? change(metadata, own)
        : { device_code: 'x'.repeat(43), user_code: 'BCDF-GHJK', verification_uri: `${url}/device`, expires_in: 600 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  server.on('request', (request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const moved = (metadata: Record<string, string>, own: string): Record<string, string> =>
  JSON.parse(JSON.stringify(metadata).replaceAll(url, own)) as Record<string, string>;

test.each<[string, Parameters<typeof hostile>[0], string]>([
  ['that says it is another one', (metadata) => metadata, 'calls itself'],
  [
    'that has the person agree at a good one and the code come to itself',
    (metadata, own) => ({ ...moved(metadata, own), authorization_endpoint: metadata['authorization_endpoint'] }),
    'leads to another server',
  ],
  [
    'whose address only begins like its own',
    (metadata, own) => ({ ...moved(metadata, own), token_endpoint: `${own}@evil.example/token` }),
    'leads to another server',
  ],
  ['that shows the code of a device of a good one', moved, 'leads to another server'],
  ['without a log-in for the command', (_, own) => ({ issuer: own }), 'may be an older Baton'],
])('A log-in at a server %s is refused, and writes nothing.', async (_, change, why) => {
  const env = await newHome();
  const ended = await baton(['login', '--device', await hostile(change)], { env });
  expect([ended.code, ended.stderr]).toEqual([4, expect.stringContaining(why)]);
  await expect(fileIn(env)).rejects.toThrow('ENOENT');
});

test.each([
  ['http://baton.example', 'needs https'],
  ['https://ana@baton.example', 'no user'],
  ['https://baton.example/?x=1', 'no query'],
  ['file:///etc/passwd', 'not an http(s) address'],
])('A log-in at %s is refused before anything is sent.', async (address, why) => {
  const ended = await baton(['login', address], { env: await newHome() });
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(why)]);
});

test('The command that waits for its browser takes no visit without its state.', async () => {
  const env = await newHome();
  const command = begin(['login', '--print', url], { env: { ...env, DISPLAY: ':0', SSH_CONNECTION: '', SSH_TTY: '' } });
  const said = await command.told('/oauth/authorize');
  const address = /http\S+authorize\S+/.exec(said)?.[0] ?? '';
  const back = new URL(address).searchParams.get('redirect_uri') ?? '';
  for (const visit of ['', '?code=theirs', '?code=theirs&state=guessed', '?error=access_denied'])
    expect((await fetch(`${back}${visit}`)).status).toBe(404);
  await agree(address);
  expect((await command.ended).code).toBe(0);
});
