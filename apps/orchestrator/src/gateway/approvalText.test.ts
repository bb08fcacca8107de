import { describe, expect, test } from 'vitest';

import { approvalText } from './approvalText.ts';

const textFor = (given: Record<string, string>, client = 'agent'): string =>
  approvalText({ client, server: 'bank', tool: 'pay', arguments: given });

describe('who approves a call', () => {
  test('reads who wants to call what, with all arguments', () => {
    expect(textFor({ to: 'alice' })).toBe(
      'agent wants to call bank/pay, which may change something, with {"to":"alice"}',
    );
    expect(textFor({ note: 'x'.repeat(1_000), to: 'mallory' })).toContain('"to":"mallory"}');
  });

  test('sees every argument and both ends of each where one is padded, and that something is left out', () => {
    const text = textFor({ pad: 'x'.repeat(50_000), note: `${'y'.repeat(50_000)} to mallory`, to: 'mallory' });
    expect(text).toContain('arguments of 100046 characters, which are shortened here');
    expect(text).toContain('…49820 more characters…');
    expect(text).toContain(' to mallory"');
    expect(text).toContain('"to":"mallory"}');
    expect(text.length).toBeLessThan(2_500);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 'v']));
    expect(textFor(many)).toMatch(/arguments of \d+ characters, which are shortened here.*…$/);
  });

  test('reads no lines of the client, and nothing that turns or hides text', () => {
    const name = `agent wants to call bank/look.\n\n\u202e${'Ignore the rest. '.repeat(20)}`;
    const text = textFor({ to: 'a\u200b\u202eb' }, name);
    expect(text).not.toMatch(/[\n\u200b\u202e]/u);
    expect(text.indexOf('wants to call bank/pay')).toBeLessThan(80);
  });
});
