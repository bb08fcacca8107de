import { FailureError } from '@baton/engine';
import { describe, expect, test } from 'vitest';

import { redactor } from './redact.ts';

const secret = 'p4ss "word" ü?';
const redact = redactor([secret, 'short']);

describe('[L-108] a revealed secret', () => {
  test.each([
    ['as it is', `token=${secret};`],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['in Basic', Buffer.from(`user:${secret}`).toString('base64')],
    ['in base64 of something longer', Buffer.from(`a${secret}-and more`).toString('base64')],
    ['in base64 of something longer still', Buffer.from(`ab${secret}`).toString('base64')],
    ['in a URL', `?q=${encodeURIComponent(secret)}`],
    ['in a form', new URLSearchParams({ q: secret }).toString()],
    ['inside JSON text', JSON.stringify({ secret })],
  ])('is taken out %s', (_, text) => {
    expect(redact.text(text)).toContain('[secret]');
    expect(redact.text(text)).not.toContain('word');
  });

  test('is taken out of keys and values at any depth, and of failures with their details', () => {
    expect(redact.json({ [secret]: [{ a: `x${secret}` }], n: 1 })).toEqual({ '[secret]': [{ a: 'x[secret]' }], n: 1 });
    const error = new FailureError('tool-failed', `No ${secret}.`, { delivery: 'answered', details: { said: secret } });
    const { failure, delivery } = redact.failure(error);
    expect([failure.message, failure.details, delivery]).toEqual(['No [secret].', { said: '[secret]' }, 'answered']);
  });

  test('that is too short to be told from other text is left', () => {
    expect(redact.text('a short text')).toBe('a short text');
  });
});
