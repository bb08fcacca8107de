/**
 * Sessions of an agent that does every day's work in a shop: it pages, polls, looks up, and writes texts. The names are
 * short, and so are ids and cursors. What is learned of each is right for other orders and people too, or a person is
 * asked.
 */
import { play } from '@baton/engine';
import { validateInputs } from '@baton/expressions';
import { checkWorkflow, compile, parseWorkflow } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import type { Learned } from './draft.ts';
import { type LearnOptions, learn } from './learn.ts';
import type { SeenCall } from './seenCall.ts';

const asResult = (answer: Json): JsonObject =>
  typeof answer === 'string'
    ? { content: [{ type: 'text', text: answer }] }
    : { content: [], structuredContent: answer };

class Refusal {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

type Row = readonly [name: string, given: JsonObject, answer: Json | Refusal, more?: Partial<SeenCall>];

const effectOf = (name: string): SeenCall['effect'] => {
  if (/^(?:get|list|read|job_status)/.test(name)) return 'read';
  return name === 'add_label' ? 'idempotent' : 'write';
};

const session = (rows: readonly Row[]): readonly SeenCall[] =>
  rows.map(([name, given, answer, more], i) => ({
    path: `${name}-${i + 1}`,
    verb: 'tool',
    server: 'shop',
    name,
    arguments: given,
    effect: effectOf(name),
    at: 1_000 * i,
    ...(answer instanceof Refusal
      ? { failure: { code: 'tool-failed', message: answer.message } }
      : { result: asResult(answer) }),
    ...more,
  }));

/** Learned, proven, and without an error of the checker. */
function learned(rows: readonly Row[], options: LearnOptions = {}): Learned {
  const found = learn({ calls: session(rows), inputs: {}, startedAt: 0 }, options);
  if (found === undefined) throw new Error('nothing was learned');
  expect(found.replay).toEqual({ same: true, differences: [] });
  const errors = checkWorkflow(found.source).findings.filter(({ severity }) => severity === 'error');
  expect({ errors, source: found.source }).toEqual({ errors: [], source: found.source });
  return found;
}

/** Whether a person has to look at it before it is deployed. */
const isDoubtful = ({ questions, notes }: Learned): boolean =>
  questions.some(({ options }) => options.length > 1) || notes.some(({ note }) => note.startsWith('look:'));

const answered = (found: Learned, ending: string, option: number): LearnOptions => {
  const question = found.questions.find(({ id }) => id.endsWith(ending));
  return { answers: new Map([[question?.id ?? '', option]]) };
};

/** A shop with other people and orders; its answers by tool. */
type Shop = Readonly<Record<string, (given: JsonObject) => Json | Refusal>>;

/** The calls that a run of the workflow makes there, without look-ups, and how it ends. */
function ran({ source }: Pick<Learned, 'source'>, inputs: JsonObject, shop: Shop): readonly string[] {
  const { workflow } = parseWorkflow(source);
  if (workflow === undefined) throw new Error('it does not parse');
  const plan = compile(workflow, { effects: (_, tool) => ({ effect: effectOf(tool), from: 'server' }) });
  const { calls, run } = play(plan, {
    inputs: validateInputs(plan, inputs).inputs ?? {},
    answer: ({ target, arguments: given }) => {
      const answer = shop[target.split('/')[1] ?? '']?.(given) ?? 'ok';
      return answer instanceof Refusal
        ? { failure: { code: 'tool-failed', message: answer.message }, delivery: 'answered' }
        : { result: asResult(answer) };
    },
    outside: (now) =>
      now.questions > 0
        ? [{ type: 'question.answered', at: now.at, path: 'approve_charge', answer: { approve: false }, by: 'ada' }]
        : [],
  });
  const ledger = calls
    .filter(({ target }) => effectOf(target.split('/')[1] ?? '') !== 'read')
    .map(({ target, arguments: given }) => `${target.split('/')[1] ?? ''} ${JSON.stringify(given)}`);
  return [...ledger, run.status];
}

const people: Readonly<Record<string, Json>> = {
  C1: { id: 'C1', name: 'Ada', email: 'ada@x.org' },
  C2: { id: 'C2', name: 'Bo', email: 'bo@x.org' },
  C3: { id: 'C3', name: 'Cy', email: 'cy@x.org' },
};
const customer = (id: string): Row => ['get_customer', { id }, people[id] ?? new Refusal('not found')];
const order = (id: string, of: string, total = 10): JsonObject => ({ id, customer: of, total, currency: 'EUR' });
const get_customer = ({ id }: JsonObject): Json | Refusal =>
  people[typeof id === 'string' ? id : ''] ?? new Refusal('not found');

test('names that were read from a file and written as a list are asked about', () => {
  const rows: Row[] = [
    ['read_text_file', { path: '/data/team.txt' }, 'Team of the week:\nAda\nBo\nCy\n'],
    ['write_file', { path: '/data/out.txt', content: 'Members: Ada, Bo, Cy' }, 'ok'],
  ];
  const found = learned(rows);
  expect(found.leftOut.map(({ path }) => path)).toEqual(['read_text_file-1']);
  const asked = found.questions.find(({ id }) => id === 'read_text_file-1 left out');
  expect(asked?.options[2]).toBe('a model writes "content" of write_file-2 from it');
  const chosen = learned(rows, answered(found, 'left out', 2));
  expect(chosen.leftOut).toEqual([]);
  expect(chosen.source).toContain('content: ${{ steps.compose_content.output.content }}');
  expect(learned(rows, answered(found, 'left out', 1)).source).toContain('tool: shop/read_text_file');
});

test('pages of a list are one `repeat`, and which of their items were taken is asked', () => {
  const issue = (number: number, title: string, ...labels: string[]): JsonObject => ({ number, title, labels });
  const pages = [
    [issue(1, 'Urgent: mail'), issue(2, 'Typo'), issue(3, 'URGENT disk')],
    [issue(4, 'Slow', 'p1'), issue(5, 'Colour'), issue(6, 'urgent: login')],
    [issue(7, 'Docs'), issue(8, 'urgent fonts'), issue(9, 'x', 'p1')],
  ];
  const found = learned([
    ['list_issues', { state: 'open' }, { issues: pages[0] ?? [], nextCursor: '2' }],
    ['add_label', { number: 1, label: 'urgent' }, 'ok'],
    ['add_label', { number: 3, label: 'urgent' }, 'ok'],
    ['list_issues', { state: 'open', cursor: '2' }, { issues: pages[1] ?? [], nextCursor: '3' }],
    ['list_issues', { state: 'open', cursor: '3' }, { issues: pages[2] ?? [] }],
    ...[4, 6, 8, 9].map((number): Row => ['add_label', { number, label: 'urgent' }, 'ok']),
  ]);
  expect(found.source).toContain('cursor: ${{ steps.pages_of_list_issues.?steps.?list_issues.?output.?nextCursor }}');
  expect(found.source).not.toContain('issues[');
  expect(isDoubtful(found)).toBe(true);
  expect(found.source).toContain('the session made 2 other calls between the pages');
  // Nothing labels the issues of the session again.
  expect(found.source).not.toMatch(/items:\n\s+type: array\n\s+default/);
});

test('orders are joined with their own customers', () => {
  const found = learned([
    ['list_orders', { status: 'open' }, { orders: [order('O-1', 'C1'), order('O-2', 'C2')], next: null }],
    customer('C1'),
    customer('C2'),
    ['comment_issue', { number: 7, text: 'Open orders: O-1 (Ada), O-2 (Bo)' }, 'ok'],
  ]);
  expect(isDoubtful(found)).toBe(true);
  const list_orders = () => ({ orders: [order('O-8', 'C3'), order('O-9', 'C1')], next: null });
  expect(ran(found, { number: 4 }, { list_orders, get_customer })).toEqual([
    'comment_issue {"number":4,"text":"Open orders: O-8 (Cy), O-9 (Ada)"}',
    'succeeded',
  ]);
});

test('a call to which a person agreed asks again, and an order has no default', () => {
  const schemas = new Map<string, Json>([['shop/charge', { properties: { amount: { type: 'number' } } }]]);
  const rows: Row[] = [
    ['charge', { orderId: 'O-1', amount: 15 }, { paymentId: 'P1' }, { isApproved: true }],
    ['notify', { text: 'Paid: P1' }, 'ok', { isApproved: true }],
  ];
  const { source } = learned(rows, { schemas });
  expect(source).toContain('ask: |-\n      May shop/charge be called?\n      orderId: ${{ inputs.orderId }}');
  expect(source).toMatch(/amount:\n\s+type: number\nsteps:/);
  expect(source).toContain('text: "Paid: ${{ steps.charge.output.paymentId }}"');
  expect(source).not.toContain('O-1');
  expect(ran({ source }, { orderId: 'O-2', amount: 15.5 }, {})).toEqual(['failed']);
});

test('a text has the name that belongs to its address', () => {
  const found = learned([customer('C9'), customer('C1'), ['notify', { text: 'Call Ada at ada@x.org' }, 'ok']]);
  expect(found.leftOut).toEqual([
    {
      path: 'get_customer-1',
      why: 'it failed (tool-failed), and was then made with other arguments as get_customer-2',
    },
  ]);
  expect(ran(found, { id: 'C2' }, { get_customer })).toEqual(['notify {"text":"Call Bo at bo@x.org"}', 'succeeded']);
});

test('a write that was refused, and made again, is made again after a pause', () => {
  const notes = ['one', 'two', 'three', 'four', 'five'];
  const rows: Row[] = notes.flatMap((note): Row[] => [
    ...(note === 'four' ? [['notify', { text: 'Note four' }, new Refusal('Too many')] satisfies Row] : []),
    ['notify', { text: `Note ${note}` }, 'ok'],
  ]);
  const found = learned(rows);
  expect(isDoubtful(found)).toBe(true);
  expect(found.source).toContain('- wait: 2s');
  let refused = 0;
  const notify = ({ text }: JsonObject): Json | Refusal =>
    text === 'Note four' && (refused += 1) === 1 ? new Refusal('Too many') : 'ok';
  expect(ran(found, {}, { notify }).filter((call) => call.includes('four'))).toHaveLength(2);
  expect(ran(found, {}, { notify: () => 'ok' })).toHaveLength(6);
  expect(learned(rows, answered(found, 'retry', 1)).source).not.toContain('onError');
});

test('one line of a long answer is asked about', () => {
  const line = '2026-11-07 line 1500 of the log FATAL disk is full on runner seven';
  const log = Array.from({ length: 3_000 }, (_, i) => (i === 1_500 ? line : `2026-11-07 line ${i} is fine`)).join('\n');
  const found = learned([
    ['read_text_file', { path: '/data/big.log' }, log],
    ['write_file', { path: '/data/fatal.txt', content: line }, 'ok'],
  ]);
  expect(isDoubtful(found)).toBe(true);
});

test('a single charge is right, and nothing about it is doubtful', () => {
  const found = learned([['charge', { orderId: 'O-7', amount: 15.5 }, { paymentId: 'P7' }]]);
  expect(isDoubtful(found)).toBe(false);
  expect(ran(found, { orderId: 'O-8', amount: 20 }, {})).toEqual(['charge {"orderId":"O-8","amount":20}', 'succeeded']);
  expect(found.source).not.toContain('default');
});

test('two agents in one session each greet their own customer', () => {
  const found = learned([
    customer('C1'),
    customer('C2'),
    ['notify', { text: 'Hello Ada' }, 'ok'],
    ['notify', { text: 'Bo says hello' }, 'ok'],
  ]);
  expect(ran(found, { id: 'C2', get_customer_id: 'C3' }, { get_customer })).toEqual([
    'notify {"text":"Hello Bo"}',
    'notify {"text":"Cy says hello"}',
    'succeeded',
  ]);
});

test('a job that was polled is polled until it is done, however long that takes', () => {
  const status = (state: string, more: JsonObject = {}): Row => ['job_status', { jobId: 'j1' }, { state, ...more }];
  const found = learned([
    ['job_start', { kind: 'export' }, { jobId: 'j1' }],
    status('queued'),
    status('running'),
    status('running'),
    status('done', { url: 'https://x.org/e1' }),
    ['write_file', { path: '/data/url.txt', content: 'https://x.org/e1' }, 'ok'],
  ]);
  expect(found.source).toContain('until: steps.job_status.output.state == "done"');
  expect(found.questions.find(({ id }) => id.endsWith('until'))?.options.length).toBeGreaterThan(1);
  const ends = (after: number): Shop => {
    let polls = 0;
    return {
      job_start: () => ({ jobId: 'j7' }),
      job_status: () => ((polls += 1) < after ? { state: 'running' } : { state: 'done', url: 'https://x.org/e7' }),
    };
  };
  for (const after of [1, 9])
    expect(ran(found, {}, ends(after)).at(-2)).toBe('write_file {"path":"/data/url.txt","content":"https://x.org/e7"}');
});

test('a sum that an agent made of pages stays a number that a person is shown', () => {
  const found = learned([
    ['list_orders', {}, { orders: [order('O-1', 'C1', 10.12), order('O-2', 'C2', 20)], next: 'b' }],
    ['list_orders', { after: 'b' }, { orders: [order('O-3', 'C1', 28.25)], next: null }],
    ['comment_issue', { number: 7, text: 'EUR total: 58.37' }, 'ok'],
  ]);
  expect(found.leftOut.map(({ path }) => path)).toEqual(['list_orders-1', 'list_orders-2']);
  expect(found.questions.find(({ id }) => id.endsWith('left out'))?.text).toContain('read 2 times');
});

test('an item of a list that failed is collected, and the others go on', () => {
  const orders = [order('O-1', 'C1'), order('O-2', 'C4'), order('O-3', 'C3')];
  const found = learned([
    ['list_orders', { status: 'open' }, { orders }],
    customer('C1'),
    customer('C4'),
    customer('C3'),
    ['write_file', { path: '/data/list.json', content: 'Ada\nCy' }, 'ok'],
  ]);
  expect(isDoubtful(found)).toBe(true);
  const { questions } = found;
  const kept = learn({
    calls: session([['list_orders', { status: 'open' }, { orders }], customer('C1'), customer('C4'), customer('C3')]),
    inputs: {},
    startedAt: 0,
  });
  expect(kept?.source).toContain('onItemError: collect');
  expect(kept?.source).toContain('look: 1 of 3 items failed (tool-failed)');
  expect(kept?.replay.same).toBe(true);
  expect(questions.length).toBeGreaterThan(0);
});

test('pages that are counted end with the one that is short', () => {
  const page = (n: number, ...names: string[]): Row => [
    'list_users',
    { page: n, per_page: 2 },
    { users: names.map((name) => ({ name })), page: n },
  ];
  const found = learned([
    page(1, 'ada', 'bo'),
    page(2, 'cy', 'dan'),
    page(3, 'eve'),
    ['write_file', { path: '/data/n', content: 'ada\nbo\ncy\ndan\neve' }, 'ok'],
  ]);
  expect(found.source).toContain('page: ${{ 1 + index }}');
  expect(found.source).toContain(
    'content: ${{ steps.pages_of_list_users.steps.all.users.map(x, x.name).join("\\n") }}',
  );
  expect(isDoubtful(found)).toBe(true);
});

test('a session that stopped before the last page is asked where the workflow ends', () => {
  const rows: Row[] = [
    ['list_orders', {}, { orders: [order('O-1', 'C1')], next: 'b' }],
    ['list_orders', { after: 'b' }, { orders: [order('O-2', 'C2')], next: 'c' }],
  ];
  const found = learned(rows);
  expect(found.source).toContain('|| index == 1');
  expect(found.questions.find(({ id }) => id.endsWith('pages'))?.options).toEqual([
    'after 2 pages, as in the session',
    'after the last page',
  ]);
});
