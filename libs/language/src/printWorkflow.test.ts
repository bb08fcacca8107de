import { hasInvisible } from '@baton/primitives';
import { array, assert, constantFrom, dictionary, property } from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import type { Workflow } from './document/workflow.ts';
import { printWorkflow } from './printWorkflow.ts';

/**
 * Goal: a printed workflow is the same workflow when it is read, and shows each character that a person does not see.
 * Method: texts and keys of words, line ends, quotes, emoji and invisible characters.
 */
test('a printed workflow has escapes in place of what is not seen, and means the same', () => {
  const piece = constantFrom(
    'a',
    'word ',
    '\n',
    '"',
    "'",
    '\\',
    ': ',
    '#',
    '\u202E',
    '\u{E0041}',
    '\u200B',
    '\r',
    '\u0085',
    '👩\u200D🔧',
    '\u001B[m',
    '\u2028',
    ' '.repeat(9),
    'x'.repeat(90),
  );
  const text = array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  assert(
    property(dictionary(text, text, { maxKeys: 4 }), (inputs) => {
      const workflow = { workflow: 'printed', steps: [{ id: 'it', set: inputs }] } as unknown as Workflow;
      const printed = printWorkflow(workflow);
      expect(hasInvisible(printed)).toBe(false);
      expect(parse(printed)).toEqual(workflow);
    }),
    { numRuns: 300 },
  );
});
