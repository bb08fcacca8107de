import { expect, test } from 'vitest';

import { readServers } from './readServers.ts';
import { credentialsOf, resolveServer } from './resolveServer.ts';

const serverFrom = (entry: unknown) => {
  const server = readServers(JSON.stringify({ mcpServers: { a: entry } })).config.servers.get('a');
  if (server === undefined) throw new Error('the entry is wrong');
  return server;
};

const lookups = {
  env: (name: string) => ({ HOST: 'example.com', HOME: '/home/ada' })[name],
  secret: async (name: string) => ({ TOKEN: 's3cr3t' })[name],
  workspaceFolder: '/work',
};

test('references are filled in where they stand, in every spelling', async () => {
  const server = serverFrom({
    command: '${userHome}/bin/server',
    args: ['--root=${workspaceFolder}/data', '${MISSING:-fallback}', '${env:HOST}', '$HOST {HOST} ${not a name}'],
    env: { TOKEN: '${secret:TOKEN}', SAME: '${input:TOKEN}' },
    cwd: '${workspaceFolder}',
  });
  const { config, secrets, missing } = await resolveServer(server, lookups);
  expect(config).toMatchObject({
    command: '/home/ada/bin/server',
    args: ['--root=/work/data', 'fallback', 'example.com', '$HOST {HOST} ${not a name}'],
    env: { TOKEN: 's3cr3t', SAME: 's3cr3t' },
    cwd: '/work',
  });
  expect(secrets).toContain('s3cr3t');
  expect(missing).toEqual([]);
});

test('a reference that leads nowhere is named', async () => {
  const server = serverFrom({ url: 'https://${HOST}/', headers: { A: 'Bearer ${secret:NONE}', B: '${env:NOPE}' } });
  const { missing, config } = await resolveServer(server, lookups);
  expect(missing.map(({ kind, source }) => `${kind} ${source}`)).toEqual(['secret ${secret:NONE}', 'env ${env:NOPE}']);
  expect(config).toMatchObject({ url: 'https://example.com/' });
});

test('what a secret holds is text, and never a reference itself', async () => {
  const server = serverFrom({ command: 'x', args: ['${secret:A}', '${secret:B}'] });
  const { config } = await resolveServer(server, {
    ...lookups,
    secret: (name) => ({ A: '${secret:B}', B: '$&$1' })[name],
  });
  expect(config).toMatchObject({ args: ['${secret:B}', '$&$1'] });
});

test('credentials that stand there as they are count as secrets, and what is none does not', async () => {
  const process = serverFrom({
    command: 'x',
    args: ['--api-key=rk_live_1234', '${workspaceFolder}/data'],
    env: { TOKEN: 'hunter2x', LOG: '${env:HOME}', REGION: 'us-east-1', REF: '${secret:TOKEN}' },
  });
  expect((await resolveServer(process, lookups)).secrets).toEqual(['s3cr3t', 'rk_live_1234', 'hunter2x']);
  const remote = serverFrom({
    url: 'https://example.com/mcp?key=tvly-1234abcd',
    headers: { Authorization: 'Bearer in-plain', Accept: 'text/plain' },
    baton: { auth: { grant: 'code', clientId: 'baton', clientSecret: 'of-the-client' } },
  });
  const found = ['tvly-1234abcd', 'in-plain', 'of-the-client'];
  expect((await resolveServer(remote, lookups)).secrets).toEqual(found);
  expect(credentialsOf(remote)).toEqual(found);
});
