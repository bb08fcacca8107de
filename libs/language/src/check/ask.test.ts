import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const found = (
  onExpire: unknown,
  form: object = { approve: { type: 'boolean' }, note: { type: 'string', default: '-' } },
) =>
  checkWorkflow(
    JSON.stringify({
      workflow: 'w',
      inputs: { text: { type: 'string' }, yes: { type: 'boolean' }, any: {} },
      steps: [{ ask: 'Pay?', form, expires: '1h', onExpire }],
    }),
  ).findings.map(({ code, path }) => [code, path]);

describe('The answer by expiry is an answer like others:', () => {
  test.each([
    ['what has a default may be left out', { approve: false }],
    ['what is computed may fit', { approve: '${{ inputs.yes }}', note: '${{ inputs.text }}' }],
    ['what is computed as a whole may fit', '${{ inputs.any }}'],
  ])('%s', (_, onExpire) => {
    expect(found(onExpire)).toEqual([]);
  });

  test('a default counts where the form requires its key', () => {
    const form = { type: 'object', properties: { note: { type: 'string', default: '-' } }, required: ['note'] };
    expect(found({}, form)).toEqual([]);
  });

  test.each([
    ['a literal of another kind', { approve: 'no' }, 'value-invalid'],
    ['a computed value of another kind', { approve: '${{ inputs.text }}' }, 'argument-type'],
    [
      'a computed value beside a literal of another kind',
      { approve: 'no', note: '${{ inputs.text }}' },
      'value-invalid',
    ],
    ['a key that is missing', { note: '${{ inputs.text }}' }, 'missing-argument'],
    ['a key that the form does not have', { approve: true, nope: '${{ inputs.text }}' }, 'unknown-argument'],
    ['a whole of another kind', '${{ inputs.text }}', 'argument-type'],
  ])('%s is found', (_, onExpire, code) => {
    expect(found(onExpire).map(([one]) => one)).toEqual([code]);
  });
});
