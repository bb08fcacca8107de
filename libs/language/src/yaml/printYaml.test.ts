import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { printYaml } from './printYaml.ts';

test('any text of blanks, line ends and letters is the same when its YAML is read', () => {
  const text = array(constantFrom(' ', '   ', '\t', '\n', 'a', '#'), { maxLength: 7 }).map((pieces) => pieces.join(''));
  assert(
    property(text, text, (key, value) => {
      const printed = { steps: [{ set: { [key]: value, list: [value] } }] };
      for (const lineWidth of [0, 120]) expect(parse(printYaml(printed, lineWidth))).toEqual(printed);
    }),
    { numRuns: 200 },
  );
});
