/** What the language page says of a file, where no other test of this room shows it. Cites its rows. */
import { compileCondition, type Scope } from '@baton/expressions';
import { describe, expect, test } from 'vitest';

import { compile } from './compile/compile.ts';
import { compileTriggers } from './compile/triggers.ts';
import { durationMs } from './document/duration.ts';
import { verbs } from './document/step.ts';
import { checkWorkflow } from './parseWorkflow.ts';
import type { Plan } from './plan.ts';

const codesIn = (text: string): string[] => checkWorkflow(text).findings.map(({ code }) => code);
const codesOf = (steps: string): string[] =>
  codesIn(`workflow: w\nstate: { a: { type: integer, default: 0 } }\nsteps:\n${steps}`);

function planOf(text: string): Plan {
  const { workflow, findings } = checkWorkflow(text);
  if (workflow === undefined) throw new Error(findings[0]?.message);
  return compile(workflow);
}

describe('a step', () => {
  const written: Readonly<Record<string, string>> = {
    tool: 'tool: a/b',
    prompt: 'prompt: a/b',
    resource: 'resource: a, uri: "x://y"',
    sample: 'sample: { append: Hello }',
    ask: 'ask: Shall we?',
    wait: 'wait: 5m',
    set: 'set: { a: 1 }',
    state: 'state: { a: 1 }',
    workflow: 'workflow: other',
    parallel: 'parallel: [{ set: {} }]',
    forEach: 'forEach: [1], steps: [{ set: {} }]',
    switch: 'switch: [{ else: [{ set: {} }] }]',
    repeat: 'repeat: { max: 1, steps: [{ set: {} }] }',
    fail: 'fail: Enough',
    steps: 'steps: [{ set: {} }]',
  };

  test('[L-014] has one of fifteen verbs', () => {
    expect(Object.keys(written)).toEqual(verbs);
    for (const step of Object.values(written)) expect(codesOf(`  - { ${step} }`)).toEqual([]);
  });

  test('[L-012] has exactly one verb, whichever two are put together', () => {
    const pairs = Object.entries(written).flatMap(([verb, one]) =>
      Object.entries(written)
        .filter(([other, another]) => verb !== other && !(one + another).includes('steps:'))
        .map(([, another]) => `  - { ${one}, ${another} }`),
    );
    expect(pairs.length).toBeGreaterThan(80);
    for (const pair of pairs) expect(codesOf(pair)).toEqual(['two-verbs']);
    expect(codesOf('  - { id: none }')).toEqual(['missing-verb']);
  });

  test('[L-013] is referred to by its id', () => {
    const { steps } = planOf(
      'workflow: w\nsteps:\n  - { id: a, set: { n: 1 } }\n  - { set: { m: "${{ steps.a.n }}" } }\n',
    );
    expect(steps.steps.map(({ key }) => key)).toEqual(['a', 'set-2']);
    expect(codesOf('  - { set: { n: 1 } }\n  - { set: { m: "${{ steps.a.n }}" } }')).toEqual(['unknown-step']);
  });

  test('[L-015] takes the keys that all have, and no key that would mean nothing on it', () => {
    for (const step of Object.values(written)) {
      expect(codesOf(`  - { ${step}, id: one, title: One, if: 1 < size(run.id) }`)).toEqual([]);
    }
    for (const verb of ['set', 'ask', 'wait', 'parallel', 'switch', 'repeat', 'fail'] as const) {
      for (const key of ['retry: { attempts: 2 }', 'effect: read', 'key: a', 'ifUnknown: retry']) {
        expect(codesOf(`  - { ${written[verb]}, ${key} }`)).toEqual(['key-not-for-verb']);
      }
    }
  });

  test('[L-018] has bare conditions', () => {
    expect(codesOf('  - { set: {}, if: "run.version == 1" }')).toEqual([]);
    expect(codesOf('  - { set: {}, if: "${{ run.version == 1 }}" }')).toEqual(['expression-braces']);
    expect(codesOf('  - { repeat: { max: 2, until: "${{ true }}", steps: [{ set: {} }] } }')).toEqual([
      'expression-braces',
    ]);
    expect(codesOf('  - { switch: [{ when: "${{ true }}", steps: [] }] }')).toEqual(['expression-braces']);
    expect(codesOf('  - { wait: { signal: go, match: "${{ true }}" } }')).toEqual(['expression-braces']);
  });
});

describe('a name', () => {
  test('[L-021] of a tool begins with the alias of a server, and says nothing of how to reach it', () => {
    const [step] = planOf('workflow: w\nsteps: [{ tool: git.hub_1/a/b }]').steps.steps;
    expect(step).toMatchObject({ server: 'git.hub_1', tool: 'a/b' });
    for (const target of ['https://example.com/a', '/a', 'a/', 'a']) {
      expect(codesOf(`  - { tool: "${target}" }`)).toEqual(['bad-name']);
    }
    expect(codesOf('  - { tool: a/b, url: "https://example.com" }')).toEqual(['unknown-key']);
  });

  test('[L-026] of a key is in camelCase, and a slip is told with what was meant', () => {
    const { findings } = checkWorkflow('workflow: w\nsteps: [{ for_each: [1], steps: [{ set: {} }] }]');
    expect(findings[0]?.hint ?? '').toContain('forEach');
    expect(checkWorkflow('workflow: w\non_failure: []\nsteps: [{ set: {} }]').findings[0]?.hint).toContain('onFailure');
  });

  test('[L-030] of a workflow is lower case letters, digits and hyphens, at most 63 of them', () => {
    for (const id of ['a', '0', 'nightly-report', 'a'.repeat(63)])
      expect(codesIn(`workflow: "${id}"\nsteps: [{ set: {} }]`)).toEqual([]);
    for (const id of ['A', '-a', 'a_b', 'ä', 'a'.repeat(64)]) {
      expect(codesIn(`workflow: "${id}"\nsteps: [{ set: {} }]`)).toEqual(['bad-name']);
    }
  });
});

test('[L-027] durations are a whole number and a unit', () => {
  expect(['250ms', '30s', '5m', '2h', '7d'].map(durationMs)).toEqual([250, 30_000, 300_000, 7_200_000, 604_800_000]);
  expect(['5', '5 m', '1.5h', '-5m', '5M', 'PT5M', '1h30m', ''].map(durationMs)).toEqual(Array(8).fill(undefined));
});

describe('a trigger', () => {
  const triggersOf = (on: string): ReturnType<typeof compileTriggers> => {
    const { workflow, findings } = checkWorkflow(
      `workflow: w\non:\n  - ${on}\ninputs: { day: { type: string, default: today } }\nsteps: [{ set: {} }]`,
    );
    if (workflow === undefined) throw new Error(findings[0]?.message);
    return compileTriggers(workflow);
  };

  test('[L-031 L-032 L-033] by the clock is in UTC, skips while a run is under way, and catches nothing up, unless told otherwise', () => {
    expect(triggersOf('{ schedule: "0 6 * * *" }')).toMatchObject([
      { timezone: 'UTC', overlap: 'skip', catchUp: 'none' },
    ]);
    const told = '{ schedule: "0 0 6 * * *", timezone: Asia/Tokyo, overlap: queue, catchUp: all, catchUpWindow: 6h }';
    expect(triggersOf(told)).toMatchObject([
      { timezone: 'Asia/Tokyo', overlap: 'queue', catchUp: 'all', catchUpWindowMs: 21_600_000 },
    ]);
    expect(codesIn('workflow: w\non: [{ schedule: "* * * *" }]\nsteps: [{ set: {} }]')).toEqual(['cron-syntax']);
  });

  test('[L-034] gives the run its inputs, from the event', () => {
    const [trigger] = triggersOf('{ webhook: a, secret: S, inputs: { day: "${{ event.body.day }}" } }');
    const event = { body: { day: 'Monday' }, headers: {}, query: {} };
    expect(trigger !== undefined && 'inputs' in trigger && trigger.inputs?.evaluate({ event })).toEqual({
      day: 'Monday',
    });
  });
});

test('[L-104] expressions that read nothing are tried beforehand, and share what may be spent on that', () => {
  const endless = '${{ size(range(900).map(x, range(900).map(y, x * y))) }}';
  const steps = Array.from({ length: 400 }, (_, i) => `  - set: { v: "${endless}", w: ${i} }`);
  const { findings } = checkWorkflow(`workflow: w\nsteps:\n${steps.join('\n')}\n`);
  expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(['expression-fails']));
  expect(findings.length).toBeLessThan(5);
});

test('[L-104] the expressions of a file are together no larger than can be compiled in one go', () => {
  const steps = Array.from(
    { length: 60 },
    (_, i) => `  - set: { v: "\${{ run.version${' + 1'.repeat(240)} + ${i} }}" }`,
  );
  const findingsOf = (count: number): readonly string[] =>
    checkWorkflow(`workflow: w\nsteps:\n${steps.slice(0, count).join('\n')}\n`).findings.map(({ code }) => code);
  expect(findingsOf(50)).toEqual([]);
  expect(findingsOf(60)).toEqual(['expression-too-large']);
});

describe('an expression', () => {
  const evaluate = (source: string, scope: Scope = {}): unknown => compileCondition(source, '').evaluate(scope);

  test('[L-101] hands integers back as JSON numbers', () => {
    expect(evaluate('[1, size("abc"), 7 / 2, {"a": 2}]')).toEqual([1, 3, 3, { a: 2 }]);
  });

  test('[L-102] may ask for what may be missing', () => {
    const scope = { inputs: { a: { b: 1 } } };
    expect(['inputs.?a.?b.orValue(2)', 'inputs.?x.?b.orValue(2)'].map((one) => evaluate(one, scope))).toEqual([1, 2]);
  });

  test('[L-110] has no clock and nothing random, and gives the same again', () => {
    for (const call of ['now()', 'random()', 'uuid()', 'today()', 'rand(1)', 'timestamp()']) {
      expect(codesOf(`  - { set: { v: "\${{ ${call} }}" } }`)).toHaveLength(1);
    }
    const source = 'inputs.all.map(i, sha256(string(i)))';
    expect(evaluate(source, { inputs: { all: [1, 2] } })).toEqual(evaluate(source, { inputs: { all: [1, 2] } }));
  });

  test.each([
    ['inputs', '  - { set: { v: "${{ inputs }}" } }', []],
    ['steps', '  - { id: a, set: {} }\n  - { set: { v: "${{ steps.a.status }}" } }', []],
    [
      'run',
      '  - { set: { v: "${{ [run.id, run.workflow, string(run.version), run.startedAt, run.trigger.kind] }}" } }',
      [],
    ],
    ['error, outside a handler', '  - { set: { v: "${{ error.code }}" } }', ['unknown-name']],
    ['error, in a handler', '  - { tool: a/b, onError: [{ set: { v: "${{ [error.code, error.message] }}" } }] }', []],
    ['the item and index, in forEach', '  - { forEach: [1], as: n, steps: [{ set: { v: "${{ n + index }}" } }] }', []],
    ['the item, outside', '  - { set: { v: "${{ item }}" } }', ['unknown-name']],
    ['index, in repeat', '  - { repeat: { max: 2, steps: [{ set: { v: "${{ index }}" } }] } }', []],
    ['event, in steps', '  - { set: { v: "${{ event.body }}" } }', ['unknown-name']],
  ])('[L-106] sees %s as far as it is there', (_, steps, codes) => {
    expect(codesOf(steps)).toEqual(codes);
  });

  test('[L-107] sees secrets inside the `with` of a tool, and nowhere else', () => {
    expect(codesOf('  - { tool: a/b, with: { token: "Bearer ${{ secrets.KEY }}" } }')).toEqual([]);
    for (const step of [
      'set: { v: "${{ secrets.KEY }}" }',
      'prompt: a/b, with: { v: "${{ secrets.KEY }}" }',
      'tool: a/b, key: "${{ secrets.KEY }}"',
      'tool: a/b, if: secrets.KEY != ""',
      'ask: "${{ secrets.KEY }}"',
    ]) {
      expect(codesOf(`  - { ${step} }`)).toContain('secret-misplaced');
    }
  });
});

test('A write of state in a race is told, and one that begins after no other step has won is not.', () => {
  const race = (more: string): string => `workflow: w
state: { count: { type: integer, default: 0 } }
steps:
  - parallel: [{ state: { count: 1 } }, { steps: [{ wait: 1s }, { state: { count: 2 } }] }]
    until: first
    ${more}
`;
  const { findings } = checkWorkflow(race(''));
  expect(findings.filter(({ code }) => code === 'write-in-race').map(({ message }) => message)).toEqual(
    Array.from({ length: 2 }, () => expect.stringContaining('stays as it was written')),
  );
  expect(codesIn(race('maxParallel: 1'))).not.toContain('write-in-race');
});
