import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { readSettings, SettingsError } from './readSettings.ts';

/** All that a start says about this setting, right or wrong. */
function saidOf(name: string, value: string): string {
  const sources = [{ name: 'environment', values: { [name]: value } }];
  try {
    return String(readSettings(sources).described.find((one) => one.name === name)?.value);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.join();
    throw error;
  }
}

test.each([
  ['mysql://u:p@h/d', 'found the scheme mysql:'],
  ['host=db dbname=x secret=p', 'found words, one of which Baton does not know: expected host, port, dbname'],
  ["host=db password='p", 'found words with a text between them, or a quote that does not end'],
  ['db.example/x', 'found a text that does not begin with postgres:// or postgresql://'],
  ['postgres://u:p/w@h/d', 'write @ as %40, / as %2F'],
  ['postgres://u:p#w@h/d', 'write @ as %40, / as %2F'],
  ['postgres://u:12?w@h/d', 'write @ as %40, / as %2F'],
  ['postgres://u:p@a:1,b:x/d', 'found several hosts, and for one of them a port that is no number'],
  [
    'postgres://u:p@a,b/d?target_session_attrs=standby',
    'found target_session_attrs other than any, read-write, primary',
  ],
  ['host=a,b,c port=1,2', 'found more or fewer ports than hosts'],
  ['postgres://h/d?user=a@b', 'write @ as %40'],
  ['postgres://u:p@h:port/d', 'found a port that is no number'],
  ['postgres://u:p@h h/d', 'must be percent-encoded'],
])('the address %s is refused: %s', (address, words) => {
  expect(saidOf('DATABASE_URL', address)).toContain(words);
});

test.each([
  'postgres://h/d',
  'postgresql://u:p%40w@h:5432/d?sslmode=verify-full',
  'postgres://u:p@[::1]:5432/d',
  'postgres://h/d?user=a%40b',
])('the address %s is accepted, and shown without user, password and parameters', (address) => {
  expect(saidOf('DATABASE_URL', address)).toMatch(/^postgres(?:ql)?:\/\/(?:h|h:5432|\[::1\]:5432)\/d$/);
});

test.each([
  ['redis://a,b', 'found several hosts: write redis+sentinel://HOST,HOST/NAME, or redis+cluster://HOST,HOST'],
  ['redis+sentinel://a,b', 'found no name of a primary: write it as redis+sentinel://HOST:26379,HOST:26379/NAME'],
  ['redis+cluster://a,b/3', 'found a database: a cluster has only one'],
  ['redis-sentinel://a/b', 'found the scheme redis-sentinel:'],
])('the address %s of a Redis is refused: %s', (address, words) => {
  expect(saidOf('REDIS_URL', address)).toContain(words);
});

test.each([
  'redis://u:p@h:1/2',
  'rediss+sentinel://u:p@a:1,b/main/2?sentinelPassword=p',
  'redis+cluster://u:p@a:1,b:2',
])('the address %s of a Redis is accepted, and shown without user, password and parameters', (address) => {
  expect(saidOf('REDIS_URL', address)).toBe(address.replace('u:p@', '').replace(/[?].*/, ''));
});

test.each([
  ['host=db port=5433 dbname=x user=ada password=p', 'postgres://ada:p@db:5433/x'],
  [String.raw`host=db dbname='a b' password='it\'s \\'`, String.raw`postgres://:it's%20%5C@db/a%20b`],
  ['postgres://u:p@a:1,b/d?sslmode=require', 'postgres://u:p@a:1/d?sslmode=verify-full&host=a%2Cb&port=1%2C'],
  ['host=a,b port=6432 dbname=d', 'postgres://localhost/d?host=a%2Cb&port=6432'],
  ['postgres://u:p@[::1]:1,b:2/d', 'postgres://u:p@[::1]:1/d?host=%3A%3A1%2Cb&port=1%2C2'],
  ['postgres://u:p@/d?host=/run/postgresql', 'postgres://u:p@localhost/d?host=/run/postgresql'],
  ['postgres://u:p@%2Frun%2Fpostgresql/d', 'postgres://u:p@localhost/d?host=%2Frun%2Fpostgresql'],
  ['postgres://h/d?user=a%40b', 'postgres://h/d?user=a%40b'],
  ['postgres://u:a%b$c^d@h/d', 'postgres://u:a%b$c^d@h/d'],
])('the address %s is read as %s', (written, read) => {
  const sources = [{ name: 'environment', values: { DATABASE_URL: written } }];
  expect(readSettings(sources).settings.DATABASE_URL).toBe(read);
});

test.each([
  ['postgres://', 'postgres://ada:p%40@db:5433/shop?host=one%2Ctwo&port=5433&sslmode=verify-full'],
  ['postgres://eve:q@there:1/other?sslmode=disable', 'postgres://eve:q@there:1/other?sslmode=disable'],
])('the variables of libpq complete the address %s', (written, read) => {
  const variables = { PGHOST: 'one,two', PGPORT: '5433', PGUSER: 'ada', PGPASSWORD: 'p@', PGDATABASE: 'shop' };
  const sources = [{ name: 'environment', values: { DATABASE_URL: written, ...variables, PGSSLMODE: 'require' } }];
  expect(readSettings(sources).settings.DATABASE_URL).toBe(read.replace('@db:5433', '@localhost'));
});

test('BATON_SCHEMA is a part of the address, unless it is the usual one', () => {
  const read = (schema: string) =>
    readSettings([{ name: 'environment', values: { DATABASE_URL: 'postgres://h/d', BATON_SCHEMA: schema } }]).settings;
  expect(read('public').DATABASE_URL).toBe('postgres://h/d');
  expect(read('baton').DATABASE_URL).toBe('postgres://h/d?schema=baton');
  expect(() => read('Baton; drop')).toThrow('BATON_SCHEMA (environment): expected a name of small letters');
});

/**
 * Goal: no password is in the log of a start, however it was written into a setting.
 * Method: passwords of any characters, raw and encoded, in every form that an address of a server has somewhere.
 */
test('no part of a password is in what a start says about an address', () => {
  const forms: readonly ((password: string) => string)[] = [
    (password) => `postgresql://ada:${password}@db.example:5432/baton`,
    (password) => `postgresql://ada:${password}@/baton?host=/run/postgresql`,
    (password) => `postgresql://ada:${password}@one:1,two:2/baton`,
    (password) => `postgresql://db.example/baton?user=ada&password=${password}`,
    (password) => `host=db.example user=ada password=${password}`,
    (password) => `host=db.example user=ada password='${password}'`,
    (password) => `ada:${password}@db.example/baton`,
    (password) => `redis://:${password}@cache.example`,
    (password) => `redis+sentinel://ada:${password}@one:1,two/primary?sentinelPassword=${password}`,
    (password) => `http://ada:${password}@collector.example/v1`,
  ];
  const names = ['DATABASE_URL', 'REDIS_URL', 'BATON_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'BATON_SERVER_NETWORKS'];
  const separators = ['@', '/', ':', '?', '#', '%', '&', '=', ' ', '"', 'ü', ',', '['];
  const password = fc
    .array(fc.oneof(fc.stringMatching(/^[J-Q]{5}$/), fc.constantFrom(...separators)), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.join(''));
  const settings = fc.tuple(password, fc.boolean(), fc.constantFrom(...forms), fc.constantFrom(...names));
  fc.assert(
    fc.property(settings, ([raw, isEncoded, form, name]) => {
      expect(saidOf(name, form(isEncoded ? encodeURIComponent(raw) : raw))).not.toMatch(/[j-q]{5}/i);
    }),
    { numRuns: 10_000 },
  );
});
