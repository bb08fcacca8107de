import { createHash, createHmac } from 'node:crypto';

import { compileCondition } from '@baton/expressions';
import { assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const evaluate = (source: string, inputs: Readonly<Record<string, unknown>> = {}): unknown =>
  compileCondition(source, '').evaluate({ inputs });

const names = constantFrom('sha256', 'sha512', 'sha1', 'md5');

/** Goal: services agree with Baton. Method: random texts, compared with the runtime's own digests. */
test('Digests and signatures are those of the runtime.', () => {
  assert(
    property(
      names,
      string({ unit: 'grapheme' }),
      string(),
      constantFrom('hex', 'base64'),
      (name, text, key, encoding) => {
        const digest = createHash(name).update(text).digest('hex');
        const signature = createHmac(name, key).update(text).digest(encoding);
        const source = `[${name}(inputs.text), hmac(inputs.text, inputs.key, inputs.name, inputs.encoding)]`;
        expect(evaluate(source, { text, key, name, encoding })).toEqual([digest, signature]);
      },
    ),
  );
});

test.each([
  ['hmac("a", "k", "sha3")', 'is no digest; sha256, sha512, sha1, md5 are'],
  ['hmac("a", "k", "sha256", "utf8")', 'hmac gives "hex" or "base64"'],
  ['hmac("a", null)', 'hmac takes a text or bytes as its second argument, and here is null'],
  ['md5(7)', 'md5 takes a text or bytes, and here is the number 7'],
])('%s says what it takes', (source, message) => {
  expect(() => evaluate(source)).toThrow(message);
});

test('A signature by a secret is stored as its mask, which tells messages apart.', () => {
  const [one, other, again] = ['a', 'b', 'a'].map((text) => evaluate('hmac(inputs.text, "[secret:KEY]")', { text }));
  expect(one).toMatch(/^\[secret:KEY\]\.hmac\([0-9a-f]{16}\)$/);
  expect([one === other, one === again]).toEqual([false, true]);
});

test.each([
  ['hmac("a", secrets.KEY)', undefined],
  ['"sha256=" + secrets.KEY.hmac("a")', 'secret-computed'],
  ['"sha256=" + "a".hmac(secrets.KEY, "sha1")', undefined],
  ['hmac(secrets.KEY, "a")', 'secret-computed'],
  ['sha256(secrets.KEY)', 'secret-computed'],
  ['hmac("a", "user&" + secrets.KEY)', undefined],
])('A secret may be the key of a signature, and nothing else is made of it: %s', (source, code) => {
  const step = { tool: 'a/b', with: { signature: `\${{ ${source} }}` } };
  const { findings } = checkWorkflow(JSON.stringify({ workflow: 'w', steps: [step] }));
  expect(findings.map((one) => one.code)).toEqual(code === undefined ? [] : [code]);
});

test('A signature by a secret is made in the arguments of a tool only.', () => {
  const set = { signature: '${{ hmac("a", secrets.KEY) }}' };
  const { findings } = checkWorkflow(JSON.stringify({ workflow: 'w', steps: [{ set }] }));
  expect(findings.map((one) => one.code)).toEqual(['secret-misplaced']);
});
