import { KnownSecrets } from '@baton/runner';
import { expect, test } from 'vitest';

import { readSettings } from '../settings/readSettings.ts';
import { secretsIn } from './processSecrets.ts';

test.each([
  ['DATABASE_URL', 'postgresql://baton:pa55word-x@db.example/x'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://tracer:pa55word-x@otel.example:4318'],
  ['HTTPS_PROXY', 'http://me:pa55word-x@proxy.example:8080'],
  ['https_proxy', 'http://me:pa55word-x@proxy.example:8080'],
  ['ALL_PROXY', 'http://me:pa55word-x@proxy.example:8080'],
  ['BATON_DIRECT_URL', 'postgresql://baton:pa55word-x@db.example/x'],
])('the password in %s is known, and taken out of what servers and logs say', (name, value) => {
  const values = { DATABASE_URL: 'postgres://pooler.example/x', [name]: value };
  const { settings } = readSettings([{ name: 'environment', values }]);
  const secrets = secretsIn(settings, values);
  expect(secrets).toContain('pa55word-x');
  const known = new KnownSecrets();
  known.learn('settings', secrets);
  expect(known.redactor.text(`I was given ${value}`)).not.toContain('pa55word-x');
});

test('a proxy without a password is no secret', () => {
  const values = { HTTPS_PROXY: 'http://proxy.example:8080' };
  const { settings } = readSettings([{ name: 'environment', values }]);
  expect(secretsIn(settings, values)).toEqual([]);
});
