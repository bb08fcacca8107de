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
    const begun = { entry: 1, at: 1_700_000_000_000, records: 0 };
    for (const seal of [{ hash: head }, { hash: head, begun }]) {
      const signature = keys.sign(seal);
      expect(isSignedBy(key, seal, signature)).toBe(true);
      for (const other of ['cd'.repeat(32), ''])
        expect(isSignedBy(key, { ...seal, hash: other }, signature)).toBe(false);
      for (const other of ['00'.repeat(64), '']) expect(isSignedBy(key, seal, other)).toBe(false);
      for (const other of [undefined, { ...begun, entry: 2 }, { ...begun, at: 1 }, { ...begun, records: 1 }])
        expect(isSignedBy(key, { ...seal, begun: other }, signature)).toBe(seal.begun === other);
      const other = readPublicKey(new AuditKeys(Buffer.alloc(32, 2)).publicKey);
      expect(other !== undefined && isSignedBy(other, seal, signature)).toBe(false);
    }
  });

  test('what is no Ed25519 key in PEM is none', () => {
    for (const text of ['', 'x', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'])
      expect(readPublicKey(text)).toBeUndefined();
  });
});
