import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const hintsOf = (step: string): (string | undefined)[] =>
  checkWorkflow(`workflow: w\nsteps:\n  - ${step}\n`)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ hint }) => hint);

describe('A key that is a word of another tool gets what is written here.', () => {
  test.each([
    ['{ ask: Pay?, to: bob }', 'name the person in the text'],
    ['{ ask: Pay?, onTimeout: { approve: false }, expires: 1h }', 'did you mean "onExpire"?'],
    ['{ if: true, then: [{ set: { a: 1 } }], else: [{ set: { a: 2 } }] }', 'two branches are `switch:'],
    ['{ steps: [{ set: { a: 1 } }], else: [{ set: { a: 2 } }] }', 'two branches are `switch:'],
    ['{ forEach: "${{ [1] }}", while: true, steps: [{ set: { a: 1 } }] }', 'has no early end'],
    ['{ forEach: "${{ [1] }}", batch: 2, steps: [{ set: { a: 1 } }] }', 'chunk(list, 10)'],
    ['{ switch: [{ when: true, steps: [{ set: { a: 1 } }] }], default: [] }', '`- else: […]`'],
    ['{ tool: a/b, register: x }', 'give the step an `id`'],
    ['{ tool: a/b, rollback: { tool: a/c } }', 'did you mean "undo"?'],
    ['{ tool: a/b, depends_on: [x] }', 'from top to bottom'],
    ['{ sample: { append: Hi }, model: m }', 'modelPreferences'],
    ['{ wait: 5s, until: x }', '`wait: { until: … }`'],
    ['{ workflow: x, async: true }', '`await: false`'],
    ['{ try: [{ set: { a: 1 } }], catch: [] }', '`onError`'],
    ['{ return: 1 }', '`outputs`'],
  ])('%s', (step, hint) => {
    expect(hintsOf(step)).toEqual([expect.stringContaining(hint)]);
  });
});
