/** Digests of texts and bytes. MD5 and SHA-1 are for services that want them; they protect nothing. */
import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import { didYouMean } from '../../source/nearest.ts';
import { describeValue } from '../describeValue.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { text } from '../type.ts';
import type { Value } from '../value.ts';
import { base64, bytesOf } from './encoding.ts';
import { asText } from './scalarText.ts';

const algorithms = { sha256, sha512, sha1, md5 } as const;
const algorithmNames = Object.keys(algorithms);

const digest = (name: keyof typeof algorithms, words: string): FunctionSpec => ({
  name,
  parameters: [{ name: 'value', kinds: ['text', 'bytes'] }],
  returns: text,
  about: `The ${words} digest, in hex, of a text, as UTF-8, or of bytes.`,
  run: (call) => bytesToHex(algorithms[name](bytesOf(call, call.args[0]))),
});

/** The mask that stands for a secret until the call is made. */
const mask = /\[secret:\w+\]/;

function keyedDigest(call: FunctionCall): Value {
  const { e, node, args } = call;
  const name = args[2] === undefined ? 'sha256' : asText(args[2]);
  const encoding = args[3] === undefined ? 'hex' : asText(args[3]);
  const algorithm = Object.hasOwn(algorithms, name) ? algorithms[name as keyof typeof algorithms] : undefined;
  if (algorithm === undefined) {
    const say = (): string => `${describeValue(name)} is no digest; ${algorithmNames.join(', ')} are`;
    return e.fail(node, say, didYouMean(name, algorithmNames));
  }
  if (encoding !== 'hex' && encoding !== 'base64') return e.fail(node, () => 'hmac gives "hex" or "base64"');
  const [message, key] = [bytesOf(call, args[0]), bytesOf(call, args[1])];
  // What is stored tells messages apart, and nothing of the secret.
  const isMasked = typeof args[1] === 'string' && mask.test(args[1]);
  if (isMasked) return `${asText(args[1])}.hmac(${bytesToHex(sha256(message)).slice(0, 16)})`;
  const made = hmac(algorithm, key, message);
  return encoding === 'hex' ? bytesToHex(made) : base64(made);
}

export const digestFunctions: readonly FunctionSpec[] = [
  digest('sha256', 'SHA-256'),
  digest('sha512', 'SHA-512'),
  digest('sha1', 'SHA-1'),
  digest('md5', 'MD5'),
  {
    name: 'hmac',
    parameters: [
      { name: 'text', kinds: ['text', 'bytes'] },
      { name: 'key', kinds: ['text', 'bytes'] },
      { name: 'digest', kinds: ['text'], isOptional: true },
      { name: 'encoding', kinds: ['text'], isOptional: true },
    ],
    returns: text,
    about:
      'A signature with a key, which may be `secrets.NAME` in the `with` of a tool. `"sha256"` (also `"sha512"`, `"sha1"`, `"md5"`) in `"hex"` (also `"base64"`).',
    run: keyedDigest,
  },
];
