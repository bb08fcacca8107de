import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { type SettingSource, readSettings, SettingsError } from './readSettings.ts';

const environment = (values: SettingSource['values']): SettingSource[] => [{ name: 'environment', values }];

function faultsOf(values: SettingSource['values']): readonly string[] {
  try {
    readSettings(environment(values));
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  test('are these when nothing is said', () => {
    expect(readSettings([]).settings).toEqual({
      BATON_EVENTS: 'on',
      BATON_FENCE: [],
      BATON_HOST: '127.0.0.1',
      BATON_OAUTH_DCR: 'off',
      BATON_OIDC_GRANTS: [],
      BATON_ROLES: {},
      BATON_PORT: 4400,
      BATON_DATA: '.baton',
      BATON_CONCURRENCY: 50,
      BATON_SCHEMA: 'public',
      BATON_VALUES_AFTER: 3_600_000,
      BATON_SERVER_NETWORKS: [],
      BATON_CALLBACK_NETWORKS: [],
      BATON_TRUSTED_PROXIES: [],
      BATON_KEEP_RUNS: Infinity,
      BATON_KEY_RUNS: 100_000,
      BATON_KEY_ITEMS: 100_000,
      BATON_KEY_CHECKS: 600,
      BATON_KEEP_RECORDS: 90 * 24 * 3_600_000,
      BATON_METRICS_HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      SHUTDOWN_GRACE: 30_000,
    });
  });

  test('a direct address is completed as the other one, has its schema, and is of no use alone', () => {
    const pooled = { DATABASE_URL: 'postgres://pooler/baton?schema=own', PGUSER: 'me', PGPASSWORD: 'pw' };
    const { settings } = readSettings(environment({ ...pooled, BATON_DIRECT_URL: 'postgres://db/baton' }));
    expect(settings.BATON_DIRECT_URL).toBe('postgres://me:pw@db/baton?schema=own');
    expect(faultsOf({ BATON_DIRECT_URL: 'postgres://u:secret@db/baton' })).toEqual([
      'BATON_DIRECT_URL: expected a DATABASE_URL, which leads to the same Postgres through a pooler',
    ]);
  });

  test('are read into what they mean', () => {
    const key = Buffer.alloc(32, 7);
    const { settings } = readSettings(
      environment({
        DATABASE_URL: 'postgres://u:p@db/x',
        BATON_PORT: ' 80 ',
        BATON_SECRET_KEY: key.toString('base64'),
        SHUTDOWN_GRACE: '1500ms',
        BATON_KEEP_RUNS: '30d',
        BATON_KEEP_RECORDS: 'forever',
        BATON_SERVER_NETWORKS: '10.0.0.0/8, fd00::/8',
        BATON_TRUSTED_PROXIES: '10.0.0.7 fd00::/8,::1',
        REDIS_URL: '',
      }),
    );
    expect(settings).toMatchObject({ DATABASE_URL: 'postgres://u:p@db/x', BATON_PORT: 80, SHUTDOWN_GRACE: 1_500 });
    expect(settings).toMatchObject({ BATON_KEEP_RUNS: 30 * 24 * 3_600_000, BATON_KEEP_RECORDS: Infinity });
    expect(settings.BATON_SECRET_KEY).toEqual(key);
    expect(settings.BATON_SERVER_NETWORKS).toEqual(['10.0.0.0/8', 'fd00::/8']);
    expect(settings.BATON_TRUSTED_PROXIES).toEqual(['10.0.0.7', 'fd00::/8', '::1']);
    expect(settings.REDIS_URL).toBeUndefined();
  });

  test.each([
    ['prefer', 'verify-full'],
    ['require', 'verify-full'],
    ['verify-ca', 'verify-full'],
    ['verify-full', 'verify-full'],
    ['no-verify', 'no-verify'],
    ['disable', 'disable'],
    ['require&uselibpqcompat=true', 'require&uselibpqcompat=true'],
  ])('take sslmode=%s of Postgres for %s', (given, meant) => {
    const urlWith = (mode: string): string => `postgres://u:p%40@db/x?a=b&sslmode=${mode}&sslrootcert=ca.pem`;
    const { settings } = readSettings(environment({ DATABASE_URL: urlWith(given) }));
    expect(settings.DATABASE_URL).toBe(urlWith(meant));
  });

  test('come from the first source that says something', () => {
    const sources = [
      { name: '--port', values: { BATON_PORT: '1' } },
      { name: 'environment', values: { BATON_PORT: '2', BATON_HOST: '::1' } },
    ];
    const { settings, described } = readSettings(sources);
    expect(settings).toMatchObject({ BATON_PORT: 1, BATON_HOST: '::1' });
    const sourceOf = (name: string): string | undefined => described.find((one) => one.name === name)?.source;
    expect(['BATON_PORT', 'BATON_HOST', 'LOG_LEVEL', 'REDIS_URL'].map(sourceOf)).toEqual([
      '--port',
      'environment',
      'default',
      'absent',
    ]);
  });

  test('that are wrong are all told at once, each with its name, its source, and what was expected', () => {
    const faults = faultsOf({
      DATABASE_URL: 'mysql://x',
      BATON_PORT: '70000',
      BATON_CONCURRENCY: '1e3',
      BATON_KEEP_RUNS: '10m',
      BATON_CALLBACK_NETWORKS: '10.0.0.0/8, 10.0.0.1',
      BATON_TRUSTED_PROXIES: 'proxy.example',
      BATON_ADMIN_KEY: 'too short',
      BATON_SECRET_KEY: 'c2hvcnQ=',
      LOG_LEVEL: 'loud',
      SHUTDOWN_GRACE: '30',
    });
    expect(faults).toEqual([
      'DATABASE_URL (environment): expected a Postgres URL (postgres:, postgresql:), or words such as host=db dbname=baton, found the scheme mysql:',
      'BATON_PORT (environment): expected a whole number from 0 to 65535, found "70000"',
      'BATON_CALLBACK_NETWORKS (environment): expected networks such as 10.1.0.0/16, with commas between, found "10.0.0.0/8, 10.0.0.1"',
      'BATON_TRUSTED_PROXIES (environment): expected addresses or networks such as 10.0.0.7 or 10.1.0.0/16, with commas between, found "proxy.example"',
      'BATON_SECRET_KEY (environment): expected 32 bytes in base64, as `openssl rand -base64 32` prints them, found 8 characters that are not shown',
      'BATON_ADMIN_KEY (environment): expected at least 32 characters, found 9 characters that are not shown',
      'BATON_CONCURRENCY (environment): expected a whole number from 1 to 10000, found "1e3"',
      'BATON_KEEP_RUNS (environment): expected a duration of 1h or more, such as 90d, or forever, found "10m"',
      'LOG_LEVEL (environment): expected one of trace, debug, info, warn, error, fatal, silent, found "loud"',
      'SHUTDOWN_GRACE (environment): expected a duration such as 500ms, 30s or 5m, found "30"',
    ]);
  });

  test.each([
    ['a letter', 'x'],
    ['another scheme', 'http://'],
    ['a scheme alone', 'postgres:'],
    ['a NUL', '\0'],
    ['10,000 letters', 'a'.repeat(10_000)],
  ])('an address that is none (%s) is a fault of one line', (_, text) => {
    const faults = faultsOf({ DATABASE_URL: text, REDIS_URL: text });
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.every((fault) => fault.length < 300 && !fault.includes('\n'))).toBe(true);
  });

  test('that are secret are never shown, neither in what is printed nor in what is wrong', () => {
    const values = {
      DATABASE_URL: 'postgres://ada:hunter2@db/x',
      BATON_ADMIN_KEY: 'hunter2'.repeat(6),
      BATON_API_KEY: 'hunter2',
      BATON_SECRET_KEY: Buffer.from('hunter2hunter2hunter2hunter2hunt').toString('base64'),
    };
    const { described } = readSettings(environment(values));
    const wrong = faultsOf({ ...values, REDIS_URL: 'ftp://x:hunter2@y', BATON_SECRET_KEY: 'hunter2' });
    expect(wrong).toHaveLength(2);
    expect(JSON.stringify(described) + wrong.join()).not.toMatch(/hunter2|aHVudGVyM/);
    expect(described.find(({ name }) => name === 'DATABASE_URL')?.value).toBe('postgres://db/x');
  });

  test('are all described', () => {
    const { described } = readSettings([]);
    expect(described.filter(({ description }) => description === '')).toEqual([]);
    expect(described.find(({ name }) => name === 'SHUTDOWN_GRACE')).toMatchObject({ value: '30s', source: 'default' });
  });
});

test('the defaults that the docs state are the defaults', () => {
  const docs = new URL('../../../../docs/', import.meta.url);
  const pages = readdirSync(docs).filter((file) => file.endsWith('.md'));
  const stated = pages.flatMap((file) =>
    [...readFileSync(new URL(file, docs), 'utf8').matchAll(/`([A-Z_]+)`(?: \(([\d,]+)\)| \| `(forever|\d+\w)`)/g)].map(
      ([, name = '', count, time]) => ({ file, name, value: (count ?? time ?? '').replaceAll(',', '') }),
    ),
  );
  const defaults = new Map<string, string | undefined>(readSettings([]).described.map((one) => [one.name, one.value]));
  expect(stated.filter(({ name, value }) => defaults.get(name) !== value)).toEqual([]);
  expect(stated.length).toBeGreaterThan(5);
});
