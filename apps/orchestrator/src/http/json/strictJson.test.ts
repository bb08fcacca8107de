import { type Problem, ProblemError } from '@baton/api';
import { describe, expect, test } from 'vitest';

import { parseStrictJson } from './strictJson.ts';

function refusal(body: string | Buffer): Problem {
  try {
    parseStrictJson(Buffer.from(body as string));
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('the JSON body of a request', () => {
  test('may begin with a byte order mark', () => {
    expect(parseStrictJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 });
  });

  test.each([
    ['duplicate-key', 400, 'duplicate-key', '{"a":1,"a":2}'],
    ['number-too-large', 422, 'validation-failed', '[12345678901234567890]'],
    ['json-syntax', 400, 'malformed-request', '{"a":'],
  ])('with the fault %s is answered with %i', (fault, status, code, body) => {
    expect(refusal(body)).toMatchObject({ status, code, errors: [{ code: fault }] });
  });

  test.each(['', ' \n'])('%j is told that a body is required', (text) => {
    expect(refusal(text)).toMatchObject({ status: 400, detail: expect.stringContaining('empty') as string });
  });

  test('is refused, and not replaced, if its bytes are no UTF-8', () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ status: 400, code: 'malformed-request' });
  });
});
