import { describe, expect, test } from 'vitest';

import { credentialsIn, credentialsInArguments, credentialsInUrl, isCredentialName } from './credentialRule.ts';

test.each([
  ['API_KEY', true],
  ['apiKey', true],
  ['tavilyApiKey', true],
  ['GITHUB_PERSONAL_ACCESS_TOKEN', true],
  ['x-api-key', true],
  ['Authorization', true],
  ['DB_PASSWORD', true],
  ['PGPASS', true],
  ['MAX_TOKENS', false],
  ['TOKEN_URL', false],
  ['GOOGLE_CREDENTIALS_FILE', false],
  ['AWS_ACCESS_KEY_ID', false],
  ['LOG_LEVEL', false],
  ['Content-Type', false],
])('the name %s tells of a credential: %s', (name, is) => {
  expect(isCredentialName(name)).toBe(is);
});

describe('a value of `env` or `headers` is a credential', () => {
  test.each([
    ['TOKEN', 'hunter2x', ['hunter2x']],
    ['PASSWORD', '123456', ['123456']],
    ['Authorization', 'Bearer abcdef.ghi', ['abcdef.ghi']],
    [
      'X-Auth',
      `Basic ${Buffer.from('ada:lovelace').toString('base64')}`,
      ['YWRhOmxvdmVsYWNl', 'ada:lovelace', 'lovelace'],
    ],
    ['ANYTHING', 'rk_live_4f9a8b7c6d5e', ['rk_live_4f9a8b7c6d5e']],
    ['ANYTHING', 'canary-8d1f20', ['canary-8d1f20']],
    ['ANYTHING', '550e8400-e29b-41d4-a716-446655440000', ['550e8400-e29b-41d4-a716-446655440000']],
    ['DATABASE_URL', 'postgresql://admin:s3cr3t-p%40ss@db.example.com/x', ['s3cr3t-p%40ss', 's3cr3t-p@ss']],
    [
      'OPENAPI_MCP_HEADERS',
      '{"Authorization":"Bearer ntn_1234567890","Notion-Version":"2022-06-28"}',
      ['ntn_1234567890'],
    ],
  ])('%s=%s', (name, value, found) => {
    expect(credentialsIn(name, value)).toEqual(found);
  });
});

describe('a value of `env` or `headers` is none', () => {
  test.each([
    ['LOG_LEVEL', 'information'],
    ['REGION', 'us-east-1'],
    ['LANG', 'en_US.UTF-8'],
    ['MODEL', 'claude-3-5-sonnet-20241022'],
    ['PORT', '8080'],
    ['DEBUG', 'true'],
    ['ROOT', '/home/ada/projects/site-2'],
    ['ROOT', 'C:\\Users\\ada\\data'],
    ['TOKEN_FILE', '/etc/tokens/of-the-server'],
    ['GOOGLE_CREDENTIALS', '/home/ada/service-account.json'],
    ['HOST', 'db-1.internal.example.com:5432'],
    ['BASE', 'https://api.example.com/v1/items?page=2'],
    ['MAIL', 'ada@example.com'],
    ['USE_AUTH', 'disabled'],
    ['Content-Type', 'application/json; charset=utf-8'],
    ['MODE', 'production read-only'],
  ])('%s=%s', (name, value) => {
    expect(credentialsIn(name, value)).toEqual([]);
  });
});

test('of an address: passwords, values of the query, and what looks issued within the path', () => {
  expect(credentialsInUrl('https://mcp.example.com/mcp/?tavilyApiKey=tvly-1234abcd&page=2')).toEqual(['tvly-1234abcd']);
  expect(credentialsInUrl('https://mcp.zapier.com/api/mcp/s/NmY0ZTk2YTItM2Y3MS00/mcp')).toEqual([
    'NmY0ZTk2YTItM2Y3MS00',
  ]);
  expect(credentialsInUrl('https://api.example.com/v1/model-context-protocol')).toEqual([]);
});

test('of arguments: what follows an option that tells of a credential, a variable, a header, an address', () => {
  const args = ['-y', '@stripe/mcp@0.2.4', '--tools=all', '--api-key=rk_live_1234', '--token', 'abc-def', '--verbose'];
  expect(credentialsInArguments(args)).toEqual(['rk_live_1234', 'abc-def']);
  expect(credentialsInArguments(['run', '-e', 'GITHUB_TOKEN=ghp_0123', '-e', 'LOG=debug'])).toEqual(['ghp_0123']);
  expect(credentialsInArguments(['https://x.example/mcp', '--header', 'Authorization: Bearer tok-en1'])).toEqual([
    'tok-en1',
  ]);
  expect(credentialsInArguments(['postgresql://admin:PASSWORD@localhost/db'])).toEqual(['PASSWORD']);
  expect(credentialsInArguments(['mcp-server', 'xoxb-123456789-abcdef'])).toEqual(['xoxb-123456789-abcdef']);
  expect(credentialsInArguments(['-y', '@modelcontextprotocol/server-filesystem', './data', '/home/ada'])).toEqual([]);
});
