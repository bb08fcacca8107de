import { createHmac } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { type SignedDelivery, isHookKey, signedHeaders, standardHeaders, verifyDelivery } from './signature.ts';

const nowMs = 1_800_000_000_000;
const body = Buffer.from('{"a":1}');

const idOf = (...delivery: Parameters<typeof verifyDelivery>): string | undefined => verifyDelivery(...delivery).id;

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
    expect(idOf('standard', signed)).toBe('msg_1');
  });

  test('one of several signatures, and one of two secrets, is enough', () => {
    const several = `v1,${Buffer.alloc(32).toString('base64')} v2,x ${headers['webhook-signature'] ?? ''}`;
    expect(idOf('standard', { ...signed, headers: { ...headers, 'webhook-signature': several } })).toBe('msg_1');
    expect(idOf('standard', { ...signed, secrets: ['whsec_AAAA', secret] })).toBe('msg_1');
  });

  test.each(['', 'x'.repeat(256), 'msg 1', 'msg\0', 'mürbe'])(
    'an id that no header should have is refused: %j',
    (id) => {
      expect(idOf('standard', { ...signed, headers: standardHeaders({ id, body: String(body), secret, nowMs }) })).toBe(
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
    expect(idOf('standard', { ...signed, ...changed })).toBeUndefined();
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
    expect(idOf('standard', { headers: empty(key), body, secrets: [secret], nowMs })).toBeUndefined();
    expect(isHookKey(secret, 'standard')).toBe(false);
  });

  test('signs nothing for GitHub either', () => {
    const signature = `sha256=${createHmac('sha256', 'fifteen-bytes-x').update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature };
    expect(idOf('github', { headers, body, secrets: ['fifteen-bytes-x'], nowMs })).toBeUndefined();
    expect([isHookKey('fifteen-bytes-x', 'github'), isHookKey('sixteen-bytes-xy', 'github')]).toEqual([false, true]);
  });
});

describe('GitHub', () => {
  const secret = 'It is a secret to everybody';
  const headers = signedHeaders('github', { id: 'd-1', body: String(body), secret, nowMs });
  const signature = headers['x-hub-signature-256'] ?? '';
  const signed = { headers, body, secrets: [secret], nowMs };

  test('a signed delivery is identified by its id and its signature', () => {
    expect(idOf('github', signed)).toBe(`d-1 ${signature}`);
    expect(idOf('github', { ...signed, headers: { 'x-hub-signature-256': signature } })).toBe(signature);
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
    expect(idOf('github', { ...signed, ...changed })).toBeUndefined();
  });
});

describe.each([
  ['gitlab', 'x-gitlab-token', 'idempotency-key'],
  ['shopify', 'x-shopify-hmac-sha256', 'x-shopify-webhook-id'],
] as const)('%s', (scheme, header, idHeader) => {
  const secret = 'It is a secret to everybody';
  const headers = signedHeaders(scheme, { id: 'd-1', body: String(body), secret, nowMs });
  const signed = { headers, body, secrets: ['x'.repeat(16), secret], nowMs };

  test('a delivery is told from others by its id and its body', () => {
    const id = idOf(scheme, signed) ?? '';
    expect(id).toMatch(/^d-1 \S+$/);
    expect(idOf(scheme, { ...signed, headers: { ...headers, [idHeader]: 'd-2' } })).toBe(id.replace('d-1', 'd-2'));
    expect(idOf(scheme, { ...signed, headers: { ...headers, [idHeader]: undefined } })).toBe(id.slice('d-1 '.length));
    const other = Buffer.from('{"a":2}');
    const again = signedHeaders(scheme, { id: 'd-1', body: String(other), secret, nowMs });
    expect(idOf(scheme, { ...signed, headers: again, body: other })).not.toBe(id);
  });

  test.each([
    ['another secret', { secrets: ['x'.repeat(16)] }],
    ['a secret of fewer than 16 bytes', { secrets: ['x'], headers: { ...headers, [header]: 'x' } }],
    ['no secret', { secrets: [] }],
    ['no signature', { headers: {} }],
    ['an empty one', { headers: { ...headers, [header]: '' } }],
    ['a cut one', { headers: { ...headers, [header]: String(headers[header]).slice(0, -1) } }],
    ['two of them', { headers: { ...headers, [header]: [String(headers[header]), 'x'] } }],
  ])('%s is refused', (_, changed) => {
    expect(idOf(scheme, { ...signed, ...changed })).toBeUndefined();
  });
});

test('Shopify’s own way to compute the code is taken, and another body refused', () => {
  const secret = 'hush-hush-hush-hush';
  const code = createHmac('sha256', secret).update(body).digest('base64');
  const signed = { headers: { 'x-shopify-hmac-sha256': code }, body, secrets: [secret], nowMs };
  expect(idOf('shopify', signed)).toBe(code);
  expect(idOf('shopify', { ...signed, body: Buffer.from('{"a":2}') })).toBeUndefined();
});

describe.each(['slack', 'stripe'] as const)('%s', (scheme) => {
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';
  const signedAs = (text: string): SignedDelivery => ({
    headers: signedHeaders(scheme, { id: '', body: text, secret, nowMs }),
    body: Buffer.from(text),
    secrets: ['x'.repeat(16), secret],
    nowMs,
  });
  const signed = signedAs('{"a":1}');
  const [name = ''] = Object.keys(signed.headers).toReversed();

  test.each([
    ['another body', { body: Buffer.from('{"a":2}') }],
    ['another secret', { secrets: ['x'.repeat(16)] }],
    ['a secret of fewer than 16 bytes', { secrets: ['x'] }],
    ['too late', { nowMs: nowMs + 301_000 }],
    ['too early', { nowMs: nowMs - 301_000 }],
    ['no signature', { headers: {} }],
    [
      'zeros',
      { headers: { ...signed.headers, [name]: String(signed.headers[name]).replace(/[\da-f]{64}/, '0'.repeat(64)) } },
    ],
    ['a cut signature', { headers: { ...signed.headers, [name]: String(signed.headers[name]).slice(0, -1) } }],
  ])('%s is refused', (_, changed) => {
    expect(idOf(scheme, { ...signed, ...changed })).toBeUndefined();
  });

  test('a delivery without an id of its sender is identified by its signature', () => {
    expect(idOf(scheme, signed)).toBe(signed.headers[name]);
    expect(idOf(scheme, signedAs('no JSON'))).toContain(scheme === 'slack' ? 'v0=' : 'v1=');
  });

  test.each(
    scheme === 'slack'
      ? [
          ['Ev08MFMKH6', '{"type":"event_callback","event_id":"Ev08MFMKH6"}'],
          ['13345224609.73', 'command=%2Fdeploy&trigger_id=13345224609.73'],
          ['12321423423.33', `payload=${encodeURIComponent('{"type":"block_actions","trigger_id":"12321423423.33"}')}`],
        ]
      : [['evt_1NG8Du2eZvKYlo2C', '{"id":"evt_1NG8Du2eZvKYlo2C","object":"event"}']],
  )('a delivery is identified by %s, which its sender gives it', (id, text) => {
    expect(idOf(scheme, signedAs(text))).toBe(id);
  });
});

test('the examples of Slack and Stripe are signed as they say', () => {
  const slack = {
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    nowMs: 1_531_420_618_000,
  };
  expect(signedHeaders('slack', { ...slack, id: '' })['x-slack-signature']).toBe(
    'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  );
  const stripe = signedHeaders('stripe', { id: '', body: '{}', secret: 'whsec_test_secret_of_us', nowMs });
  const code = createHmac('sha256', 'whsec_test_secret_of_us')
    .update(`${nowMs / 1_000}.{}`)
    .digest('hex');
  expect(stripe).toEqual({ 'stripe-signature': `t=${nowMs / 1_000},v1=${code}` });
});

describe('a refused delivery has a reason for the owner of the hook', () => {
  const secret = 'a-secret-of-sixteen-bytes';
  const signedAs = (scheme: 'standard' | 'github' | 'slack' | 'stripe') => ({
    headers: signedHeaders(scheme, { id: 'd-1', body: String(body), secret, nowMs }),
    body,
    secrets: [secret],
    nowMs,
  });
  const faultOf = (...delivery: Parameters<typeof verifyDelivery>): string | undefined =>
    verifyDelivery(...delivery).fault;

  test.each([
    [
      'standard',
      'github',
      'The headers webhook-id, webhook-timestamp, webhook-signature are missing. It has x-hub-signature-256: write `scheme: github` in the trigger.',
    ],
    [
      'github',
      'standard',
      'The header X-Hub-Signature-256 is missing. Has the webhook a secret at GitHub? It has webhook-signature: write `scheme: standard` in the trigger.',
    ],
    [
      'slack',
      'stripe',
      'The headers X-Slack-Request-Timestamp, X-Slack-Signature are missing. It has stripe-signature: write `scheme: stripe` in the trigger.',
    ],
    [
      'stripe',
      'slack',
      'The header Stripe-Signature is missing. It has x-slack-signature: write `scheme: slack` in the trigger.',
    ],
  ] as const)('%s, but it was signed as %s', (scheme, other, fault) => {
    expect(faultOf(scheme, signedAs(other))).toBe(fault);
  });

  test.each(['standard', 'github', 'slack', 'stripe'] as const)('%s, with the wrong secret', (scheme) => {
    expect(faultOf(scheme, { ...signedAs(scheme), secrets: ['another-secret-of-ours'] })).toContain(
      'is not the signature of this body with this secret.',
    );
  });

  test.each(['standard', 'slack', 'stripe'] as const)('%s, with a clock that is wrong', (scheme) => {
    expect(faultOf(scheme, { ...signedAs(scheme), nowMs: nowMs + 900_000 })).toBe(
      'It is signed, but its time is 15 m from now; 5 m is allowed.',
    );
  });
});
