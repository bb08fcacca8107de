import { FailureError } from '@baton/engine';
import type { Json } from '@baton/language';
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
    expect(redact.json({ pin: 20_261_122, other: 20_261_123 })).toEqual({ pin: '[secret]', other: 20_261_123 });
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
