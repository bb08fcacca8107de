/**
 * `examples/ported`: published examples of other systems, each run by the engine against scripted servers. A script says
 * what each tool and model answers; what was called, with which arguments, is the ledger that is compared.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Json, JsonObject } from '@baton/primitives';
import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type PlayOptions, type SimulatedCall, play } from './play/play.ts';
import type { RunEvent } from './state/event.ts';

const folder = fileURLToPath(new URL('../../../examples/ported/', import.meta.url));
const read = (name: string): string => readFileSync(`${folder}${name}`, 'utf8');

type Answer = Json | ((args: JsonObject, call: number) => Json | CallResult);

interface PortedCase {
  readonly inputs?: JsonObject;
  /** By `server/tool`, and `sample`; what is not listed answers nothing much. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** What comes from outside, once. */
  readonly outside?: readonly RunEvent[];
  /** By the name of the child. */
  readonly child?: Json;
  /** `server/tool` in the order of the calls. */
  readonly calls: readonly string[];
  readonly status?: 'failed';
  readonly code?: string;
  readonly outputs?: Json;
}

const away: CallResult = {
  failure: { code: 'connection-lost', message: 'The server is away.' },
  delivery: 'unsent',
};
const refused: CallResult = {
  failure: { code: 'tool-failed', message: 'There is no such pet.' },
  delivery: 'answered',
};
const at = 1_700_000_000_000;
const signal = (name: string, payload: JsonObject): RunEvent => ({
  type: 'signal.received',
  at,
  name,
  payload,
  by: 'test',
});

const isResult = (value: Json | CallResult): value is CallResult =>
  typeof value === 'object' && value !== null && ('result' in value || 'failure' in value);

/** Text for a model that is asked for text; the object where a type is asked for. */
function resultOf(target: string, value: Json): JsonObject {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (target !== 'sample') return { content: [{ type: 'text', text }], structuredContent: value };
  return { content: { type: 'text', text }, model: 'scripted', stopReason: 'endTurn', output: value };
}

function runCase(name: string, { inputs = {}, answers = {}, outside = [], child }: PortedCase) {
  const counts = new Map<string, number>();
  const answer = ({ target, arguments: args }: SimulatedCall): CallResult => {
    const call = counts.get(target) ?? 0;
    counts.set(target, call + 1);
    const scripted = answers[target] ?? {};
    const value = typeof scripted === 'function' ? scripted(args, call) : scripted;
    return isResult(value) ? value : { result: resultOf(target, value) };
  };
  const options: PlayOptions = {
    inputs,
    answer,
    outside: (run, round) =>
      outside.filter(({ type }) => (type === 'question.answered' ? run.questions > 0 : round === 0)),
    ...(child === undefined ? {} : { child: () => child }),
  };
  return play(planOf(read(name)), options);
}

const typed = (prompt: string, answers: Readonly<Record<string, Json>>): Json =>
  Object.entries(answers).find(([part]) => prompt.includes(part))?.[1] ?? 'said';

/** What a model is asked: the last message. */
const asked = ({ messages }: JsonObject): string => JSON.stringify(messages);

const cases: Readonly<Record<string, PortedCase>> = {
  'sw-retry': {
    inputs: { petId: 7 },
    answers: { 'petstore/get_pet': (_, call) => (call < 2 ? away : { name: 'Rex' }) },
    calls: ['petstore/get_pet', 'petstore/get_pet', 'petstore/get_pet'],
    outputs: { pet: { name: 'Rex' } },
  },
  'sw-switch': {
    inputs: { orderType: 'physical' },
    calls: [],
    outputs: { order: { inventory: 'clear', items: 1, address: 'Elmer St' } },
  },
  'sw-listen': { inputs: { carId: '12' }, outside: [signal('race-started', {})], calls: ['cars/start'] },
  'sw-fork': {
    inputs: { patient: 'p1', room: 7 },
    answers: { 'hospital/alert_nurses': () => ({ takesMs: 900, result: resultOf('tool', {}) }) },
    calls: ['hospital/alert_nurses', 'hospital/alert_doctor'],
    outputs: { answered: 'doctor' },
  },
  'sw-homeworld': {
    inputs: { id: 1 },
    answers: {
      'web/get': ({ url }) =>
        url === 'https://swapi.dev/api/people/1' ? { homeworld: 'https://x/planets/1' } : { name: 'Tatooine' },
    },
    calls: ['web/get', 'web/get'],
    outputs: { homeworld: { name: 'Tatooine' } },
  },
  'sw-catch': {
    inputs: { petId: 7 },
    answers: { 'petstore/get_pet': () => refused },
    calls: ['petstore/get_pet', 'support/notify'],
  },
  'sw-conditional': {
    inputs: { customer: { age: 17 }, bet: {} },
    calls: [],
    status: 'failed',
    code: 'access-forbidden',
  },
  'sw-cron': { calls: ['backup/start'] },
  'sw-subflow': { inputs: { user: { name: 'Ada' } }, child: { id: 1 }, calls: [], outputs: { customer: { id: 1 } } },
  'sw-readings': {
    inputs: { room: 'hall' },
    outside: [
      signal('temperature', { room: 'attic', value: 1 }),
      signal('humidity', { room: 'hall', value: 40 }),
      signal('temperature', { room: 'hall', value: 21 }),
    ],
    answers: { 'house/produce_report': { pages: 2 } },
    calls: ['house/log_reading', 'house/log_reading', 'house/produce_report'],
    outputs: { report: { pages: 2 } },
  },
  'sfn-ship-order': {
    inputs: { order: 'o1', customer: 'c1', products: ['p1'] },
    answers: {
      'customers/status': { status: 'good' },
      'stock/reserve': (_, call) => ({ status: call === 0 ? 'temporarily-unavailable' : 'reserved' }),
    },
    outside: [signal('shipped', {})],
    calls: [
      'customers/status',
      'events/publish',
      'stock/reserve',
      'events/publish',
      'stock/reserve',
      'events/publish',
      'warehouse/ship',
      'events/publish',
    ],
  },
  'sfn-bulk-delete': {
    inputs: { bucket: 'b', prefix: '' },
    answers: {
      'storage/list': ({ cursor }) =>
        cursor === undefined ? { items: [{ key: 'a' }], next: '2' } : { items: [{ key: 'b' }] },
    },
    calls: ['storage/list', 'storage/delete', 'storage/list', 'storage/delete'],
    outputs: { pages: 2 },
  },
  'sfn-business-rules': {
    inputs: { request: { amount: 5 } },
    answers: { 'rules/execute': { allowed: true } },
    calls: ['audit/record', 'rules/execute', 'audit/record'],
    outputs: { response: { allowed: true } },
  },
  'kestra-dag': { calls: ['log/write', 'log/write', 'log/write', 'log/write', 'log/write'] },
  'kestra-approval': {
    outside: [{ type: 'question.answered', at, path: 'approval', answer: { approve: true }, by: 'ada' }],
    calls: ['log/write', 'log/write'],
    outputs: { approved: true, by: 'ada' },
  },
  'kestra-each-switch': { calls: [], outputs: { said: ['a', 'b1', 'b2'] } },
  'kestra-errors': { calls: ['log/write', 'log/write'], status: 'failed', code: 'workflow-failed' },
  'conductor-qa': {
    inputs: { question: 'Why?' },
    answers: { sample: { answer: 'Because.', confidence: 'high' } },
    calls: ['sample'],
    outputs: { answer: 'Because.', confidence: 'high' },
  },
  'conductor-for-each': {
    inputs: { items: ['types', 'tests'] },
    answers: {
      sample: (args) => typed(asked(args), { Analyse: { processed: 'p', analysis: 'a' }, Summarise: 'In short.' }),
    },
    calls: ['sample', 'sample', 'sample'],
    outputs: { summary: 'In short.', count: 2 },
  },
  'conductor-validator': {
    inputs: { diff: '+ x' },
    answers: {
      sample: (args, call) =>
        typed(asked(args), {
          'Review this diff': { summary: 's', issues: [`i${call}`] },
          'Does every issue': { holds: call > 2, why: 'vague' },
        }),
    },
    calls: ['sample', 'sample', 'sample', 'sample'],
    outputs: { review: { summary: 's', issues: ['i2'] } },
  },
  'conductor-wait': {
    answers: { 'jobs/status': (_, call) => ({ status: call === 2 ? 'ready' : 'pending' }), sample: 'Ready.' },
    calls: ['jobs/status', 'jobs/status', 'jobs/status', 'sample'],
    outputs: { result: 'Ready.', attempts: 3 },
  },
  'n8n-telegram': {
    inputs: { chat: 5, text: 'Hello' },
    answers: { 'telegram/typing': () => refused, sample: 'Good day.' },
    calls: ['telegram/typing', 'sample', 'telegram/send'],
  },
  'n8n-sheets': {
    inputs: { sheet: 's' },
    answers: {
      'sheets/read': {
        values: [
          ['1', ' Ada ', 'ADA@X.ORG'],
          ['2', '', 'b@x.org'],
        ],
      },
    },
    calls: ['sheets/read', 'sheets/upsert'],
    outputs: { processed: 1 },
  },
  'gh-issue-triage': {
    inputs: { issue: 3 },
    answers: {
      'github/get_issue': { title: 'It breaks' },
      sample: { verdict: 'triaged', labels: ['bug'], report: 'See the log.' },
    },
    calls: [
      'github/get_issue',
      'github/get_issue_comments',
      'github/list_labels',
      'github/search_issues',
      'sample',
      'github/add_labels',
      'github/add_comment',
    ],
    outputs: { verdict: 'triaged' },
  },
  'langgraph-chain': {
    inputs: { topic: 'cats' },
    answers: { sample: (_, call) => ['A cat.', 'A purrfect cat.', 'The cat was a dog!'][call] ?? '' },
    calls: ['sample', 'sample', 'sample'],
    outputs: { joke: 'The cat was a dog!' },
  },
  'langgraph-parallel': {
    inputs: { topic: 'cats' },
    answers: { sample: (args) => typed(asked(args), { joke: 'Joke', story: 'Story', poem: 'Poem' }) },
    calls: ['sample', 'sample', 'sample'],
    outputs: { all: 'Story\n\nJoke\n\nPoem' },
  },
};

const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

test('there are 26, each with a case, its source and a row in docs/ported.md', () => {
  expect(files.map((file) => file.replace('.yaml', ''))).toEqual(Object.keys(cases).toSorted());
  expect(files).toHaveLength(26);
  const page = readFileSync(fileURLToPath(new URL('../../../docs/ported.md', import.meta.url)), 'utf8');
  for (const file of files) {
    const [head = '', ...rest] = read(file).trimEnd().split('\n');
    expect(head).toMatch(/^# After \S+ .*\((?:Apache-2\.0|MIT|MIT-0)\)$/);
    const name = file.replace('.yaml', '');
    expect(page).toMatch(new RegExp(`\\| \\[${name}\\]\\([^)]+\\) \\|[^|]+\\| \\d+ \\| ${rest.length} \\|`));
  }
});

describe('run against scripted servers', () => {
  test.each(Object.entries(cases))('%s', (name, one) => {
    const { run, calls } = runCase(`${name}.yaml`, one);
    expect(calls.map(({ target }) => target)).toEqual(one.calls);
    const failure = run.status === 'failed' ? run.failure : undefined;
    expect([run.status, failure?.code]).toEqual([one.status ?? 'succeeded', one.code]);
    const given = 'outputs' in run ? run.outputs : undefined;
    const outputs = given !== undefined && 'json' in given ? given.json : undefined;
    expect(outputs).toEqual(one.outputs);
  });

  test('arguments are what the examples say', () => {
    const argumentsOf = (name: string, target: string): JsonObject[] =>
      runCase(`${name}.yaml`, cases[name] ?? { calls: [] })
        .calls.filter((call) => call.target === target)
        .map((call) => call.arguments);
    expect(argumentsOf('sw-catch', 'support/notify')).toEqual([{ about: 'There is no such pet.' }]);
    expect(argumentsOf('sfn-bulk-delete', 'storage/delete')).toEqual([
      { bucket: 'b', keys: ['a'] },
      { bucket: 'b', keys: ['b'] },
    ]);
    expect(argumentsOf('kestra-errors', 'log/write')[0]).toEqual({ message: 'The step that failed is failed' });
    expect(argumentsOf('sfn-ship-order', 'events/publish').map(({ type }) => type)).toEqual([
      'NewOrder',
      'OrderShippingDelayed',
      'OrderShippingProductsReserved',
      'ShippingSuccessful',
    ]);
  });
});
