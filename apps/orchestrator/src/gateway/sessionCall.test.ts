import type { GatewaySession, SessionCall, SessionTarget } from '@baton/engine';
import { expect, test } from 'vitest';

import { type WantedCall, digestOf, findRepeatedCall } from './sessionCall.ts';

const writing: SessionTarget = {
  verb: 'tool',
  server: 's',
  tool: 'write',
  effect: { effect: 'write', from: 'server' },
};
const reading: SessionTarget = { ...writing, tool: 'read', effect: { effect: 'read', from: 'server' } };

const wanted = (more: Partial<WantedCall> = {}): WantedCall => ({
  target: writing,
  arguments: { a: 1, b: 2 },
  by: 'agent',
  key: undefined,
  connection: 'here',
  question: '',
  needsApproval: false,
  refusal: undefined,
  ...more,
});

const before = (call: WantedCall, more: Partial<SessionCall> = {}): GatewaySession => ({
  isClosed: false,
  activeAt: 0,
  calls: [
    {
      path: 'write-1',
      target: call.target,
      arguments: { json: call.arguments },
      by: call.by,
      key: call.key,
      approval: undefined,
      refusal: undefined,
      digest: digestOf(call),
      connection: 'here',
      requestedAt: 0,
      deliveredAt: undefined,
      ...more,
    },
  ],
});

const find = (session: GatewaySession, call: WantedCall, isHeld = false) =>
  findRepeatedCall(session, call, digestOf(call), () => isHeld)?.path;

test('a write whose answer did not arrive is found by what it is, in whichever order its arguments stand', () => {
  expect(find(before(wanted()), wanted({ arguments: { b: 2, a: 1 } }))).toBe('write-1');
  expect(find(before(wanted()), wanted({ arguments: { a: 1, b: 3 } }))).toBeUndefined();
});

test('a write whose answer has arrived, or that a request waits for, is another call', () => {
  expect(find(before(wanted(), { deliveredAt: 1 }), wanted())).toBeUndefined();
  expect(find(before(wanted()), wanted(), true)).toBeUndefined();
});

test('A write that was refused before it was made is made again', () => {
  const refusal = { code: 'server-unreachable', message: 'It did not answer within 50 s.' };
  expect(find(before(wanted(), { refusal }), wanted())).toBeUndefined();
});

test('a read is made again', () => {
  expect(find(before(wanted({ target: reading })), wanted({ target: reading }))).toBeUndefined();
});

test('a key of the client decides alone', () => {
  const keyed = wanted({ key: 'k' });
  expect(find(before(keyed, { deliveredAt: 1 }), keyed, true)).toBe('write-1');
  expect(find(before(keyed), wanted())).toBeUndefined();
  expect(find(before(wanted()), keyed)).toBeUndefined();
  expect(() => find(before(keyed), wanted({ key: 'k', arguments: {} }))).toThrow('used in this session before');
});
