import { expect, test } from 'vitest';

import { newSessionId, paramsIn, sessionNameOf } from './sessionId.ts';

const params = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: { form: {} }, experimental: { 'com.example/any': {} } },
  clientInfo: { name: 'agent', version: '1', title: 'An agent' },
};

test('The id of a session contains what Baton needs of what the client said, and no more', () => {
  const id = newSessionId(params);
  expect(paramsIn(id)).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: { form: {} } },
    clientInfo: { name: 'agent', version: '1' },
  });
  expect(id).toMatch(/^[\x21-\x7e]+$/);
  expect(sessionNameOf(id)).toMatch(/^[\da-f-]{36}$/);
});

test('two sessions of one client have two names', () => {
  expect(sessionNameOf(newSessionId(params))).not.toBe(sessionNameOf(newSessionId(params)));
});

test.each([
  '',
  'a',
  crypto.randomUUID(),
  `${crypto.randomUUID()}.e30`,
  `${crypto.randomUUID()}.x`,
  `x.${'e'.repeat(9_000)}`,
])('an id that is not of ours opens nothing: %s', (id) => expect(paramsIn(id)).toBeUndefined());

test('what is too long for a header is left out', () => {
  const long = { ...params, capabilities: { sampling: { context: { text: 'x'.repeat(5_000) } } } };
  const id = newSessionId(long);
  expect(id).toHaveLength(36);
  expect(paramsIn(id)).toBeUndefined();
});
