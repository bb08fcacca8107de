import { describe, expect, test } from 'vitest';

import { placeOfLastStep, placeOfStep } from './placeOfStep.ts';

const text = `workflow: brief
title: A brief
steps:
  - id: notes
    tool: files/read
# Of the same step.
    with: { path: a }

  # Of the next step.
  - id: each
    forEach: steps.notes.lines
    steps:
      - tool: memory/add
        with:
          entities:
            - name: x

outputs: { n: 1 }
`.split('\n');

const step = '- tool: shop/lookup\n  with:';

/** The lines of the step, with the line before and the line after it. */
const insertedInto = (lines: readonly string[], at: number): string[] => {
  const { line, text: added } = placeOfStep(lines, at, step);
  return [lines[line - 1] ?? '', ...added.split('\n'), lines[line] ?? ''];
};

describe('a step that is dropped', () => {
  const afterNotes = ['    with: { path: a }', '  - tool: shop/lookup', '    with:', ''];
  const atTheEnd = ['            - name: x', '  - tool: shop/lookup', '    with:', ''];

  test.each([
    ['on the first line of a step goes after it', 'id: notes', afterNotes],
    ['on the middle of a step goes after it', 'files/read', afterNotes],
    ['on a comment within a step goes after the step', '# Of the same', afterNotes],
    [
      'on the head of a list becomes its first',
      /^steps:/,
      ['steps:', '  - tool: shop/lookup', '    with:', '  - id: notes'],
    ],
    [
      'in the body of a loop stays there, as deep as its neighbour',
      'entities',
      ['            - name: x', '      - tool: shop/lookup', '        with:', ''],
    ],
    [
      'on the head of a body becomes its first',
      /^ +steps:/,
      ['    steps:', '      - tool: shop/lookup', '        with:', '      - tool: memory/add'],
    ],
    ['on the line of a loop goes after the loop', 'forEach', atTheEnd],
    ['on a line of no step becomes the last step', 'title:', atTheEnd],
    ['on what follows the steps becomes the last step', 'outputs:', atTheEnd],
  ])('%s', (_, on, expected) => {
    expect(
      insertedInto(
        text,
        text.findIndex((line) => line.search(on) >= 0),
      ),
    ).toEqual(expected);
  });

  test('on a blank line goes after the step above it; below all steps it becomes the last one', () => {
    expect(insertedInto(text, text.indexOf(''))).toEqual(afterNotes);
    expect(insertedInto(text, text.indexOf('outputs: { n: 1 }') - 1)).toEqual(atTheEnd);
    expect(insertedInto(text, text.length - 1)).toEqual(atTheEnd);
  });

  test('becomes the first of a body that is empty, and not one of the list around it', () => {
    const empty = ['steps:', '  - forEach: [1]', '    steps:', '  - id: b'];
    expect(insertedInto(empty, 2)).toEqual(['    steps:', '      - tool: shop/lookup', '        with:', '  - id: b']);
  });

  test('stands as deep as the items of a list that is not indented', () => {
    const flat = ['steps:', '- id: a', '  set: { n: 1 }', 'outputs: { n: 1 }'];
    const last = ['  set: { n: 1 }', '- tool: shop/lookup', '  with:', 'outputs: { n: 1 }'];
    expect(insertedInto(flat, 2)).toEqual(last);
    expect(insertedInto(flat, 3)).toEqual(last);
    expect(insertedInto(flat, 0)).toEqual(['steps:', '- tool: shop/lookup', '  with:', '- id: a']);
  });
});

test('a step that is chosen becomes the last one of the list, which begins with it if there is none', () => {
  const place = placeOfLastStep(text, step);
  expect([text[place.line - 1], place.text]).toEqual(['            - name: x', '  - tool: shop/lookup\n    with:']);
  expect(placeOfLastStep(['workflow: a', 'steps:'], step).line).toBe(2);
  expect(placeOfLastStep(['workflow: a'], step)).toEqual({ line: 1, text: `steps:\n  - tool: shop/lookup\n    with:` });
});
