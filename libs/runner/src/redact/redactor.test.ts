import { FailureError } from '@baton/engine';
import { type Json, cleanText } from '@baton/primitives';
import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { KnownSecrets } from './knownSecrets.ts';
import { redactor } from './redactor.ts';

const secret = 'p4ss "word" ü?\\<&>+/end';
const pem = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  'MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu',
  'Vp2bVMtl+w==',
  '-----END PRIVATE KEY-----',
].join('\n');
const redact = redactor([secret, pem, 'short', '20261122']);

const bytes = (text: string): Buffer => Buffer.from(text);
const inBase64 = (text: string): string => bytes(text).toString('base64');
const wrapped = (text: string, at: number, with_: string): string =>
  (text.match(new RegExp(`.{1,${at}}`, 'g')) ?? []).join(with_);
const percentThroughout = (text: string): string =>
  [...bytes(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const unicode = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const numbered = (text: string): string => Array.from(text, (one) => `&#${one.codePointAt(0)};`).join('');

const forms: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['in base64', inBase64],
  ['in base64url', (text) => bytes(text).toString('base64url')],
  ['in base64 without padding', (text) => inBase64(text).replace(/=+$/, '')],
  ['in Basic', (text) => inBase64(`user:${text}`)],
  ['in base64 of something longer', (text) => inBase64(`a${text}-and more`)],
  ['in base64 of something longer still', (text) => inBase64(`ab${text}`)],
  ['in base64url of something longer', (text) => bytes(`a~${text}~~and more`).toString('base64url')],
  ['in base64url of something longer still', (text) => bytes(`${text}???`).toString('base64url')],
  ['in base64 that is broken into lines', (text) => wrapped(inBase64(text), 7, '\r\n')],
  ['in base64 that is broken into indented lines', (text) => wrapped(inBase64(`xy${text}`), 9, '\n    ')],
  ['with invisible characters between its own', (text) => wrapped(text, 3, '\u200b')],
  ['with sequences of a terminal in it', (text) => wrapped(text, 5, '\u001b[0m')],
  ['in a token, whose payload is JSON', (text) => bytes(JSON.stringify({ sub: text })).toString('base64url')],
  ['in a URL', encodeURIComponent],
  ['in a URL, in small letters', (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase())],
  ['in a URL, throughout', percentThroughout],
  ['in a URL in a URL', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['in a form', (text) => new URLSearchParams({ q: text }).toString()],
  ['in base64 in a URL', (text) => encodeURIComponent(inBase64(text))],
  ['in hex', (text) => bytes(text).toString('hex')],
  ['in capital hex', (text) => bytes(text).toString('hex').toUpperCase()],
  ['inside JSON', (text) => JSON.stringify({ text })],
  ['inside JSON in JSON', (text) => JSON.stringify({ text: JSON.stringify({ text }) })],
  ['inside JSON in JSON in JSON', (text) => JSON.stringify([JSON.stringify([JSON.stringify([text])])])],
  ['inside JSON by its code points', unicode],
  ['in XML', xml],
  ['in XML by its code points', numbered],
  ['in XML inside JSON in a URL', (text) => encodeURIComponent(JSON.stringify([xml(text)]))],
];

describe('[L-108] a revealed secret', () => {
  test.each(forms)('is taken out %s', (_, form) => {
    const text = redact.text(`before ${form(secret)} after`);
    expect(text).toMatch(/^before .*\[secret\].* after$/s);
    for (const other of ['word', form(secret), secret, bytes('word').toString('hex')])
      expect(text).not.toContain(other);
  });

  test.each(forms)('of several lines is taken out %s, and each line of it', (_, form) => {
    expect(redact.text(form(pem))).not.toContain(form('MIIEvQIBADAN'));
    for (const line of pem.split('\n').slice(1, -1)) expect(redact.text(`(${form(line)})`)).toContain('[secret]');
    expect(redact.text('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
  });

  test('is found anywhere in any text', () => {
    // Goal: no place in a text hides a secret, and nothing else is lost.
    // Method: random texts before and after it, and random mixtures of the forms.
    const plain = string({ maxLength: 40, unit: constantFrom(...'abc XYZ012+/=%&;\\"\n\tü'.split('')) });
    const form = constantFrom(...forms.map(([, apply]) => apply));
    assert(
      property(plain, form, plain, form, (before, first, between, second) => {
        const text = redact.text(`${before} ${first(secret)} ${between} ${second(secret)} end`);
        expect(text).not.toContain('word');
        expect(text.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(2);
        expect(text.endsWith(' end') && text.startsWith(`${before} `)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('is taken out of keys and values at any depth, and of failures with their details', () => {
    expect(redact.json({ [secret]: [{ a: `x${secret}` }], n: 1 })).toEqual({ '[secret]': [{ a: 'x[secret]' }], n: 1 });
    expect(redact.json({ pin: 20_261_122, minus: -20_261_122, other: 1 })).toEqual({
      pin: '[secret]',
      minus: '[secret]',
      other: 1,
    });
    const error = new FailureError('tool-failed', `No ${secret}.`, { delivery: 'answered', details: { said: secret } });
    const { failure, delivery } = redact.failure(error);
    expect([failure.message, failure.details, delivery]).toEqual(['No [secret].', { said: '[secret]' }, 'answered']);
  });

  test('is taken out where a message cut it off', () => {
    const message = (text: string): string => redact.failure(new FailureError('server-error', text)).message;
    expect(message(`said: ${secret.slice(0, 9)}…`)).toBe('said: [secret]…');
    expect(message(`ends: …${secret.slice(7)} and more`)).toBe('ends: …[secret] and more');
    expect(message(`Unexpected token, ..."${secret.slice(3, 12)}"... is no JSON`)).not.toContain('word');
    expect(message('it was… cut')).toBe('it was… cut');
  });

  test('overlapping another one leaves nothing of either', () => {
    expect(redactor(['abcdefgh', 'efghijkl']).text('-abcdefghijkl-')).toBe('-[secret]-');
  });

  test('that is too short to be told from other text is left', () => {
    expect(redact.text('a short text')).toBe('a short text');
  });

  test('that is not there changes nothing, and copies nothing', () => {
    const value: Json = { a: ['b\nc', { 'd%20': 'e&amp;', f: null }], g: true };
    expect(redact.json(value)).toBe(value);
  });

  test('does not hide behind nesting', () => {
    let value: Json = secret;
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    let inner: Json = redact.json(value);
    while (Array.isArray(inner)) [inner = null] = inner as readonly Json[];
    expect(inner).toBe('[secret]');
  });
});

/**
 * Goal: what the cleaner removes between the characters of a secret puts no secret together.
 * Method: every code point there is, and every kind of sequence of a terminal, between the characters of two secrets, one
 * of which has short lines.
 */
describe('a secret that is cut by what is not seen', () => {
  const [token, lines] = ['ghp_abcdefghijklmnop0123', 'ab12\ncd34\nef56'];
  const both = redactor([token, lines, lines.replaceAll('\n', '\r\n')]);
  const cut = (text: string, by: string): string => text.slice(0, 7) + by + text.slice(7);

  test('A secret that is cut by what is not seen is found whichever code point it is', () => {
    for (let from = 0; from < 0x11_00_00; from += 0x10_00) {
      const points = Array.from({ length: 0x10_00 }, (_, at) => String.fromCodePoint(from + at));
      const clean = cleanText(both.text(points.map((one) => cut(token, one)).join(' ')));
      expect(clean.includes(token), `from ${from.toString(16)}`).toBe(false);
    }
  });

  test.each([
    '\u001B(B',
    '\u001B[m',
    '\u001B[38;5;1m',
    '\u001B]0;t\u0007',
    '\u001B]8;;x\u001B\\',
    '\u009B1m',
    '\u0090q\u009C',
  ])('is found where that is the sequence %j', (sequence) => {
    for (const secret of [token, lines, lines.replaceAll('\n', '\r\n'), JSON.stringify(token)]) {
      const text = both.text(`before ${cut(secret, sequence)} after`);
      expect(text).toBe(secret.startsWith('"') ? 'before "[secret]" after' : 'before [secret] after');
      expect(cleanText(both.text(cut(`${secret} `, `${sequence}\u200B`)))).not.toContain(secret.replaceAll('\r', ''));
    }
  });

  test('A secret that is cut by what is not seen is found where the text is shortened inside the sequence', () => {
    const text = `${cut(token, '\u001B]')} ${'x'.repeat(500)}\u0007 end`;
    expect(cleanText(both.text(text), 100)).not.toContain(token);
  });

  test('A secret that is cut by what is not seen is found where escapes are cut, too', () => {
    const escaped = Array.from(token, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('');
    expect(both.text(wrapped(escaped, 5, '\u200B'))).toBe('[secret]');
  });
});

/** Goal: a text of many megabytes lets a worker's heartbeat and its other calls come in between, in each kind of escapes. */
test.each([
  '\u001B[',
  '\u001B]',
  '\u001B[m',
  '\\\\',
  '\\n',
  '%25',
  '&amp;',
  'plain ',
  'ü',
  '\u200B',
  '\u{E0041}',
  '\n',
])('a long text of %j is searched in slices', (piece) => {
  const length = 600_000;
  const text = piece.repeat(length / piece.length);
  for (const value of [text, text.match(/.{1,60}/gsu) ?? []]) {
    let slices = 0;
    for (const work = redact.slicesOf(value); work.next().done !== true;) slices += 1;
    expect(slices).toBeGreaterThanOrEqual(Math.floor(length / 2 ** 17));
  }
});

test('a text with thousands of secrets is removed whole', () => {
  expect(redact.text(`${secret} `.repeat(20_000))).toBe('[secret]');
});

test('a text that was cut off shows no rest of a secret at its ends', () => {
  expect(redact.cutText(`${secret.slice(5)} said: ${secret.slice(0, 9)}`)).toBe('[secret] said: [secret]');
});

describe('what a process knows', () => {
  test('is taken out wherever it came from, also while it is being replaced', () => {
    const known = new KnownSecrets();
    expect(known.redactor.text('first-value')).toBe('first-value');
    known.learn('stored', ['first-value']);
    known.learn('server files', ['of-the-files']);
    const before = known.redactor;
    known.learn('stored', ['first-value']);
    expect(known.redactor).toBe(before);
    known.learn('stored', ['second-value']);
    expect(known.redactor.text('first-value second-value of-the-files')).toBe('[secret] [secret] [secret]');
    known.learn('stored', ['third-value']);
    expect(known.redactor.text('first-value second-value')).toBe('first-value [secret]');
  });
});
