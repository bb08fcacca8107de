import { randomBytes } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { Vault } from './vault.ts';

const label = { name: 'TOKEN', version: 1 };

describe('a vault', () => {
  test('opens what it sealed', () => {
    const vault = new Vault(randomBytes(32));
    for (const value of ['', 'swordfish', 'ü\0🗝', 'x'.repeat(65_536)]) {
      expect(vault.open(vault.seal(value, label), label)).toBe(value);
    }
  });

  test('never seals the same value to the same bytes', () => {
    const vault = new Vault(randomBytes(32));
    const [one, other] = [vault.seal('same', label), vault.seal('same', label)];
    expect(one.sealed.equals(other.sealed)).toBe(false);
    expect(one.wrapped.equals(other.wrapped)).toBe(false);
  });

  test('opens nothing under another key, another name, or with a byte changed', () => {
    const vault = new Vault(randomBytes(32));
    const box = vault.seal('swordfish', label);
    expect(new Vault(randomBytes(32)).open(box, label)).toBeUndefined();
    expect(vault.open(box, { ...label, name: 'OTHER' })).toBeUndefined();
    expect(vault.open(box, { ...label, version: 2 })).toBeUndefined();
    for (const part of ['sealed', 'wrapped'] as const) {
      const changed = Buffer.from(box[part]);
      changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
      expect(vault.open({ ...box, [part]: changed }, label)).toBeUndefined();
      expect(vault.open({ ...box, [part]: Buffer.alloc(3) }, label)).toBeUndefined();
    }
  });

  test('goes on to the next key without touching the values', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const box = new Vault(first).seal('swordfish', label);
    const after = new Vault(second, first);
    const moved = after.rewrap(box, label);
    expect(moved?.sealed).toBe(box.sealed);
    expect(moved?.keyId).toBe(after.keyId);
    expect(moved && new Vault(second).open(moved, label)).toBe('swordfish');
    expect(new Vault(second).rewrap(box, label)).toBeUndefined();
  });

  test('takes 32 bytes and nothing else for a key', () => {
    expect(() => new Vault(randomBytes(16))).toThrow(RangeError);
  });
});
