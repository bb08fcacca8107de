import { type Delivery, type FailureCode, FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import { verdictOf } from './forgotten.ts';

const failed = (code: FailureCode, delivery: Delivery, details: JsonObject = {}): FailureError =>
  new FailureError(code, 'no', { delivery, details });
const rpc = (code: number, message: string) => failed('server-error', 'answered', { code, message });
const status = (code: number) => failed('server-rejected', 'rejected', { status: code });

test.each([
  [
    'a ping that the server does not know, as it says',
    rpc(-32_000, 'locked'),
    rpc(-32_600, 'unknown method: ping'),
    'kept',
  ],
  ['a ping that comes too soon', status(400), failed('server-overloaded', 'rejected', { status: 429 }), 'kept'],
  [
    'the same refusal with another time in it',
    rpc(-32_001, 'gone at 17:03:22'),
    rpc(-32_001, 'gone at 17:03:23'),
    'unmade',
  ],
  ['another refusal with the same code', rpc(-32_000, 'locked'), rpc(-32_000, 'no session'), 'lost'],
  ['an internal error twice', rpc(-32_603, 'oops'), rpc(-32_603, 'oops'), 'lost'],
  ['a call with an unknown outcome', failed('server-error', 'unknown', { status: 500 }), status(404), 'lost'],
  ['a call that a status refused', status(400), status(400), 'unmade'],
  ['a call that a status refused, and silence', status(400), failed('timeout', 'unknown'), 'unmade'],
])('%s', (_, call, ping, verdict) => {
  expect(verdictOf(call, ping)).toBe(verdict);
});
