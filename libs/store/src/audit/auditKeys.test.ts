import { createHmac, hkdfSync, randomBytes } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { AuditKeys, isSignedBy, readPublicKey } from './auditKeys.ts';

const secretKey = Buffer.alloc(32, 1);
const keys = new AuditKeys(secretKey);
const head = 'ab'.repeat(32);

describe('marks', () => {
  test('are what createHmac says, under a key that is not the installation’s own', () => {
    for (const text of [head, randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]) {
      const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'baton audit marks', 32));
      expect(keys.mark(text)).toBe(createHmac('sha256', key).update(text).digest('hex').slice(0, 32));
    }
  });

  test('hold for one hash and one key', () => {
    const mark = keys.mark(head);
    expect(keys.isMarked(head, mark)).toBe(true);
    expect(keys.isMarked('cd'.repeat(32), mark)).toBe(false);
    expect(new AuditKeys(Buffer.alloc(32, 2)).isMarked(head, mark)).toBe(false);
    for (const none of [undefined, null, '', mark.slice(1)]) expect(keys.isMarked(head, none)).toBe(false);
  });
});

describe('signatures', () => {
  test('are checked with the public key alone', () => {
    const key = readPublicKey(keys.publicKey);
    expect(key?.id).toBe(keys.id);
    if (key === undefined) return;
    const signature = keys.sign(head);
    expect(isSignedBy(key, head, signature)).toBe(true);
    expect(isSignedBy(key, 'cd'.repeat(32), signature)).toBe(false);
    expect(isSignedBy(key, head, '00'.repeat(64))).toBe(false);
    expect(isSignedBy(key, head, '')).toBe(false);
    const other = readPublicKey(new AuditKeys(Buffer.alloc(32, 2)).publicKey);
    expect(other !== undefined && isSignedBy(other, head, signature)).toBe(false);
  });

  test('what is no Ed25519 key in PEM is none', () => {
    for (const text of ['', 'x', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'])
      expect(readPublicKey(text)).toBeUndefined();
  });
});
