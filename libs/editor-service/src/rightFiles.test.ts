/** `check --fix` and `fixed` of `check_workflow` change no file that is right. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { checkWorkflow } from '@baton/language';
import { known } from '@baton/language/testing';
import { anyWorkflow } from '@baton/testing';
import { assert, constantFrom, integer, nat, property } from 'fast-check';
import { expect, test } from 'vitest';

import { fixAll, fixes, readText } from './index.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const filesIn = (folder: string): string[] =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
    .map((name) => readFileSync(`${root}${folder}/${name}`, 'utf8'));
const blocksOf = (page: string): string[] =>
  [...readFileSync(`${root}docs/${page}`, 'utf8').matchAll(/```yaml\n(workflow:[^]*?)```/g)].map(
    ([, text = '']) => text,
  );

const written = [
  ...filesIn('examples'),
  ...filesIn('libs/language/corpus'),
  ...filesIn('libs/language/fixtures'),
  ...['language.md', 'idioms.md', 'triggers.md', 'expressions.md'].flatMap(blocksOf),
];

const isRight = (text: string, options = {}): boolean =>
  !checkWorkflow(text, options).findings.some(({ severity }) => severity === 'error');

const rightFiles = written.filter((text) => isRight(text));

test.each([
  ['by itself', {}],
  ['against the servers', known],
])('No file of the corpus, the examples and the docs that is right %s is changed.', (_, options) => {
  const right = written.filter((text) => isRight(text, options));
  expect(right.length).toBeGreaterThan(50);
  for (const text of right) expect(fixAll(readText(text, options))).toEqual({ text, made: [] });
});

/**
 * Goal: what the check accepts is not corrected, also where it warns.
 * Method: random workflows of every verb; those without errors.
 */
test('No random workflow that is right is changed.', () => {
  assert(
    property(anyWorkflow, (document) => {
      const text = JSON.stringify(document);
      expect(isRight(text) ? fixAll(readText(text)).text : text).toBe(text);
    }),
  );
});

/** With spaces in their place. */
const withoutComments = (text: string): string => text.replaceAll(/(?<=^|\s)#.*/gm, (one) => ' '.repeat(one.length));

const wordAt = (text: string, at: number): string =>
  (/[\w-]*$/.exec(text.slice(0, at))?.[0] ?? '') + (/^[\w-]*/.exec(text.slice(at))?.[0] ?? '');

/**
 * Goal: a slip of the keyboard is corrected to what stood there before, or not at all.
 * Method: one letter of a right file is removed, doubled, exchanged with its neighbour or replaced. If the file is still
 * right, it is left as it is; if it is corrected so that it is right, it is the file from before, but for a name that is
 * spelled otherwise wherever it stands.
 */
test('A right file with one slip in it is left alone, or gets back what it had.', () => {
  const slips = constantFrom('remove', 'double', 'swap', 'replace');
  assert(
    property(constantFrom(...rightFiles), nat(), slips, integer({ min: 97, max: 122 }), (text, n, slip, code) => {
      const letters = [...withoutComments(text).matchAll(/[A-Za-z](?=[A-Za-z])/g)].map(({ index }) => index);
      const at = letters[n % letters.length] ?? 0;
      const [here = '', next = ''] = text.slice(at, at + 2);
      const other = { remove: '', double: here + here, swap: next + here, replace: String.fromCharCode(code) }[slip];
      const edited = text.slice(0, at) + other + text.slice(at + (slip === 'swap' ? 2 : 1));
      const { text: fixed } = fixAll(readText(edited));
      const misspelt = new RegExp(`(?<![\\w-])${wordAt(edited, at)}(?![\\w-])`, 'g');
      const renamed = fixed.replaceAll(misspelt, wordAt(text, at));
      const isAllowed = [edited, text].includes(fixed) || renamed === text || !isRight(fixed);
      expect([isRight(edited) && fixed !== edited, isAllowed ? '' : `${slip} at ${at}: ${fixed}`]).toEqual([false, '']);
    }),
    { numRuns: 300 },
  );
});

test('The result of `check` after a lost answer is read as the output of the call.', () => {
  const text = `workflow: w
steps:
  - id: made
    tool: github/create_issue
    with: { title: New }
    ifUnknown: check
    check: { tool: github/search, happened: size(result.output.items) > 0 }
outputs: { url: "\${{ steps.made.output.?items.orValue([]).map(i, i.url) }}", made: "\${{ steps.made.output.?url }}" }
`;
  const reading = readText(text, known);
  expect(checkWorkflow(text, known).findings).toEqual([]);
  expect(fixes(reading)).toEqual([]);
});
