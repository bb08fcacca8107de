import { expect, test } from 'vitest';

import { readServers } from './readServers.ts';

const remote = 'https://example.com/mcp';

const findingsOf = (entry: object) => readServers(JSON.stringify({ mcpServers: { gh: entry } })).findings;

const withAuth = (auth: object, more: object = { url: remote }) => findingsOf({ ...more, baton: { auth } });

test('a server with an address may have a login for each person, also with a client of its own', () => {
  const { config, findings } = readServers(
    JSON.stringify({ mcpServers: { gh: { url: remote, baton: { auth: { per: 'person', clientId: 'baton' } } } } }),
  );
  expect(findings).toEqual([]);
  expect(config.servers.get('gh')?.policy.auth).toEqual({ grant: 'code', per: 'person', clientId: 'baton' });
});

test.each([
  [{ command: 'node' }, 'Only a server with a "url" has logins'],
  [{ type: 'builtin', builtin: 'kv' }, 'Only a server with a "url" has logins'],
  [{ url: remote, headers: { authorization: 'Bearer ${secret:T}' } }, 'is one login for all'],
])('logins of people do not fit %j, which one sentence says', (entry, sentence) => {
  const findings = withAuth({ per: 'person' }, entry);
  expect(findings).toMatchObject([
    { severity: 'error', path: '/mcpServers/gh/baton/auth/per', message: expect.stringContaining(sentence) as string },
  ]);
});

test('an unknown key of `auth` is answered with the nearest one of its grant', () => {
  expect(withAuth({ pre: 'person' })).toMatchObject([
    { code: 'unknown-key', path: '/mcpServers/gh/baton/auth/pre', hint: 'did you mean "per"?' },
  ]);
  const own = { grant: 'client-credentials', issuer: 'https://idp', clientId: 'c', clientSecret: '${secret:S}' };
  expect(withAuth({ ...own, per: 'person' })).toMatchObject([{ code: 'unknown-key' }]);
});

test('another value of `per` is refused with what is expected', () => {
  expect(withAuth({ per: 'team' })).toMatchObject([
    { code: 'invalid-value', path: '/mcpServers/gh/baton/auth/per', expected: '"person"' },
  ]);
});

test('an exchange of tokens is refused in one sentence, which says what to write', () => {
  expect(withAuth({ exchange: 'https://idp/token' })).toMatchObject([
    {
      severity: 'error',
      path: '/mcpServers/gh/baton/auth/exchange',
      message: expect.stringContaining('"per": "person"') as string,
    },
  ]);
});
