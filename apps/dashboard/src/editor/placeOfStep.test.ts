import { describe, expect, test } from 'vitest';

import { placeOfLastStep, placeOfStep } from './placeOfStep.ts';

const text = `workflow: brief
steps:
  - id: notes
    tool: files/read
    with: { path: a }

  - id: each
    forEach: steps.notes.lines
    steps:
      - tool: memory/add
        with:
          entities:
            - name: x
outputs: { n: 1 }`.split('\n');

const step = '- tool: shop/lookup\n  with:';

const inserted = (at: number): string[] => {
  const { line, text: added } = placeOfStep(text, at, step);
  return [text[line - 1] ?? '', ...added.split('\n'), text[line] ?? ''];
};

describe('a step that is dropped', () => {
  test.each([
    ['on the middle of a step goes after it', 3, ['    with: { path: a }', '  - tool: shop/lookup', '    with:', '']],
    [
      'on the first line of a step goes after it',
      2,
      ['    with: { path: a }', '  - tool: shop/lookup', '    with:', ''],
    ],
    ['on the head of a list becomes its first', 1, ['steps:', '  - tool: shop/lookup', '    with:', '  - id: notes']],
    [
      'in the body of a loop stays there, as deep as its neighbour',
      12,
      ['            - name: x', '      - tool: shop/lookup', '        with:', 'outputs: { n: 1 }'],
    ],
    [
      'on the head of a body becomes its first',
      8,
      ['    steps:', '      - tool: shop/lookup', '        with:', '      - tool: memory/add'],
    ],
    [
      'on the line of a loop goes after the loop',
      7,
      ['            - name: x', '  - tool: shop/lookup', '    with:', 'outputs: { n: 1 }'],
    ],
  ])('%s', (_, at, expected) => {
    expect(inserted(at)).toEqual(expected);
  });

  test('at the end goes after the last step, before what follows the steps', () => {
    expect(placeOfLastStep(text, step)).toEqual({ line: 13, text: '  - tool: shop/lookup\n    with:' });
    expect(placeOfLastStep(['workflow: a', 'steps:'], step).line).toBe(2);
  });
});
