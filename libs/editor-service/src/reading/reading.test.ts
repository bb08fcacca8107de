import { readFileSync } from 'node:fs';

import { changedTokens, DocumentReader, tokenize } from '@baton/language';
import { isObject } from '@baton/primitives';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { diagnose } from '../diagnose.ts';
import { type TextReading, readText } from './reading.ts';

const nightly = readFileSync(
  new URL('../../../language/fixtures/nightly-report.workflow.yaml', import.meta.url),
  'utf8',
);

const mixed = `# of all sorts
workflow: mixed
steps:
- id: a
  tool: work/echo # which one
  with: { message: "a # no comment", list: [1, 2] }

  # about b

- id: b
  with:
    text: |
      - not an item

    folded: >-
      some text
  tool: work/echo
- { id: c, set: { a: 'it''s', b: "\${{ steps.a.output }}" } }
# at the end of the steps
outputs: { b: "\${{ steps.b.output }}" }
onFailure:
  - set: { a: 1 }
  - id: last
    set:
      b: 2
`;

/** All that is asked of a reading. */
const seen = (reading: TextReading) => ({
  value: reading.document.value,
  diagnostics: diagnose(reading),
  layout: reading.document.layout(),
});

const tokensOf = (text: string) => tokenize(text).tokens;

const tokensAgain = (before: string, now: string) =>
  changedTokens({ text: before, tokens: tokenize(before) }, now)?.tokens;

const pieces = [
  '\n',
  ' ',
  '  ',
  '- ',
  '"',
  "'",
  '{',
  '}',
  ']',
  ': ',
  '#',
  ' # x',
  '|',
  '\n  - id: n\n    set: {}\n',
  '\t',
  'x',
  '&',
  '${{',
  '\n\n',
  '\r\n',
  ', ',
];

const change = fc.record({
  at: fc.nat(),
  removed: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 30 })),
  added: fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 3 }),
});

const changed = (
  text: string,
  { at, removed, added }: typeof change extends fc.Arbitrary<infer T> ? T : never,
): string => {
  const from = at % (text.length + 1);
  return text.slice(0, from) + added.join('') + text.slice(from + removed);
};

/**
 * Goal: what is read of a change is what is read of the whole text.
 * Method: random changes one after the other, most of which break something, each read on from the reading before, and
 * anew.
 */
describe('a text that is read again after a change', () => {
  test.each([
    ['in blocks', nightly],
    ['of all sorts', mixed],
  ])('%s is what it is when it is read as a whole', (_, first) => {
    let reused = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let text = first;
        const reader = new DocumentReader();
        readText(text, {}, reader);
        for (const one of changes) {
          const next = changed(text, one);
          const tokens = tokensAgain(text, next);
          if (tokens !== undefined) reused++;
          expect(tokens ?? tokensOf(next)).toEqual(tokensOf(next));
          expect(seen(readText(next, {}, reader))).toEqual(seen(readText(next)));
          text = next;
        }
      }),
      { numRuns: 25 },
    );
    expect(reused).toBeGreaterThan(10);
  });

  const before = mixed.replace('# which one', '');

  test.each([
    ['no comment', 'comment'],
    ["it''s", 'is'],
    ['not an item', 'no item'],
    ['b: 2', 'b: 3'],
    ['- { id: c', '- { id: d, if: true }\n- { id: c'],
    ['# of all sorts', '# of others\n\n'],
    ['workflow: mixed', 'qworkflow: other\n# what else\ninputs:\n  a: { type: integer }\n'],
    ['workflow: mixed\n', ''],
  ])('is read again in the one part that has changed: %j is now %j', (from, to) => {
    const after = before.replace(from, to);
    expect(tokensAgain(before, after)).toEqual(tokensOf(after));
  });

  test.each([
    ['[1, 2] }', '[1, 2]'],
    ['"a #', 'a #'],
    ['workflow: mixed', 'workflow: "mixed'],
    ['workflow: mixed', 'workflow: [mixed'],
    ['# of all sorts', '%YAML 1.2'],
    ['# of all sorts', '- of all sorts'],
    ['- id: b', ' - id: b'],
    ['set:\n      b: 2', 'set:\n\tb: 2'],
  ])('is read as a whole where the change reaches further: %j is now %j', (from, to) => {
    expect(before).toContain(from);
    expect(tokensAgain(before, before.replace(from, to))).toBeUndefined();
  });

  test('is read as a whole where a bracket is open above the change, or begins right below the steps', () => {
    const open = "workflow: w\nsteps:\n- set: {' a: 1 }\n\n- id: b\n  set: { a: 1 }\n";
    expect(tokensAgain(open, open.replace('- id', '-  id'))).toBeUndefined();
    const below = 'steps:\n- id: a\n  set: { b: 1 }\n\n{ c: 1 }\n';
    expect(tokensAgain(below, below.replace('id: a', 'id: b'))).toBeUndefined();
    const closed = open.replace("'", '');
    expect(tokensAgain(closed, closed.replace('id: b', 'id: c'))).toEqual(tokensOf(closed.replace('id: b', 'id: c')));
  });

  test('keeps what was read of the steps that have not changed', () => {
    const reader = new DocumentReader();
    const stepsOf = (text: string) => {
      const { value } = readText(text, {}, reader).document;
      return isObject(value) && Array.isArray(value['steps']) ? value['steps'] : [];
    };
    const first = stepsOf(mixed);
    const second = stepsOf(mixed.replace('some text', 'some other text'));
    expect(first.map((one, i) => one === second[i])).toEqual([true, false, true]);
  });

  test('is read again in its part after texts that could not be read in parts', () => {
    const reader = new DocumentReader();
    const read = (text: string) => seen(readText(text, {}, reader));
    for (const text of [mixed, mixed.replace('"a #', 'a #'), mixed.replace('some text', 'one'), mixed])
      expect(read(text)).toEqual(seen(readText(text)));
  });
});
