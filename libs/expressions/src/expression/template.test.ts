import type { Json } from '@baton/primitives';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { compileMapTemplate, compileTemplate, piecesOf } from './template.ts';

const scope = { inputs: { org: 'acme', n: 3, list: [1, 2], map: { a: 1 }, nothing: null, flag: true } };
const fill = (value: Json): Json => compileTemplate(value, '/with').evaluate(scope);

describe('a text', () => {
  test.each<[string, Json]>([
    ['no expression', 'no expression'],
    ['${{ inputs.n }}', 3],
    ['  ${{ inputs.list }}\n', [1, 2]],
    ['${{ inputs.nothing }}', null],
    ['n is ${{ inputs.n }}', 'n is 3'],
    ['${{ inputs.n }}${{ inputs.n }}', '33'],
    [
      '${{ inputs.org }}: ${{ inputs.list }} ${{ inputs.map }} ${{ inputs.flag }} ${{ inputs.nothing }}',
      'acme: [1,2] {"a":1} true null',
    ],
    ['${{ "}}" }}', '}}'],
    ['a ${{ \'}}\' + "{{" }} b', 'a }}{{ b'],
    ['${{ {"a": {"b": inputs.n}} }}', { a: { b: 3 } }],
    ['${{ {"a": {"b": inputs.n}}}}', { a: { b: 3 } }],
    ['${{ inputs.org.matches("}{2}") }}', false],
    ['${{ "${{" }} is how one begins', '${{ is how one begins'],
    ['$ {{ a }} and $}}', '$ {{ a }} and $}}'],
  ])('%s', (text, expected) => {
    expect(fill(text)).toEqual(expected);
  });

  test('that does not end its expression is none', () => {
    expect(() => compileTemplate('a ${{ inputs.n', '')).toThrow('has no `}}`');
  });

  test('[L-016 L-017] that is only an expression keeps its type; inside text it becomes text', () => {
    expect(fill({ whole: '${{ inputs.n }}', inside: '${{ inputs.n }}.' })).toEqual({ whole: 3, inside: '3.' });
  });

  test('a key whose value is none is left out, in maps of expressions too; null stays null', () => {
    const value = {
      gone: '${{ inputs.?x }}',
      kept: '${{ inputs.nothing }}',
      inner: { gone: '${{ inputs.?x }}', list: ['${{ inputs.?x }}'], text: '<${{ inputs.?x }}>' },
      made: "${{ {'a': inputs.?x, 'b': [inputs.?x], 'c': {'d': inputs.?x}} }}",
    };
    const scope = { inputs: { nothing: null } };
    const inner = { list: [null], text: '<null>' };
    expect(compileTemplate(value, '').evaluate(scope)).toEqual({ kept: null, inner, made: { b: [null], c: {} } });
    expect(compileTemplate('${{ inputs.?x }}', '').evaluate(scope)).toBeNull();
  });

  test('that is of the first edition has null there', () => {
    const value = { gone: '${{ inputs.?x }}', made: "${{ {'a': inputs.?x} }}" };
    expect(compileTemplate(value, '', 1).evaluate({ inputs: {} })).toEqual({ gone: null, made: { a: null } });
  });

  /** Goal: the end of an expression is where CEL ends it. Method: expressions out of texts full of braces. */
  test('[L-019] an expression ends at its own braces, not at those in its texts', () => {
    const inner = fc.string({ unit: fc.constantFrom('}', '{', '"', "'", '\\', 'a', '$', ' '), maxLength: 12 });
    fc.assert(
      fc.property(inner, inner, fc.constantFrom('"', "'"), (text, after, quote) => {
        const escapedText = text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
        const rest = after.replaceAll('${{', '');
        const source = ` {"k": ${quote}${escapedText}${quote}} `;
        expect(piecesOf(`\${{${source}}}${rest}`).pieces).toEqual([
          { source, start: 3 },
          ...(rest === '' ? [] : [rest]),
        ]);
      }),
    );
  });
});

describe('a value', () => {
  test('is known before the run where nothing in it is read', () => {
    expect(compileTemplate({ a: [1, 'x'], b: '${{ 1 + 1 }}', c: 'x ${{ "y" }}' }, '').constant).toEqual({
      value: { a: [1, 'x'], b: 2, c: 'x y' },
    });
    expect(compileTemplate('${{ inputs.n }}', '').constant).toBeUndefined();
  });

  test('that would fail is left to the run', () => {
    const template = compileTemplate('${{ 1 / 0 }}', '');
    expect(template.constant).toBeUndefined();
    expect(() => template.evaluate({})).toThrow('division by zero');
  });

  test('tells what it reads', () => {
    const { names, steps, secrets } = compileTemplate(
      ['${{ steps.a.x }}', 'Bearer ${{ secrets.KEY }} ${{ inputs.n }}'],
      '',
    );
    expect([names, steps, secrets]).toEqual([['steps', 'secrets', 'inputs'], ['a'], ['KEY']]);
  });

  test('a failure names the place of its text', () => {
    expect(() => compileTemplate({ a: ['${{ inputs.zzz }}'] }, '/steps/0/with').evaluate(scope)).toThrow(
      expect.objectContaining({ pointer: '/steps/0/with/a/0' }),
    );
  });

  test('that has to be a map is one, computed or not', () => {
    expect(compileMapTemplate('${{ inputs.map }}', '').evaluate(scope)).toEqual({ a: 1 });
    expect(() => compileMapTemplate('${{ inputs.list }}', '').evaluate(scope)).toThrow(
      'a map is needed, and here is a list of',
    );
  });
});

test.each<[string, Json]>([
  ['a template', { inner: ['${{ inputs.value }}'] }],
  ['an expression', '${{ [inputs.value] }}'],
])('%s that grows by a level each time is given up before a function that walks through it could fail', (_, json) => {
  const wrap = compileTemplate(json, '/with');
  let value: Json = null;
  const grow = (): void => {
    for (let round = 0; round < 1_000; round++) value = wrap.evaluate({ inputs: { value } });
  };
  expect(grow).toThrow('given up: it makes a value of more than 500 levels');
  expect(JSON.stringify(value)).toContain('null');
});
