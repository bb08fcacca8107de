import { limits } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import type { Failure } from '../failure.ts';
import { play } from '../play/play.ts';
import { one, outcome } from '../testing/oneCall.ts';
import { boundedFailure } from './boundedFailure.ts';

const failure = (details: Json): Failure => ({ code: 'server-error', message: 'no', details });
const most = limits.failure.detailsCharacters;
const sizeOf = (value: unknown): number => JSON.stringify(value).length;

describe('the details of a failure', () => {
  test('that are small are kept as they are', () => {
    const small = failure({ data: { list: [1, null, 'x'], text: 'y'.repeat(most / 2) } });
    expect(boundedFailure(small)).toBe(small);
    const none: Failure = { code: 'server-error', message: 'no' };
    expect(boundedFailure(none)).toBe(none);
  });

  test.each([
    [
      'a text',
      {
        content: [
          { type: 'text', text: 'x'.repeat(5_000_000) },
          { type: 'text', text: 'y' },
        ],
      },
    ],
    ['many items', { data: Array.from({ length: 500_000 }, (_, at) => at) }],
    ['many names', { data: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`name ${at}`, true])) }],
    ['one name', { data: { ['n'.repeat(5_000_000)]: 'x', other: 'y' } }],
    ['many empty lists', { data: Array.from({ length: 100_000 }, () => []) }],
  ])('that are large because of %s are cut, and keep their shape', (_, details) => {
    const cut = boundedFailure(failure(details));
    expect(sizeOf(cut)).toBeLessThan(2 * most);
    expect(Object.keys(cut.details as object)).toEqual(Object.keys(details));
  });

  test('are cut in the journal, whether the server answered an error or `failIf` found it', () => {
    const large = 'x'.repeat(5_000_000);
    const refused = play(planOf(one()), {
      answer: () => ({ failure: failure({ content: [{ type: 'text', text: large }] }), delivery: 'answered' }),
    });
    const found = play(planOf(one('    failIf: result.text != null')), {
      answer: () => ({ result: textResult(large) }),
    });
    for (const { journal } of [refused, found]) {
      expect(outcome(journal)).toMatchObject({ status: 'failed' });
      expect(sizeOf(journal)).toBeLessThan(4 * most);
    }
  });
});
