import { expect, test } from 'vitest';

import { readSettings, SettingsError } from './readSettings.ts';

const provider = {
  BATON_OIDC_ISSUER: 'https://login.example',
  BATON_OIDC_CLIENT_ID: 'baton',
  BATON_OIDC_CLIENT_SECRET: 'correct horse',
};

function faultOf(values: Readonly<Record<string, string>>): string {
  try {
    readSettings([{ name: 'environment', values }]);
    return 'none';
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.join('\n');
    throw error;
  }
}

const rule = (more: object): string => JSON.stringify([{ when: 'true', role: 'viewer', ...more }]);

test('a rule and a role of the settings are read into what they mean', () => {
  const values = {
    ...provider,
    BATON_ROLES: '{"oncall":["runs:read","runs:write"]}',
    BATON_OIDC_GRANTS: rule({ when: 'groups.exists(g, g == "payments")', role: 'oncall', on: ['payments/*'] }),
  };
  const { settings, described } = readSettings([{ name: 'environment', values }]);
  expect(settings.BATON_ROLES).toEqual({ oncall: ['runs:read', 'runs:write'] });
  expect(settings.BATON_OIDC_GRANTS).toEqual([
    { when: 'groups.exists(g, g == "payments")', role: 'oncall', on: ['payments/*'] },
  ]);
  expect(JSON.stringify(described)).not.toContain('correct horse');
});

test.each([
  ['no JSON', '[{"when": }]', /line 1, column 11/],
  ['a key twice', '[{"when":"true","when":"false","role":"viewer"}]', /\/0\/when/],
  ['no condition in CEL', rule({ when: 'groups.exists(g, g == )' }), /\/0\/when: character 23/],
  ['an unknown member', rule({ roles: 'x' }), /roles/],
  ['no pattern', rule({ on: ['payments/**'] }), /\/0\/on\/0/],
  ['an unknown effect', rule({ effects: 'writes' }), /\/0\/effects/],
  ['an unknown role', rule({ role: 'viever' }), /\/0\/role: there is no role "viever".*viewer/],
  ['a limit of an admin', rule({ role: 'admin', on: ['a'] }), /\/0\/on: the role admin cannot be limited/],
])('a list of rules with %s is refused, with the place', (_what, text, expected) => {
  const fault = faultOf({ ...provider, BATON_OIDC_GRANTS: text });
  expect(fault).toMatch(/^BATON_OIDC_GRANTS/);
  expect(fault).toMatch(expected);
});

test.each([
  ['an unknown scope', '{"a":["runs:reed"]}', /\/a\/0/],
  ['no scope', '{"a":[]}', /\/a/],
  ['the name of Baton’s own', '{"admin":["runs:read"]}', /no role admin/],
])('roles with %s are refused, with the place', (_what, text, expected) => {
  expect(faultOf({ BATON_ROLES: text })).toMatch(expected);
});

test.each([
  ['without TLS on another machine', 'http://login.example', 'http: on another machine'],
  ['with a user', 'https://me@login.example', 'a user in it'],
  ['with parameters', 'https://login.example?a=b', 'parameters'],
  ['of another form', 'login.example', 'expected the address of an identity provider'],
])('an issuer %s is refused', (_what, issuer, expected) => {
  expect(faultOf({ ...provider, BATON_OIDC_ISSUER: issuer })).toContain(expected);
});

test('a provider without one of its settings is refused by the name of what is missing, and no secret is told', () => {
  const { BATON_OIDC_CLIENT_ID: _id, ...incomplete } = provider;
  const fault = faultOf(incomplete);
  expect(fault).toMatch(/^BATON_OIDC_CLIENT_ID:/);
  expect(fault).not.toContain('correct horse');
  expect(faultOf({ BATON_OIDC_GRANTS: rule({}) })).toContain('BATON_OIDC_ISSUER:');
});

test.each([
  ['without TLS on another machine', 'http://login.example', 'http: on another machine'],
  ['with a user', 'https://me@login.example', 'a user in it'],
  ['with parameters', 'https://login.example?a=b', 'parameters'],
  ['of another form', 'login.example', 'expected the address of an authorization server'],
])('an authorization server %s is refused in one sentence', (_what, issuer, expected) => {
  const fault = faultOf({ BATON_OAUTH_ISSUER: issuer });
  expect(fault).toMatch(/^BATON_OAUTH_ISSUER \(environment\): [^\n]*$/);
  expect(fault).toContain(expected);
});

test('rules for claims need no log-in at an identity provider where another authorization server is named', () => {
  expect(faultOf({ BATON_OAUTH_ISSUER: 'https://login.example', BATON_OIDC_GRANTS: rule({}) })).toBe('none');
});
