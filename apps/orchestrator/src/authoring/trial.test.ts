import { simulateRun } from '@baton/control';
import { compile, parseWorkflow, type Plan } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import { nextAfterTrial } from './nextSteps.ts';

function planIn(source: string): Plan {
  const { workflow, findings } = parseWorkflow(source);
  if (workflow === undefined) throw new Error(findings.map(({ message }) => message).join(' '));
  return compile(workflow);
}

const paging = `workflow: pages
steps:
  - id: pages
    repeat:
      max: 50
      until: "!has(steps.page.output.nextCursor)"
      steps:
        - id: page
          tool: tracker/list
          effect: read
          with: { cursor: "\${{ steps.pages.?steps.?page.?output.?nextCursor }}" }
outputs: { rounds: "\${{ steps.pages.iterations }}" }
`;

const tracker = (next: object, required: string[] = []) =>
  new Map([['tracker/list', { type: 'object', properties: { items: { type: 'array' }, ...next }, required }]]);

test.each([
  ['a cursor that may be left out', tracker({ nextCursor: { type: 'string' } }), '!has(steps.page.output.nextCursor)'],
  [
    'a cursor that may be null',
    tracker({ next: { type: ['string', 'null'] } }, ['next']),
    'steps.page.output.next == null',
  ],
  ['a word that there is more', tracker({ hasMore: { type: 'boolean' } }, ['hasMore']), '!steps.page.output.hasMore'],
  [
    'a state',
    tracker({ state: { enum: ['queued', 'done', 'failed'] } }, ['state']),
    "steps.page.output.state == 'done'",
  ],
])('made-up pages end in the second round: %s', (_, outputSchemas, until) => {
  const text = paging.replace('!has(steps.page.output.nextCursor)', until);
  const trial = simulateRun(planIn(text), { inputs: {}, answers: {}, outputSchemas });
  expect(trial).toMatchObject({ status: 'succeeded', outputs: { rounds: 2 }, invented: ['tracker/list'] });
});

test('made-up rounds that do not end show the first and the last of them', () => {
  const text = paging.replace('!has(steps.page.output.nextCursor)', "steps.page.output.state == 'done'");
  const outputSchemas = tracker({ state: { type: 'string' } }, ['state']);
  const trial = simulateRun(planIn(text), { inputs: {}, answers: {}, outputSchemas });
  expect(trial).toMatchObject({ error: { code: 'repeat-exhausted' }, stepsOmitted: 46 });
  expect(trial.steps.map(({ path }) => path)).toEqual([
    'pages',
    ...[0, 1, 2, 49].map((round) => `pages/${round}/page`),
  ]);
  expect(nextAfterTrial(trial)).toContain('{ "$sequence": […] }');
});

test('a trial takes answers one after the other, by tool, by path, and by path without the numbers of rounds', () => {
  const pages = { $sequence: [{ nextCursor: 'a' }, { nextCursor: 'b' }, {}] };
  for (const name of ['tracker/list', 'pages/page']) {
    const options = { inputs: {}, answers: { [name]: pages }, outputSchemas: new Map() };
    const trial = simulateRun(planIn(paging), options);
    expect(trial).toMatchObject({ status: 'succeeded', outputs: { rounds: 3 }, invented: [] });
    expect(trial.steps.map((one) => one.with).slice(1)).toEqual([{}, { cursor: 'a' }, { cursor: 'b' }]);
  }
});

const charging = `workflow: charge
steps:
  - { id: seen, tool: shop/look, effect: read, retry: { on: [tool-failed], attempts: 3, delay: 1s } }
  - id: paid
    tool: shop/charge
    effect: write
    ifUnknown: check
    check: { tool: shop/find, happened: result.output.happened }
outputs: { id: "\${{ steps.paid.output.id }}", seen: "\${{ steps.seen.output }}" }
`;

const declined = { isError: true, content: [{ type: 'text', text: 'declined' }] };
const busy = { $error: { code: 'tool-failed', message: 'busy' } };

test.each([
  [
    'busy twice',
    'shop/look',
    { $sequence: [busy, { $error: 'tool-failed' }, { n: 2 }] },
    { outputs: { seen: { n: 2 } } },
  ],
  ['declined', 'shop/charge', declined, { error: { code: 'tool-failed', message: 'declined', step: 'paid' } }],
  [
    'lost, not found, and made again',
    'shop/charge',
    { $sequence: [{ $lost: true }, { id: 1 }] },
    { outputs: { id: 1 } },
  ],
  ['away', 'shop/charge', { $error: 'server-rejected' }, { error: { code: 'server-rejected' } }],
])('an answer that is %s is tried as it would go', (_, tool, answer, ended) => {
  const answers = { 'shop/look': { n: 1 }, 'shop/charge': { id: 1 }, 'shop/find': { happened: false }, [tool]: answer };
  const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
  const options = { inputs: {}, answers, outputSchemas: new Map([['shop/charge', schema]]) };
  expect(simulateRun(planIn(charging), options)).toMatchObject(ended);
});

test('a write whose answer is lost is not made again where its check finds it', () => {
  const answers = { 'shop/look': {}, 'shop/charge': { $lost: true }, 'shop/find': { happened: true, id: 7 } };
  const trial = simulateRun(planIn(charging), { inputs: {}, answers, outputSchemas: new Map() });
  expect(trial).toMatchObject({ status: 'succeeded', outputs: { id: 7 }, invented: [] });
});

test.each([
  ['a list where the tool answers an object', [{ id: 1 }], 'the tool answers an object, and this is a list'],
  ['a failure in words of its own', { error: { code: 'timeout' } }, 'A failure is { "$error"'],
])('a trial says what is wrong with %s', (_, answer, message) => {
  const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
  const outputSchemas = new Map([['shop/charge', schema]]);
  const trial = simulateRun(planIn('workflow: w\nsteps:\n  - { tool: shop/charge }\n'), {
    inputs: {},
    answers: { 'shop/charge': answer },
    outputSchemas,
  });
  expect(trial.error).toMatchObject({ code: 'invalid-result', message: expect.stringContaining(message) as string });
});

test.each([
  [{ $error: 'time-out' }, 'Did you mean "timeout"?'],
  [{ $error: {} }, 'needs a `code`'],
  [{ $lost: 1 }, '{ "$lost": true }'],
  [{ $sequence: [] }, 'needs a list'],
])('a trial refuses %j', (answer, why) => {
  const plan = planIn('workflow: w\nsteps:\n  - { id: a, tool: shop/charge }\n');
  const trial = simulateRun(plan, { inputs: {}, answers: { a: answer }, outputSchemas: new Map() });
  expect(trial).toMatchObject({ status: 'refused', error: { code: 'invalid-answer' } });
  expect(trial.error?.message).toContain(why);
});

test('an object of a tool that begins with a dollar is an answer', () => {
  const plan = planIn(
    'workflow: w\nsteps:\n  - { id: a, tool: shop/charge }\noutputs: { a: "${{ steps.a.output }}" }\n',
  );
  const answer = { $ref: '#/a' };
  const trial = simulateRun(plan, { inputs: {}, answers: { a: answer }, outputSchemas: new Map() });
  expect(trial.outputs).toEqual({ a: answer });
});

const waiting = `workflow: waits
steps:
  - { id: sure, ask: Sure?, form: { yes: { type: boolean } }, expires: 1h, onExpire: { yes: false } }
  - id: paid
    wait: { signal: paid, match: signal.order == 1, timeout: 1h }
    onError:
      - match: [wait-expired]
        steps: [{ id: paid, set: { order: 0 } }]
  - { id: told, workflow: tell, onError: ignore }
outputs: { yes: "\${{ steps.sure.output.yes }}", told: "\${{ steps.told.status }}" }
`;

test('questions and signals that never come expire, and a child run fails, where the author says so', () => {
  const options = { inputs: {}, outputSchemas: new Map() };
  const lost = { $lost: true };
  const trial = simulateRun(planIn(waiting), {
    ...options,
    answers: { sure: lost, paid: lost, 'workflow tell': { $error: { code: 'away', message: 'No one.' } } },
  });
  expect(trial).toMatchObject({ status: 'succeeded', outputs: { yes: false, told: 'failed' } });
  expect(trial.steps.find(({ path }) => path === 'paid')?.error).toContain('wait-expired');
  const signals = { $sequence: [{ order: 2 }, { order: 1 }] };
  const right = simulateRun(planIn(waiting), { ...options, answers: { sure: { yes: true }, paid: signals } });
  expect(right.steps.find(({ path }) => path === 'paid')).toMatchObject({ status: 'succeeded', output: { order: 1 } });
});

test('A trial begins with the given state, and shows what the run leaves of it.', () => {
  const text = `workflow: counting
state: { count: { type: integer, default: 0 } }
steps: [{ state: { count: "\${{ state.count + 1 }}" } }]
`;
  const options = { inputs: {}, answers: {}, outputSchemas: new Map() };
  expect(simulateRun(planIn(text), options)).toMatchObject({ status: 'succeeded', state: { count: 1 } });
  expect(simulateRun(planIn(text), { ...options, state: { count: 41 } })).toMatchObject({ state: { count: 42 } });
});

test('a trial makes up an answer as the schema in the call says, and holds a given one against it', () => {
  const { workflow } = parseWorkflow(`workflow: w
steps:
  - id: order
    tool: http/get
    effect: read
    with: { output: { id: { type: integer } } }
outputs: { id: "\${{ steps.order.output.body.id }}" }
`);
  const inputSchema = { type: 'object', properties: { output: { 'x-baton-types': 'body' } } };
  const outputSchema = { type: 'object', properties: { body: {} } };
  const plan = workflow && compile(workflow, { definitions: () => ({ inputSchema, outputSchema }) });
  const outputSchemas = new Map([['http/get', outputSchema]]);
  const tried = (answers: JsonObject) => plan && simulateRun(plan, { inputs: {}, answers, outputSchemas });
  expect(tried({})).toMatchObject({ status: 'succeeded', outputs: { id: 1 } });
  expect(tried({ 'http/get': { body: { id: 7 } } })).toMatchObject({ outputs: { id: 7 } });
  expect(tried({ 'http/get': { body: { id: 'x' } } })).toMatchObject({ error: { code: 'invalid-result' } });
});
