import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';
import { known } from '../testing/offers.ts';

const example = readFileSync(new URL('../../fixtures/nightly-report.workflow.yaml', import.meta.url), 'utf8');

const errorsOf = (text: string): (string | number)[][] =>
  checkWorkflow(text)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code, line }) => [line, code]);

const head = 'workflow: w\ninputs: { org: { type: string }, all: { type: array } }\nsteps:\n';

/**
 * Goal: nothing is told that is wrong only because of what was taken for granted.
 * Method: a file without a mistake, and one slip of the finger in each of its keys in turn.
 */
describe('one slip in a key of the example', () => {
  const words =
    'tool|prompt|sample|ask|set|forEach|switch|steps|with|when|else|onError|undo|check|happened|collect|as|form|retry|timeout|budget|schedule|webhook|onFailure|finally|outputs|inputs|concurrency|defaults|effect|ifUnknown|output|messages|append';
  const keys = [...example.matchAll(new RegExp(`^.*?(?:^|- |\\{ | )(${words}):`, 'gm'))];

  test('is tried in many places', () => {
    expect(keys.length).toBeGreaterThan(40);
  });

  test.each(keys.map((match) => [match[0].trim(), match] as const))('%s', (_, match) => {
    const end = match.index + match[0].length - 1;
    const line = example.slice(0, end).split('\n').length;
    const errors = errorsOf(`${example.slice(0, end)}x${example.slice(end)}`);
    expect(errors.map(([where]) => where)).toEqual([line]);
  });
});

describe('the inside of a step with a broken verb is checked', () => {
  test.each<[string, string, (string | number)[][]]>([
    [
      'of a step inside a step, both misspelled',
      '  - forEech: "${{ inputs.all }}"\n    as: one\n    steps:\n      - tol: s/t\n        with: { a: "${{ oen }}" }\n        retry: 3\n',
      [
        [4, 'missing-verb'],
        [7, 'missing-verb'],
        [8, 'unknown-name'],
        [9, 'wrong-type'],
      ],
    ],
    [
      'under the word of another tool, whose form is not ours',
      '  - llm: { model: x, temprature: hot }\n  - loop: { in: 1 }\n    do:\n      - set: { a: "${{ inputs.orgg }}" }\n',
      [
        [4, 'missing-verb'],
        [4, 'unknown-key'],
        [4, 'unknown-key'],
        [5, 'missing-verb'],
        [6, 'unknown-key'],
        [7, 'unknown-field'],
      ],
    ],
    [
      'in a loop written as a property of a call',
      '  - id: a\n    forEach: "${{ inputs.all }}"\n    if: inputs.org != ""\n    tool: s/t\n    with: { a: "${{ item }}", b: "${{ inputs.og }}" }\n  - set: { b: "${{ steps.a.output }}" }\n',
      [
        [7, 'two-verbs'],
        [8, 'unknown-field'],
      ],
    ],
    [
      'in a step of two verbs, of which it is unknown what it gives',
      '  - id: a\n    ask: "${{ inputs.og }}?"\n    form: { ok: { type: boolean } }\n    tool: s/t\n    with: { b: "${{ inputs.ogr }}" }\n  - set: { b: "${{ steps.a.missing }}" }\n',
      [
        [5, 'unknown-field'],
        [7, 'two-verbs'],
        [8, 'unknown-field'],
      ],
    ],
    [
      'where the verb is something else than it should be',
      '  - id: a\n    tool: { server: s, name: t }\n    with: { a: "${{ inputs.og }}" }\n  - forEach: 5\n    steps:\n      - set: { a: "${{ item.b.c }}", b: "${{ inputs.ogr }}" }\n',
      [
        [5, 'wrong-type'],
        [6, 'unknown-field'],
        [7, 'wrong-type'],
        [9, 'unknown-field'],
      ],
    ],
    [
      'in maps where lists belong',
      '  - switch:\n      when: inputs.orgg == ""\n      steps: { tool: s/t, with: { a: "${{ inputs.og }}" } }\n      else: [{ fial: x }]\n  - parallel:\n      one: { tol: s/t }\n      two: { set: { a: "${{ inputs.ogr }}" } }\n',
      [
        [4, 'wrong-type'],
        [5, 'unknown-field'],
        [6, 'wrong-type'],
        [6, 'unknown-field'],
        [7, 'missing-verb'],
        [8, 'wrong-type'],
        [9, 'missing-verb'],
        [10, 'unknown-field'],
      ],
    ],
    [
      'beside a `repeat` that should hold it',
      '  - until: steps.look.output.ok\n    max: 5\n    steps:\n      - id: look\n        tool: s/t\n        with: { a: "${{ inputs.ogr }}" }\n',
      [
        [4, 'missing-verb'],
        [9, 'unknown-field'],
      ],
    ],
    [
      'as far as a case with an `else` of its own goes',
      '  - switch:\n      - when: inputs.org == "a"\n        steps: [{ tol: s/t }]\n        else: [{ set: { a: "${{ inputs.ogr }}" } }]\n',
      [
        [6, 'missing-verb'],
        [7, 'conflicting-keys'],
        [7, 'unknown-field'],
      ],
    ],
  ])('%s', (_, steps, expected) => {
    expect(errorsOf(head + steps)).toEqual(expected);
  });

  test('also against the servers, at the place where it was written', () => {
    const { findings, report } = checkWorkflow(
      'workflow: w\nsteps:\n  - id: a\n    tol: github/list_repos\n  - tool: 5\n    with: { a: 1 }\n',
      known,
    );
    expect(findings.map(({ code, line, column }) => [code, line, column])).toEqual([
      ['missing-verb', 4, 5],
      ['unknown-tool', 4, 10],
      ['wrong-type', 5, 11],
    ]);
    expect(report?.calls.map(({ line }) => line)).toEqual([4]);
  });
});
