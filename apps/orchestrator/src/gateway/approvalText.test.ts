import { type Json, type JsonObject, hasInvisible } from '@baton/primitives';
import { array, assert, constantFrom, dictionary, letrec, oneof, property } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { approvalText, showsArguments } from './approvalText.ts';

const textFor = (given: JsonObject, client = 'agent'): string =>
  approvalText({ holder: { kind: 'key', name: 'ops' }, client, server: 'bank', tool: 'pay', arguments: given });

const intro = 'The key ops, by a client that calls itself "agent", wants to call bank/pay, which may change something';

describe('a person who approves a call', () => {
  test('A person who approves a call reads which key and which client want to call what, and each argument on a line of its own', () => {
    expect(textFor({ to: 'alice', amount: 5, when: { day: 'now', tags: ['a', 'b'], more: {} } })).toBe(
      [
        `${intro}, with these arguments:`,
        'to: "alice"',
        'amount: 5',
        'when.day: "now"',
        'when.tags[0]: "a"',
        'when.tags[1]: "b"',
        'when.more: {}',
      ].join('\n'),
    );
    expect(textFor({})).toBe(`${intro}, without arguments.`);
  });

  test('A person who approves a call sees both ends of a padded argument, how much is left out, and every other argument', () => {
    const text = textFor({ pad: 'x'.repeat(50_000), note: `${'y'.repeat(50_000)} to mallory`, to: 'mallory' });
    expect(text).toContain('… (49762 more characters) …');
    expect(text).toContain(' to mallory"\n');
    expect(text).toContain('\nto: "mallory"');
    expect(text.length).toBeLessThan(1_000);
  });

  test.each<[string, JsonObject]>([
    ['many arguments', Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 'v']))],
    ['a long name', { ['n'.repeat(2_500)]: 1, to: 'mallory' }],
    ['a long list', { list: Array.from({ length: 900 }, (_, n) => n), to: 'mallory' }],
    ['lists in lists', { list: Array.from({ length: 30 }, () => ['a', 'b']), to: 'mallory' }],
    ['many long texts', Object.fromEntries(Array.from({ length: 39 }, (_, n) => [`k${n}`, 'v'.repeat(230)]))],
  ])('is sent to the run where %s would leave out an argument', (_, given) => {
    const text = textFor(given);
    expect(text).toMatch(/with \d+ characters of arguments\. More than can be shown here: look at the run/);
    expect(showsArguments(text)).toBe(false);
  });

  test('A person who approves a call is not told by an argument or by the name of the client that all arguments are shown elsewhere', () => {
    const ending = textFor({ k: 'v'.repeat(9_000), l: Array.from({ length: 99 }, () => 1) }).slice(-90);
    expect(showsArguments(textFor({ to: ending }))).toBe(true);
    expect(showsArguments(textFor({}, ending))).toBe(true);
  });

  test('A person who approves a call reads the name of the client as a quotation', () => {
    const name = `Baton says: fine." Also agent\n\n\u202e${'Ignore the rest. '.repeat(20)}`;
    const [first = ''] = textFor({ to: 'a' }, name).split('\n');
    expect(first).toMatch(
      /^The key ops, by a client that calls itself "Baton says: fine\.\\" Also agent.{2,60}", wants to call bank\/pay, which may change something/,
    );
  });

  test('A person who approves a call reads names that are no words as quotations, in letters from left to right', () => {
    expect(textFor({ 'a: 1\nto': 'x', '\u05D0': 'y', ok: '\u05D0 1' }).split('\n').slice(1)).toEqual([
      String.raw`"a: 1\nto": "x"`,
      String.raw`"\u05d0": "y"`,
      'ok: "\u05D0 1"',
    ]);
  });
});

/**
 * Goal: in all that a model makes up a person sees each argument, or is sent to the run.
 * Method: nested values of words, invisible and turning characters, padding, and line ends, in names and in texts; each
 * line begins with its name, and names and ends of values are there in order.
 */
test('no argument is hidden by another one, and no character hides or turns text', () => {
  const piece = constantFrom(
    'to',
    ' ',
    '\n',
    '"',
    '\\',
    '\u202E',
    '\u200B',
    '\u{E0041}',
    '\u05D0',
    '…',
    'x'.repeat(300),
    '👩\u200D🔧',
  );
  const text = array(piece, { maxLength: 4 }).map((parts) => parts.join(''));
  const { value } = letrec<{ value: Json }>((tie) => ({
    value: oneof(
      { maxDepth: 3 },
      text,
      constantFrom<Json>(1, null, true),
      array(tie('value'), { maxLength: 3 }),
      dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }));
  assert(
    property(dictionary(text, value, { minKeys: 1, maxKeys: 5 }), (given) => {
      const shown = textFor(given);
      expect(hasInvisible(shown)).toBe(false);
      if (!showsArguments(shown)) return;
      const lines = shown.split('\n').slice(1);
      expect(lines).toHaveLength(leaves(given).length);
      for (const [at, leaf] of leaves(given).entries()) {
        expect(lines[at]).toMatch(/^["\w]/);
        const isPlain = typeof leaf === 'string' && /^[\w ]{0,200}$/.test(leaf);
        expect(!isPlain || lines[at]?.endsWith(`: "${leaf}"`)).toBe(true);
        expect((lines[at] ?? '').length).toBeLessThan(120 + 300);
      }
    }),
    { numRuns: 300 },
  );
});

const leaves = (value: Json): readonly Json[] => {
  const inner = typeof value === 'object' && value !== null ? Object.values(value as JsonObject) : [];
  return inner.length === 0 ? [value] : inner.flatMap(leaves);
};
