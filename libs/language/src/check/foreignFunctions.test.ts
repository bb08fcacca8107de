import { compileCondition, foreignFunctions, foreignHint, functions, macros } from '@baton/expressions';
import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const own = new Set([...functions.keys(), ...macros.keys()]);

test('No name of the table is a function of Baton.', () => {
  const table = [...foreignFunctions.keys()];
  expect(table.filter((name) => own.has(name))).toEqual([]);
  expect(table.length).toBeGreaterThan(300);
});

test('What a hint says to write can be written.', () => {
  const written = [...new Set(foreignFunctions.values())].filter((here) => !own.has(here));
  expect(written.length).toBeGreaterThan(40);
  for (const source of written) expect(() => compileCondition(source, '')).not.toThrow();
});

describe('A function of another language gets the hint of its table', () => {
  test.each([
    ['avg(inputs.l)', 'did you mean "average"?'],
    ['inputs.t.match("a")', 'did you mean "matches"?'],
    ['regex.match(inputs.t, "a")', 'did you mean "matches"?'],
    ['re.sub("a", "b", inputs.t)', 'did you mean "regex.replace"?'],
    ['sets.contains([1, 2], [1])', 'write `b.all(x, x in a)`'],
    ['Object.keys(inputs.m)', 'did you mean "keys"?'],
    ['JSON.parse(inputs.t)', 'did you mean "fromJson"?'],
    ['math.pow(2, 3)', 'write `x * x`'],
    ['hash(inputs.t)', 'did you mean "sha256"?'],
    ['coalesce(inputs.t, "a")', 'write `default(a.b, c)`'],
    ['to_entries(inputs.m)', 'did you mean "entries"?'],
    ['flat_map(inputs.l)', 'write `list.map(x, x.items).flatten()`'],
    ['if(true, 1, 2)', 'write `condition ? a : b` for `if`'],
    ['inputs.t.sha_1()', 'did you mean "sha1" or "sha512"?'],
  ])('%s', (source, hint) => {
    const file = { workflow: 'w', inputs: { l: {}, t: {}, m: {} }, steps: [{ set: { a: `\${{ ${source} }}` } }] };
    expect(checkWorkflow(JSON.stringify(file)).findings.map((one) => one.hint)).toEqual([hint]);
  });

  test('An item that is called like a foreign namespace keeps its functions.', () => {
    expect(foreignHint('object.keys')).toBe('did you mean "keys"?');
    expect(compileCondition('[{"a": 1}].map(object, object.keys())', '').evaluate({})).toEqual([['a']]);
  });
});
