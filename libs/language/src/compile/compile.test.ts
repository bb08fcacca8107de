import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';
import type { Block, Plan, Step } from '../plan.ts';
import { type CompileOptions, compile } from './compile.ts';
import { compileTriggers } from './triggers.ts';

const planOf = (text: string, options?: CompileOptions): Plan => {
  const { workflow, findings } = checkWorkflow(text);
  if (workflow === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return compile(workflow, options);
};

const stepsOf = (steps: string, options?: CompileOptions): readonly Step[] =>
  planOf(`workflow: w\ninputs: { n: { type: integer, default: 1 } }\nsteps:\n${steps}`, options).steps.steps;

const only = (steps: string, options?: CompileOptions): Step => {
  const [step] = stepsOf(steps, options);
  if (step === undefined) throw new Error('no step');
  return step;
};

describe('the example of the language page', () => {
  const text = readFileSync(new URL('../../fixtures/nightly-report.workflow.yaml', import.meta.url), 'utf8');
  const plan = planOf(text);

  test('[L-002] compiles, steps in their order', () => {
    expect(plan.steps.steps.map(({ key, verb }) => `${key}: ${verb}`)).toEqual([
      'repos: tool',
      'scans: forEach',
      'style: prompt',
      'rank: sample',
      'switch-5: switch',
    ]);
    expect([plan.onFailure?.steps.length, plan.finally?.steps.length]).toEqual([1, 1]);
  });

  test('[L-042] has its limits in milliseconds and numbers', () => {
    expect(plan).toMatchObject({ timeoutMs: 2_700_000, budget: { usd: 1.5, tokens: 200_000, toolCalls: 500 } });
    expect(plan.concurrency).toMatchObject({ limit: 1, whenFull: 'queue' });
    expect(plan.concurrency?.key.evaluate({ inputs: { org: 'acme' } })).toBe('acme');
  });

  test('collects from each item', () => {
    const scans = plan.steps.steps[1];
    expect(scans).toMatchObject({
      verb: 'forEach',
      as: 'repo',
      maxParallel: 8,
      onItemError: 'collect',
      distribute: false,
    });
    const scope = { repo: { name: 'a' }, steps: { scan: { output: { findings: [1] } } } };
    expect(scans?.verb === 'forEach' && scans.collect?.evaluate(scope)).toEqual({ repo: 'a', findings: [1] });
  });

  test('knows how to find out, and how to take back', () => {
    const choice = plan.steps.steps[4];
    const ticket = choice?.verb === 'switch' ? choice.cases[0]?.block.steps[1] : undefined;
    expect(ticket).toMatchObject({
      key: 'ticket',
      effect: { effect: 'write', from: 'step' },
      ifUnknown: 'check',
      check: { block: { steps: [{ key: 'tool-1', server: 'jira', tool: 'search' }] } },
      undo: { steps: [{ key: 'tool-1', server: 'jira', tool: 'close_issue' }] },
    });
  });

  test('[L-031 L-035 L-036 L-038 L-039 L-040] has its triggers', () => {
    const { workflow } = checkWorkflow(text);
    expect(workflow && compileTriggers(workflow)).toMatchObject([
      {
        kind: 'schedule',
        key: 'schedule-1',
        times: '0 6 * * 1-5',
        timezone: 'Europe/Berlin',
        overlap: 'skip',
        catchUp: 'latest',
        catchUpWindowMs: 21_600_000,
        inputs: { constant: { value: { org: 'acme' } } },
      },
      {
        kind: 'webhook',
        key: 'webhook-ci',
        name: 'ci',
        secret: 'CI_HOOK',
        scheme: 'standard',
        if: { source: 'event.body.type == "release"' },
      },
      { kind: 'resource', key: 'resource-1', server: 'wiki', uri: 'wiki://policies/scan', debounceMs: 600_000 },
      { kind: 'tool', key: 'tool-1' },
      { kind: 'device', key: 'device-1' },
    ]);
  });
});

describe('where a workflow says nothing', () => {
  const builtIn = { attempts: 3, backoff: 'exponential', delayMs: 1_000, maxDelayMs: 60_000, jitter: true };

  test('calls are tried three times, further and further apart', () => {
    expect(only('  - tool: a/b').retry).toEqual(builtIn);
  });

  test('what is no call is not', () => {
    expect(only('  - set: {}').retry.attempts).toBe(1);
    expect(only('  - parallel: [{ set: {} }]').retry.attempts).toBe(1);
  });

  test('[L-045] the workflow’s defaults come before, the step before both, field by field', () => {
    const text = 'workflow: w\ndefaults: { timeout: 9s, retry: { attempts: 5, jitter: false } }\nsteps:\n';
    const [tool, other, set] = planOf(
      `${text}  - tool: a/b\n    retry: { delay: 2s }\n  - tool: a/c\n    timeout: { idle: 1s }\n  - set: {}\n`,
    ).steps.steps;
    expect(tool?.retry).toEqual({ ...builtIn, attempts: 5, jitter: false, delayMs: 2_000 });
    expect([tool?.timeout, other?.timeout, set?.timeout]).toEqual([{ totalMs: 9_000 }, { idleMs: 1_000 }, {}]);
  });

  test('a delay that is asked for is not cut short by a limit that is not', () => {
    expect(only('  - tool: a/b\n    retry: { delay: 5m }').retry.maxDelayMs).toBe(300_000);
  });

  test.each<[string, object]>([
    ['  - tool: a/b', { effect: { effect: 'write', from: 'default' }, ifUnknown: 'fail', onError: 'fail', needs: [] }],
    [
      '  - forEach: [1]\n    steps: [{ set: {} }]',
      { as: 'item', maxParallel: 8, onItemError: 'fail', distribute: false },
    ],
    ['  - parallel: [{ set: {} }]', { maxParallel: 256 }],
    ['  - fail: no', { code: 'workflow-failed' }],
    [
      '  - sample: { append: hi }',
      { via: 'provider', request: { constant: { value: { messages: [], maxTokens: 1_024 } } } },
    ],
    ['  - ask: Go?', { form: { required: ['approve'], properties: { approve: { type: 'boolean' } } } }],
    ['  - workflow: other@3', { workflow: 'other', version: 3, with: { constant: { value: {} } } }],
    ['  - workflow: other', { workflow: 'other' }],
    ['  - wait: 90s', { for: { kind: 'duration', ms: 90_000 } }],
    [
      '  - wait: { signal: go, match: signal.ok, timeout: 1h }',
      { for: { kind: 'signal', name: 'go', timeoutMs: 3_600_000 } },
    ],
    ['  - repeat: { max: 3, every: 1s, until: index > 1, steps: [{ set: {} }] }', { max: 3, everyMs: 1_000 }],
    ['  - tool: files/dir/read.v2', { server: 'files', tool: 'dir/read.v2' }],
    [
      '  - resource: wiki\n    uri: wiki://{page}\n    with: { page: a }',
      { server: 'wiki', uri: { constant: { value: 'wiki://{page}' } } },
    ],
  ])('%s', (steps, expected) => {
    expect(only(steps)).toMatchObject(expected);
  });

  test('[L-080] effects come from the server configuration and the annotations', () => {
    const effects: CompileOptions['effects'] = (server, tool) =>
      server === 'a' && tool === 'get' ? { effect: 'read', from: 'annotations' } : undefined;
    const [get, put, told] = stepsOf('  - tool: a/get\n  - tool: a/put\n  - tool: a/get\n    effect: idempotent', {
      effects,
    });
    expect([get, put, told].map((one) => one?.verb === 'tool' && one.effect)).toEqual([
      { effect: 'read', from: 'annotations' },
      { effect: 'write', from: 'default' },
      { effect: 'idempotent', from: 'step' },
    ]);
  });
});

describe('keys', () => {
  /** Keys of all steps whose states live in one frame, as the engine finds them. */
  const frameKeys = (block: Block): string[] =>
    block.steps.flatMap((step): string[] => {
      if (step.verb === 'parallel') return [step.key, ...frameKeys({ pointer: '', steps: step.steps })];
      return step.verb === 'switch' ? [step.key, ...step.cases.flatMap((one) => frameKeys(one.block))] : [step.key];
    });

  test('are unique in a frame, with ids and without', () => {
    const plan = planOf(
      [
        'workflow: w',
        'steps:',
        '  - set: {}',
        '  - parallel:',
        '      - set: {}',
        '      - { id: a, set: {} }',
        '      - switch: [{ when: run.version == 1, steps: [{ set: {} }] }, { else: [{ set: {} }, { set: {} }] }]',
        '  - switch: [{ when: run.version == 1, steps: [{ set: {} }] }, { else: [{ set: {} }] }]',
      ].join('\n'),
    );
    const keys = frameKeys(plan.steps);
    expect(keys).toEqual([
      'set-1',
      'parallel-2',
      'parallel-2.set-1',
      'a',
      'parallel-2.switch-3',
      'parallel-2.switch-3.1.set-1',
      'parallel-2.switch-3.2.set-1',
      'parallel-2.switch-3.2.set-2',
      'switch-3',
      'switch-3.1.set-1',
      'switch-3.2.set-1',
    ]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('every pointer leads to its step', () => {
    const [step] = stepsOf(
      '  - forEach: [1]\n    steps:\n      - tool: a/b\n        onError: [{ match: [timeout], steps: [{ set: {} }] }]\n        undo: { set: {} }',
    );
    const inner = step?.verb === 'forEach' ? step.body.steps[0] : undefined;
    const handler = typeof inner?.onError === 'object' ? inner.onError[0] : undefined;
    expect([inner?.pointer, handler?.block.steps[0]?.pointer, inner?.undo?.steps[0]?.pointer]).toEqual([
      '/steps/0/steps/0',
      '/steps/0/steps/0/onError/0/steps/0',
      '/steps/0/steps/0/undo',
    ]);
  });
});
