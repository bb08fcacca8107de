/**
 * Goal: no construct of n8n means something else after the import without a finding.
 * Method: each row of the table in docs/importing.md is imported. It gets the finding that the row names, and no other;
 * a construct that means the same gets none, and passes the check.
 */
import { readFileSync } from 'node:fs';

import { checkWorkflow, readForeign } from '@baton/language';
import { expect, test } from 'vitest';

import { importText } from '../importText.ts';
import { rowsOf } from '../testing/tableRows.ts';

const page = readFileSync(new URL('../../../../docs/importing.md', import.meta.url), 'utf8');
const rows = rowsOf(page, '## From n8n');

type Parameters = Readonly<Record<string, unknown>>;
type Node = Readonly<Record<string, unknown>> & { readonly name: string };

const node = (name: string, type: string, parameters: Parameters = {}, more: object = {}): Node => ({
  name,
  type: type.includes('.') ? type : `n8n-nodes-base.${type}`,
  typeVersion: 3,
  parameters,
  ...more,
});

interface Links {
  readonly [name: string]: readonly (readonly string[])[];
}

function exported(
  nodes: readonly Node[],
  to: Links,
  settings: object = { timezone: 'Europe/Zurich' },
  more: object = {},
) {
  const main = (targets: readonly string[]) => targets.map((one) => ({ node: one, type: 'main', index: 0 }));
  const connections = Object.fromEntries(
    Object.entries(to).map(([name, outputs]) => [name, { main: outputs.map(main) }]),
  );
  return JSON.stringify({ name: 'Table', nodes, connections: { ...connections, ...more }, settings });
}

/** The nodes one after another, after a trigger that people start. */
function chain(...nodes: readonly Node[]): string {
  const all = [node('Start', 'manualTrigger'), ...nodes];
  const links = all.slice(0, -1).map(({ name }, i): [string, string[][]] => [name, [[all[i + 1]?.name ?? '']]]);
  return exported(all, Object.fromEntries(links));
}

const alone = (trigger: Node, settings?: object): string =>
  exported([trigger, node('Do', 'set', set())], { [trigger.name]: [['Do']] }, settings);
const set = (value: unknown = 1): Parameters => ({ assignments: { assignments: [{ name: 'a', value }] } });
const seed = node('Seed', 'set', {
  assignments: {
    assignments: [
      { name: 'list', value: '[1, 2]', type: 'array' },
      { name: 't', value: 'A' },
      { name: 'n', value: '={{ 1 }}' },
    ],
  },
});
const get = node('Get', 'httpRequest', { url: 'https://a.test' });
const condition = (options: object = {}, leftValue = '={{ $json.t }}'): Parameters => ({
  conditions: {
    options,
    conditions: [{ leftValue, rightValue: 'b', operator: { type: 'string', operation: 'equals' } }],
  },
});
const switched = (more: Parameters): Parameters => ({
  rules: { values: [condition().conditions, condition().conditions].map((conditions) => ({ conditions })) },
  ...more,
});
/** A node with two outputs, each of which leads to a node. */
const branching = (one: Node): string =>
  exported([node('Start', 'manualTrigger'), seed, one, node('X', 'set', set()), node('Y', 'set', set())], {
    Start: [['Seed']],
    Seed: [[one.name]],
    [one.name]: [['X'], ['Y']],
  });
const loop = (more: Parameters = {}): string =>
  exported([node('Start', 'manualTrigger'), seed, node('Loop', 'splitInBatches', more), node('Each', 'set', set())], {
    Start: [['Seed']],
    Seed: [['Loop']],
    Loop: [[], ['Each']],
    Each: [['Loop']],
  });
const gathered = (gather: Node): string =>
  chain(seed, node('Split', 'splitOut', { fieldToSplitOut: 'list' }), node('Each', 'set', set()), gather);
const asked = (helpers: Readonly<Record<string, string>>): string =>
  exported(
    [
      node('Start', 'manualTrigger'),
      node('Ask', '@n8n/n8n-nodes-langchain.agent', { text: '=Judge' }),
      ...Object.keys(helpers).map((name) => node(name, `@n8n/n8n-nodes-langchain.${name}`)),
    ],
    { Start: [['Ask']] },
    { timezone: 'UTC' },
    Object.fromEntries(
      Object.entries(helpers).map(([name, as]) => [name, { [as]: [[{ node: 'Ask', type: as, index: 0 }]] }]),
    ),
  );
const schedule = (interval: object): Node => node('Cron', 'scheduleTrigger', { rule: { interval: [interval] } });
const writes = (value: string): string => chain(seed, node('Write', 'set', set(value)));

/** By the first cell of a row. */
const constructs: Readonly<Record<string, readonly string[]>> = {
  'Schedule, Cron, Interval, with the time zone of the workflow': [
    alone(schedule({ field: 'days', triggerAtHour: 7 })),
    alone(node('Cron', 'cron', { triggerTimes: { item: [{ mode: 'everyHour' }] } })),
    alone(node('Cron', 'interval', { unit: 'minutes', interval: 15 })),
  ],
  'the same without a time zone': [
    alone(schedule({ field: 'days' }), {}),
    alone(schedule({ field: 'days' }), { timezone: 'DEFAULT' }),
  ],
  'every 45 minutes, every 5 hours': [
    alone(schedule({ field: 'minutes', minutesInterval: 45 })),
    alone(schedule({ field: 'minutes', minutesInterval: 90 })),
    alone(schedule({ field: 'hours', hoursInterval: 5, triggerAtMinute: 10 })),
    alone(node('Cron', 'interval', { unit: 'seconds', interval: 7 })),
  ],
  'every 2 days, every 2 weeks': [
    alone(schedule({ field: 'days', daysInterval: 2 })),
    alone(schedule({ field: 'weeks', weeksInterval: 2 })),
  ],
  'every 5 months': [alone(schedule({ field: 'months', monthsInterval: 5 }))],
  'every 24 months': [alone(schedule({ field: 'months', monthsInterval: 24 }))],
  'Manual Trigger, Execute Workflow Trigger': [
    alone(node('Start', 'manualTrigger')),
    alone(node('Start', 'executeWorkflowTrigger', { workflowInputs: { values: [{ name: 'a', type: 'number' }] } })),
  ],
  'Webhook, a trigger of an app': [
    alone(node('In', 'webhook', { path: 'in' })),
    alone(node('In', 'webhook', { path: 'in', responseMode: 'lastNode' })),
    alone(node('In', 'gmailTrigger')),
  ],
  'Form, Chat': [alone(node('In', 'formTrigger')), alone(node('In', '@n8n/n8n-nodes-langchain.chatTrigger'))],
  'several triggers': [
    exported([node('A', 'manualTrigger'), schedule({ field: 'days' }), node('Do', 'set', set())], {
      A: [['Do']],
      Cron: [['Do']],
    }),
  ],
  'Error Trigger, an error workflow': [
    alone(node('Start', 'manualTrigger'), { timezone: 'UTC', errorWorkflow: 'x1' }),
    alone(node('Start', 'errorTrigger')),
  ],
  'a second part with a trigger of its own': [
    exported(
      [node('A', 'manualTrigger'), node('Do', 'set', set()), node('More', 'set', set()), schedule({ field: 'days' })],
      { A: [['Do']], Do: [['More']] },
    ),
  ],
  'an execution timeout': [alone(node('Start', 'manualTrigger'), { executionTimeout: 60, executionOrder: 'v1' })],
  'other settings of the workflow': [alone(node('Start', 'manualTrigger'), { callerPolicy: 'any' })],
  'a node after one that may give several items': [chain(get, node('Do', 'set', set('={{ $json.a }}')))],
  'HTTP Request': [
    chain(get),
    chain(
      node('Post', 'httpRequest', {
        method: 'POST',
        url: 'https://a.test',
        sendBody: true,
        specifyBody: 'json',
        jsonBody: '={"a": "{{ $execution.id }}"}',
        sendQuery: true,
        specifyQuery: 'json',
        jsonQuery: '{"q": 1}',
        options: { timeout: 5000 },
      }),
    ),
  ],
  'its credentials, and options other than a timeout': [
    chain(node('Get', 'httpRequest', { url: 'https://a.test' }, { credentials: { httpBasicAuth: { id: '1' } } })),
    chain(node('Get', 'httpRequest', { url: 'https://a.test', options: { response: { neverError: true } } })),
    chain(node('Get', 'httpRequest', { url: 'https://a.test', pagination: { mode: 'x' } })),
  ],
  'a form as the body': [
    chain(node('Post', 'httpRequest', { method: 'POST', url: 'https://a.test', contentType: 'form-urlencoded' })),
  ],
  'a GET with a body': [
    chain(
      node('Get', 'httpRequest', { url: 'https://a.test', sendBody: true, specifyBody: 'json', jsonBody: '{"a": 1}' }),
    ),
  ],
  'Edit Fields (Set)': [chain(seed, node('Do', 'set', set('={{ $json.t }}')))],
  'its options': [
    chain(seed, node('Do', 'set', { ...set(), options: { dotNotation: false, ignoreConversionErrors: true } })),
  ],
  'If, Filter, Switch': [
    branching(node('Is', 'if', condition())),
    chain(seed, node('Is', 'filter', condition()), node('X', 'set', set())),
    branching(node('Is', 'switch', switched({}))),
    branching(node('Is', 'switch', { mode: 'expression', numberOutputs: 2, output: '={{ $json.n }}' })),
  ],
  'comparisons without regard to case': [
    branching(node('Is', 'if', condition({ caseSensitive: false }))),
    branching(node('Is', 'if', { ...condition(), options: { ignoreCase: true } })),
  ],
  'comparisons that convert types': [branching(node('Is', 'if', { ...condition(), looseTypeValidation: true }))],
  'a Switch that takes all outputs that match, or has a numbered fallback': [
    branching(node('Is', 'switch', switched({ options: { allMatchingOutputs: true } }))),
    branching(node('Is', 'switch', switched({ fallbackOutput: 1 }))),
  ],
  'several nodes after one': [
    exported([node('Start', 'manualTrigger'), node('A', 'set', set()), node('B', 'set', set())], {
      Start: [['A', 'B']],
    }),
  ],
  Merge: [
    exported(
      [
        node('Start', 'manualTrigger'),
        ...['A', 'B', 'End'].map((name) => node(name, 'set', set())),
        node('M', 'merge'),
      ],
      { Start: [['A', 'B']], A: [['M']], B: [['M']], M: [['End']] },
    ),
  ],
  'Split Out, until Aggregate of all item data': [
    gathered(node('Gather', 'aggregate', { aggregate: 'aggregateAllItemData' })),
  ],
  'Aggregate of fields, Summarize': [gathered(node('Gather', 'aggregate')), gathered(node('Gather', 'summarize'))],
  'Loop Over Items, one by one': [loop()],
  'Loop Over Items in batches': [loop({ batchSize: 10 })],
  'another loop': [
    exported([node('Start', 'manualTrigger'), node('A', 'set', set()), node('B', 'set', set())], {
      Start: [['A']],
      A: [['B']],
      B: [['A']],
    }),
  ],
  Limit: [chain(seed, node('First', 'limit', { maxItems: 3 }), node('X', 'set', set()))],
  'Wait for a time, Stop and Error, No Operation': [
    chain(node('Wait', 'wait', { amount: 5, unit: 'minutes' }), node('No', 'noOp'), node('End', 'stopAndError')),
  ],
  'Wait for a call of its URL, or for a computed time': [
    chain(node('Wait', 'wait', { resume: 'webhook' })),
    chain(seed, node('Wait', 'wait', { amount: '={{ $json.n }}' })),
  ],
  'Execute Workflow': [
    chain(node('Other', 'executeWorkflow', { workflowId: { __rl: true, value: 'x', cachedResultName: 'Other' } })),
    chain(node('Other', 'executeWorkflow', { workflowId: 'x', options: { waitForSubWorkflow: false } })),
  ],
  'Respond to Webhook': [chain(node('Answer', 'respondToWebhook', { responseBody: 'ok' }))],
  'AI Agent, chains, OpenAI': [
    asked({ lmChatOpenAi: 'ai_languageModel' }),
    chain(node('Ask', '@n8n/n8n-nodes-langchain.openAi', { messages: { values: [{ content: 'Hi' }] } })),
  ],
  'tools, memory or documents of a model': [
    asked({ lmChatOpenAi: 'ai_languageModel', calculator: 'ai_tool' }),
    asked({ lmChatOpenAi: 'ai_languageModel', memoryBufferWindow: 'ai_memory' }),
  ],
  'Code, and a node of an app': [
    chain(seed, node('Run', 'code', { jsCode: 'return items' })),
    chain(node('Tell', 'slack', { resource: 'message', operation: 'post', text: 'a' })),
  ],
  'Retry On Fail': [chain({ ...get, retryOnFail: true })],
  'On Error: continue': [
    chain({ ...get, onError: 'continueRegularOutput' }),
    chain({ ...get, continueOnFail: true }),
    branching({ ...get, onError: 'continueErrorOutput' }),
  ],
  'Always Output Data': [chain({ ...get, alwaysOutputData: true })],
  'a node that is disabled, or that nothing leads to': [
    chain({ ...get, disabled: true }),
    exported([node('Start', 'manualTrigger'), node('Do', 'set', set()), node('Apart', 'set', set())], {
      Start: [['Do']],
    }),
  ],
  'paths, comparisons, `?:`, `\\|\\|` and `??` with a default, templates, functions of texts, lists and numbers': [
    writes("={{ $json.n == '1' ? $json.t.toUpperCase() : 'b' }}"),
    writes(
      "=Hi {{ $json.t || 'x' }} {{ $json.t ?? 'y' }} {{ $json.list.map(one => one + 1).length }} {{ Math.round(1.5) }}",
    ),
    writes('={{ $workflow.name }}'),
  ],
  '`$now`, `new Date()`': [writes("={{ $now.toFormat('yyyy') }}"), writes('={{ new Date().toISOString() }}')],
  '`$today`, `$env`, `.match(…)` and others without a counterpart': [
    writes('={{ $today }}'),
    writes('={{ $env.KEY }}'),
    writes('={{ $json.t.match(/a/)[0] }}'),
  ],
};

test('the table of n8n in the docs has a row for each construct that is imported here', () => {
  expect(rows.map(({ construct }) => construct)).toEqual(Object.keys(constructs));
});

test.each(
  rows.flatMap(({ construct, finding }) =>
    (constructs[construct] ?? []).map((text, i) => [construct, i + 1, finding, text] as const),
  ),
)('%s (%i) gets the finding "%s"', (_, _i, finding, text) => {
  const { source, findings } = importText(readForeign(text), 'n8n', 'file');
  const others = findings.filter(({ code }) => code !== 'tool-needed' && code !== 'host-needed');
  expect([...new Set(others.map(({ code, message }) => (code === finding ? code : message)))]).toEqual(
    finding === '' ? [] : [finding],
  );
  const errors = checkWorkflow(source).findings.filter(({ severity }) => severity === 'error');
  const isImported = finding !== 'expression-not-imported';
  expect(errors.filter(({ message }) => isImported || !message.includes('notImported'))).toEqual([]);
  expect(errors.length > 0).toBe(!isImported);
});
