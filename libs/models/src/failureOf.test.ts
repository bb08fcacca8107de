import { InvariantError } from '@baton/engine';
import { APICallError } from 'ai';
import { expect, test } from 'vitest';

import { Deadline } from './deadline.ts';
import { type ProviderTarget, failureOf } from './failureOf.ts';

const asked: ProviderTarget = {
  target: 'cloud/large',
  secrets: ['abc', 'very-secret'],
  now: () => Date.UTC(2026, 0, 1),
};

function deadline(): Deadline {
  const one = new Deadline({ signal: new AbortController().signal, timeout: {} });
  one.close();
  return one;
}

const refused = (statusCode: number | undefined, headers = {}, more = {}): APICallError =>
  new APICallError({
    message: 'no',
    url: 'http://x',
    requestBodyValues: {},
    responseHeaders: headers,
    ...(statusCode === undefined ? {} : { statusCode }),
    ...more,
  });

test.each([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
  [{ 'retry-after': 'Thu, 01 Jan 2025 00:01:00 GMT' }, 0],
  [{ 'retry-after': '99999999999' }, 24 * 3_600_000],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after-ms': '' }, 0],
  [{}, undefined],
])('%j says when to come back', (headers, retryAfterMs) => {
  expect(failureOf(refused(503, headers), deadline(), asked).retryAfterMs).toBe(retryAfterMs);
});

test('over a connection that was never opened nothing was sent', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const error = refused(undefined, {}, { cause: new TypeError('fetch failed', { cause }) });
  expect(failureOf(error, deadline(), asked)).toMatchObject({
    failure: { code: 'model-unavailable' },
    delivery: 'unsent',
    cause: error,
  });
});

test('secrets do not show in what a provider says, long or short', () => {
  const error = refused(401, {}, { message: 'Incorrect API key provided: very-secret', data: {} });
  expect(failureOf(error, deadline(), asked).message).toBe(
    'cloud/large does not accept the API key (HTTP 401): Incorrect API key provided: ***',
  );
  const long = refused(400, {}, { responseBody: 'x'.repeat(10_000) });
  expect(failureOf(long, deadline(), asked).message.length).toBeLessThan(600);
});

test('an error of the request itself is not retried', () => {
  const error = Object.assign(new Error('audio is not supported'), { name: 'AI_UnsupportedFunctionalityError' });
  expect(failureOf(error, deadline(), asked)).toMatchObject({ failure: { code: 'model-failed' }, delivery: 'unsent' });
});

test('the reason for aborting counts before the error that follows', () => {
  const stopped = new AbortController();
  const one = new Deadline({ signal: stopped.signal, timeout: { totalMs: 5 } });
  stopped.abort();
  one.close();
  expect(failureOf(refused(500), one, asked)).toMatchObject({ failure: { code: 'cancelled' }, delivery: 'unknown' });
});

test('a bug of ours is no failure of the model', () => {
  expect(() => failureOf(new InvariantError('impossible'), deadline(), asked)).toThrow(InvariantError);
});
