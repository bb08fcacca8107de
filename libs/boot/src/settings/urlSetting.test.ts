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
  ['host=db dbname=x password=p', 'found words such as host=…'],
  ['db.example/x', 'found a text that does not begin with postgres:// or postgresql://'],
  ['postgres://u:p/w@h/d', 'write @ as %40, / as %2F'],
  ['postgres://u:p#w@h/d', 'write @ as %40, / as %2F'],
  ['postgres://u:12?w@h/d', 'write @ as %40, / as %2F'],
  ['postgres://u:p@a:1,b:2/d', 'found several hosts'],
  ['postgres://u:p@/d?host=/run/postgresql', 'found no host'],
  ['postgres://%2Frun%2Fpostgresql/d', 'found no host'],
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
    (password) => `ada:${password}@db.example/baton`,
    (password) => `redis://:${password}@cache.example`,
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
