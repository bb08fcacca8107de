import { expect, test } from 'vitest';

import { readServers } from './readServers.ts';
import { resolveServer } from './resolveServer.ts';

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
