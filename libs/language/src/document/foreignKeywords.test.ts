import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

/** The hints for one step, or one file. */
const hints = (text: string): (string | undefined)[] =>
  checkWorkflow(text.startsWith('workflow') ? text : `workflow: w\nsteps:\n${text}\n`).findings.map(({ hint }) => hint);

const meant = (name: string): string => `did you mean "${name}"?`;

test.each([
  ['  - uses: github/list_issues', meant('tool')],
  ['  - { llm: { prompt: hi } }', meant('sample'), meant('append')],
  ['  - sleep: 5m', meant('wait')],
  ['  - { tool: s/t, args: { a: 1 } }', meant('with')],
  ['  - { tool: s/t, continueOnError: true }', meant('onError')],
  [
    'workflow: w\ninputs: { n: { type: integer } }\non: [{ schedule: 0 9 * * *, with: { n: 1 } }]\nsteps: [{ set: {} }]\n',
    meant('inputs'),
  ],
  ['  - { tool: s/t, retry: { max: 3 } }', meant('attempts')],
  ['  - { forEach: [1], concurrency: 1, steps: [{ set: {} }] }', meant('maxParallel')],
  ['  - { tool: s/t, retry: 3 }', '{ attempts: 3 }'],
  ['  - { tool: s/t, timeout: 30 }', '"30s" for seconds'],
  ['  - { tool: s/t, timeout: 1h30m }', meant('90m')],
  ['  - { tool: s/t, timeout: 500 milliseconds }', meant('500ms')],
  ['  - { tool: s/t, timeout: soon }', undefined],
  ['  - { tool: s/t, timeout: PT30S }', meant('30s')],
  ['  - { wait: P1DT2H }', meant('26h')],
  ['  - { wait: PT }', undefined],
  ['  - { tool: s/t, retires: 3 }', meant('retry')],
  ['  - { set: { x: 1 }, timout: 5s }', '`timeout` is meant, and means nothing on a step with `set`: take it away'],
  ['  - { ask: May I?, timout: 5s }', '`timeout` is meant, and means nothing on a step with `ask`: use `expires`'],
  [
    '  - { wait: { signal: s }, timout: 5s }',
    '`timeout` is meant, and means nothing on a step with `wait`: it belongs inside: `wait: { signal: …, timeout: … }`',
  ],
  ['  - { wait: { signal: s }, timeout: 5s }', 'it belongs inside: `wait: { signal: …, timeout: … }`'],
  ['  - { ask: May I?, timeout: 5s }', 'use `expires`'],
  [
    '  - { repeat: { max: 2, until: "true", steps: [{ set: { x: 1 } }] }, delay: 5s }',
    'it belongs inside: `repeat: { max: …, until: …, every: …, steps: … }`',
  ],
  ['  - { repeat: { max: 2, until: "true", delay: 5s, steps: [{ set: { x: 1 } }] } }', meant('every')],
  ['  - { set: { x: 1 }, xyzzy: 5s }', undefined],
  [
    'workflow: w\ninputs: { n: { type: string, required: true } }\nsteps: [{ set: {} }]\n',
    'a property is required as it is, unless it has `optional: true` or a default',
  ],
  [
    'workflow: w\nsteps: [{ set: {} }]\n\u00A0title: Hello\n',
    'it has the character U+00A0, which looks like a space and is none: write plain spaces',
  ],
  [
    '  - id: a\n  \u00A0 set: {}',
    'the line begins with the character U+00A0, which looks like a space and is none: write plain spaces',
  ],
  [
    '  - { set: { v: "${{ 1\u00A0+ 1 }}" } }',
    'this is the character U+00A0, which looks like a space and is none: write plain spaces',
  ],
  [
    'workflow: w\ninputs: { n: { count: int } }\nsteps: [{ set: {} }]\n',
    'for an object with this property, write `{ type: object, properties: { count: { type: integer } } }`',
  ],
  ['workflow: [', 'add the closing `]`'],
  ['  - { tool: s.t }', meant('s/t')],
  ['  - { id: say.hello, set: {} }', meant('say_hello')],
  ['  - { tool: s/t, onError: { match: [tool_failed], steps: [] } }', meant('tool-failed')],
  ['  - { switch: [{ default: [] }] }', meant('else')],
  ['  - { if: not run.id, set: {} }', 'write `!`'],
  ['  - { set: { v: "${{ run.id ?? 1 }}" } }', 'write `default(a, b)`'],
  ['  - { set: { v: "${{ run.id.toUpperCase() }}" } }', meant('upper')],
  ['  - { set: { v: "${{ run.trigger.split(\',\') }}" } }', 'did you mean its "kind"?'],
  [
    '  - { id: r, set: { a: [1], b: x } }\n  - { forEach: "${{ steps.r }}", steps: [{ set: {} }] }',
    'did you mean its "a"?',
  ],
  [
    'workflow: w\nsteps: [{ set: {} }]\non: [{ schedule: every day }]\n',
    '"0 6 * * 1-5": minute, hour, day, month, weekday; seconds before them',
  ],
  ['  - { wait: "${{ 5 }}m" }', 'wait for an instant: `wait: { until: "${{ timestamp(…) + duration(…) }}" }`'],
  ['  - { tool: a/b, onError: { match: timeout, steps: [] } }', '[timeout]'],
  ['  - { tool: a/b, onError: { match: { code: timeout }, steps: [] } }', '[timeout]'],
  ['workflow: w\nsteps: [{ set: {} }]\non: { tool: {} }\n', 'begin each item of the list with `- `'],
])('%s is answered with what was meant', (text, ...expected) => {
  expect(hints(text)).toEqual(expected);
});
