import { createHmac } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { isHookKey, schemes, standardHeaders } from './signature.ts';

const nowMs = 1_800_000_000_000;
const body = Buffer.from('{"a":1}');

/** Of `v1,<base64>`, the base64. */
function lastByteFlipped(signature: string): string {
  const bytes = Buffer.from(signature.slice('v1,'.length), 'base64');
  bytes[31] = (bytes[31] ?? 0) ^ 1;
  return bytes.toString('base64');
}

describe('Standard Webhooks', () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
  const headers = standardHeaders({ id: 'msg_1', body: body.toString(), secret, nowMs });
  const signed = { headers, body, secrets: [secret], nowMs };

  test('the specification’s own example is signed as it says', () => {
    const example = standardHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      nowMs: 1_614_265_330_000,
    });
    expect(example['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('a signed delivery is identified by its id', () => {
    expect(schemes.standard(signed)).toBe('msg_1');
  });

  test('one of several signatures, and one of two secrets, is enough', () => {
    const several = `v1,${Buffer.alloc(32).toString('base64')} v2,x ${headers['webhook-signature'] ?? ''}`;
    expect(schemes.standard({ ...signed, headers: { ...headers, 'webhook-signature': several } })).toBe('msg_1');
    expect(schemes.standard({ ...signed, secrets: ['whsec_AAAA', secret] })).toBe('msg_1');
  });

  test.each(['', 'x'.repeat(256), 'msg 1', 'msg\0', 'mürbe'])(
    'an id that no header should have is refused: %j',
    (id) => {
      expect(schemes.standard({ ...signed, headers: standardHeaders({ id, body: String(body), secret, nowMs }) })).toBe(
        undefined,
      );
    },
  );

  test.each([
    ['another body', { body: Buffer.from('{"a":2}') }],
    ['another secret', { secrets: ['whsec_AAAA'] }],
    ['no secret', { secrets: [] }],
    ['too late', { nowMs: nowMs + 301_000 }],
    ['too early', { nowMs: nowMs - 301_000 }],
    ['another id', { headers: { ...headers, 'webhook-id': 'msg_2' } }],
    ['another instant', { headers: { ...headers, 'webhook-timestamp': '1800000001' } }],
    ['no instant', { headers: { ...headers, 'webhook-timestamp': 'now' } }],
    ['no signature', { headers: { ...headers, 'webhook-signature': undefined } }],
    ['a cut signature', { headers: { ...headers, 'webhook-signature': 'v1,AAAA' } }],
    ['zeros', { headers: { ...headers, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` } }],
    [
      'a signature whose last byte differs',
      { headers: { ...headers, 'webhook-signature': `v1,${lastByteFlipped(headers['webhook-signature'] ?? '')}` } },
    ],
  ])('%s is refused', (_, changed) => {
    expect(schemes.standard({ ...signed, ...changed })).toBeUndefined();
  });
});

describe('a key of fewer than 16 bytes', () => {
  const empty = (key: string | Buffer): Record<string, string> => {
    const code = createHmac('sha256', key).update(`msg_1.1800000000.${body.toString()}`).digest('base64');
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': '1800000000', 'webhook-signature': `v1,${code}` };
  };

  test.each([
    ['A', ''],
    ['whsec_A', ''],
    ['whsec_AAAA', Buffer.alloc(3)],
    ['fifteen-bytes-x', 'fifteen-bytes-x'],
  ])('signs nothing: %s', (secret, key) => {
    expect(schemes.standard({ headers: empty(key), body, secrets: [secret], nowMs })).toBeUndefined();
    expect(isHookKey(secret, 'standard')).toBe(false);
  });

  test('signs nothing for GitHub either', () => {
    const signature = `sha256=${createHmac('sha256', 'fifteen-bytes-x').update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature };
    expect(schemes.github({ headers, body, secrets: ['fifteen-bytes-x'], nowMs })).toBeUndefined();
    expect([isHookKey('fifteen-bytes-x', 'github'), isHookKey('sixteen-bytes-xy', 'github')]).toEqual([false, true]);
  });
});

describe('GitHub', () => {
  const secret = 'It is a secret to everybody';
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const signed = { headers: { 'x-hub-signature-256': signature }, body, secrets: [secret], nowMs };

  test('a signed delivery is identified by its signature', () => {
    expect(schemes.github(signed)).toBe(signature);
  });

  test.each([
    ['another body', { body: Buffer.from('{"a":2}') }],
    ['another secret', { secrets: ['x'] }],
    ['no secret', { secrets: [] }],
    ['no signature', { headers: {} }],
    ['SHA-1', { headers: { 'x-hub-signature-256': signature.replace('sha256', 'sha1') } }],
    ['zeros', { headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } }],
    [
      'a signature whose last byte differs',
      { headers: { 'x-hub-signature-256': signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')) } },
    ],
  ])('%s is refused', (_, changed) => {
    expect(schemes.github({ ...signed, ...changed })).toBeUndefined();
  });
});
