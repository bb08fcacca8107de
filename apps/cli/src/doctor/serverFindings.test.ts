import { expect, test } from 'vitest';

import { asSeen } from './serverFindings.ts';

const lastError = { code: 'server-unreachable', message: 'It did not answer.', at: '2026-11-23T11:00:00.000Z' };

test('a server that is being opened is not said to answer', () => {
  expect(asSeen('server late', { name: 'late', state: 'opening' })).toMatchObject({
    state: 'odd',
    message: 'It is being opened, and has not answered yet.',
    hint: expect.stringContaining('baton servers test late') as string,
  });
  expect(asSeen('server late', { name: 'late', state: 'opening', lastError })).toMatchObject({
    state: 'odd',
    message: 'It did not answer.',
  });
  expect(asSeen('server late', { name: 'late', state: 'ready' })).toMatchObject({ state: 'ok', message: 'Answers.' });
});
