import { checkWorkflow, readForeign } from '@baton/language';
import { describe, expect, test } from 'vitest';

import { type ImportedText, importText, systemOf } from '../importText.ts';

interface WrittenNode {
  readonly name: string;
  readonly type: string;
  readonly typeVersion?: number;
  readonly parameters?: object;
  readonly [field: string]: unknown;
}

/** As n8n exports it: `to` has the names that follow, by output. */
function exported(nodes: readonly WrittenNode[], to: Readonly<Record<string, readonly (readonly string[])[]>>): string {
  const connections = Object.fromEntries(
    Object.entries(to).map(([name, outputs]) => [
      name,
      { main: outputs.map((targets) => targets.map((node) => ({ node, type: 'main', index: 0 }))) },
    ]),
  );
  return JSON.stringify(
    { name: 'Daily Triage', nodes, connections, settings: { timezone: 'Europe/Zurich' } },
    undefined,
    2,
  );
}

function imported(text: string): ImportedText & { readonly errors: readonly string[] } {
  const foreign = readForeign(text);
  expect(systemOf(foreign)).toBe('n8n');
  const made = importText(foreign, 'n8n', 'export');
  const errors = checkWorkflow(made.source).findings.filter(({ severity }) => severity === 'error');
  return { ...made, errors: errors.map(({ message }) => message) };
}

const base = 'n8n-nodes-base.';
const schedule: WrittenNode = {
  name: 'Every morning',
  type: `${base}scheduleTrigger`,
  typeVersion: 1.2,
  parameters: { rule: { interval: [{ triggerAtHour: 7, triggerAtMinute: 30 }] } },
};
const fetching: WrittenNode = {
  name: 'Fetch issues',
  type: `${base}httpRequest`,
  typeVersion: 4.2,
  parameters: {
    url: 'https://issues.test/list',
    sendQuery: true,
    queryParameters: { parameters: [{ name: 'since', value: '={{ $now.toISO() }}' }] },
  },
  retryOnFail: true,
  maxTries: 5,
};

test.each([
  [{ field: 'minutes', minutesInterval: 45 }, [{ every: '45m' }]],
  [{ field: 'minutes', minutesInterval: 60 }, [{ every: '60m' }]],
  [{ field: 'seconds', secondsInterval: 90 }, [{ every: '90s' }]],
  [{ field: 'minutes', minutesInterval: 15 }, [{ schedule: '*/15 * * * *' }]],
  [{ field: 'hours', hoursInterval: 6, triggerAtMinute: 5 }, [{ schedule: '5 */6 * * *' }]],
  [{ field: 'hours', hoursInterval: 24, triggerAtMinute: 5 }, [{ every: '24h', from: '2026-01-04T00:05' }]],
  [{ field: 'days', daysInterval: 2, triggerAtHour: 7 }, [{ every: '2d', from: '2026-01-04T07:00' }]],
  [
    { field: 'weeks', weeksInterval: 2, triggerAtDay: [1, 5], triggerAtHour: 9, triggerAtMinute: 30 },
    [
      { every: '14d', from: '2026-01-05T09:30' },
      { every: '14d', from: '2026-01-09T09:30' },
    ],
  ],
  [{ field: 'minutes', minutesInterval: 0 }, undefined],
  [{ field: 'minutes', minutesInterval: '={{ $json.n }}' }, undefined],
])('An interval of n8n that no cron says is an interval of Baton: %j', (interval, on) => {
  const trigger = { ...schedule, parameters: { rule: { interval: [interval] } } };
  const { workflow, errors } = imported(exported([trigger], {}));
  expect(errors).toEqual([]);
  expect(workflow['on']).toEqual(on?.map((one) => ({ ...one, timezone: 'Europe/Zurich' })));
});

describe('a workflow of n8n', () => {
  test('keeps its schedule, its requests, its fields and its branches, and checks', () => {
    const text = exported(
      [
        schedule,
        fetching,
        {
          name: 'Shape',
          type: `${base}set`,
          typeVersion: 3.4,
          parameters: {
            assignments: {
              assignments: [
                { name: 'total', value: '={{ $json.items.length }}', type: 'number' },
                { name: 'note', value: '=Found {{ $json.items.length }} of {{ $json.all }}', type: 'string' },
              ],
            },
          },
        },
        {
          name: 'Any?',
          type: `${base}if`,
          typeVersion: 2.2,
          parameters: {
            conditions: {
              combinator: 'and',
              conditions: [
                { leftValue: '={{ $json.total }}', rightValue: 0, operator: { type: 'number', operation: 'gt' } },
              ],
            },
          },
        },
        {
          name: 'Tell',
          type: `${base}slack`,
          typeVersion: 2.3,
          parameters: {
            resource: 'message',
            operation: 'post',
            text: '={{ $json.note }}',
            channelId: { __rl: true, value: 'C1', mode: 'list' },
          },
          credentials: { slackApi: { id: '1', name: 'Slack' } },
        },
        { name: 'Nothing', type: `${base}noOp`, typeVersion: 1 },
      ],
      {
        'Every morning': [['Fetch issues']],
        'Fetch issues': [['Shape']],
        Shape: [['Any?']],
        'Any?': [['Tell'], ['Nothing']],
      },
    );
    const { workflow, errors, servers, findings } = imported(text);
    expect(errors).toEqual([]);
    expect(workflow).toEqual({
      workflow: 'daily-triage',
      title: 'Daily Triage',
      on: [{ schedule: '30 7 * * *', timezone: 'Europe/Zurich' }],
      steps: [
        {
          id: 'fetch_issues',
          tool: 'http/get',
          effect: 'read',
          with: { url: 'https://issues.test/list', query: { since: '${{ run.startedAt }}' } },
          retry: { attempts: 5, backoff: 'fixed', delay: '1000ms' },
        },
        {
          id: 'shape',
          set: {
            total: '${{ size(steps.fetch_issues.output.body.items) }}',
            note: 'Found ${{ size(steps.fetch_issues.output.body.items) }} of ${{ steps.fetch_issues.output.body.all }}',
          },
        },
        {
          title: 'Any?',
          switch: [
            {
              when: 'steps.shape.output.total > 0',
              steps: [
                {
                  id: 'tell',
                  tool: 'slack/message_post',
                  with: { text: '${{ steps.shape.output.note }}', channelId: 'C1' },
                },
              ],
            },
          ],
        },
      ],
    });
    expect([...servers.keys()]).toEqual(['http', 'slack']);
    expect(findings.map(({ code, severity, message }) => [code, severity, message.slice(0, 30)])).toEqual([
      ['host-needed', 'warning', 'A request goes to issues.test:'],
      ['differs', 'warning', 'n8n reads the clock when the n'],
      ['differs', 'warning', 'n8n repeats any failed call; B'],
      ['differs', 'warning', 'n8n runs a node once for each '],
      ['tool-needed', 'warning', '"Tell" becomes the tool slack/'],
    ]);
    const needed = findings.filter(({ code }) => code === 'tool-needed');
    const [slack] = needed.map(({ line }) => text.split('\n')[line - 1]);
    expect(slack).toContain('"name": "Tell"');
  });

  test('names each host of its HTTP requests once, with the entry of mcp.json', () => {
    const urls = ['https://a.test/x', 'https://A.test/y', 'https://b.test:8443', '=https://{{ $json.host }}/z'];
    const nodes = urls.map((url, n) => ({ name: `N${n}`, type: `${base}httpRequest`, parameters: { url } }));
    const { findings } = imported(exported(nodes, { N0: [['N1']], N1: [['N2']], N2: [['N3']] }));
    expect(findings.filter(({ code }) => code === 'host-needed').map(({ message }) => message)).toEqual([
      'A request goes to a.test: mcp.json has to list it.',
      'A request goes to b.test:8443: mcp.json has to list it.',
      'The host of a request is computed: mcp.json has to list each host that it may be.',
    ]);
    expect(findings[0]?.hint).toBe('"http": { "type": "builtin", "baton": { "hosts": ["a.test"] } }');
  });

  test('is a loop where items are split, and collects where they are gathered', () => {
    const { workflow, errors } = imported(
      exported(
        [
          { name: 'Start', type: `${base}manualTrigger` },
          fetching,
          { name: 'Each issue', type: `${base}splitOut`, parameters: { fieldToSplitOut: 'items' } },
          {
            name: 'Label',
            type: `${base}github`,
            parameters: { resource: 'issue', operation: 'edit', issueNumber: '={{ $json.number }}' },
          },
          { name: 'Gather', type: `${base}aggregate`, parameters: { aggregate: 'aggregateAllItemData' } },
          {
            name: 'Report',
            type: `${base}set`,
            typeVersion: 3.4,
            parameters: { assignments: { assignments: [{ name: 'done', value: '={{ $json.data }}', type: 'array' }] } },
          },
        ],
        {
          Start: [['Fetch issues']],
          'Fetch issues': [['Each issue']],
          'Each issue': [['Label']],
          Label: [['Gather']],
          Gather: [['Report']],
        },
      ),
    );
    expect(errors).toEqual([]);
    expect((workflow['steps'] as object[]).slice(1)).toEqual([
      {
        id: 'each_issue',
        forEach: '${{ steps.fetch_issues.output.body.items }}',
        as: 'item',
        collect: '${{ steps.label.output }}',
        steps: [{ id: 'label', tool: 'github/issue_edit', with: { issueNumber: '${{ item.number }}' } }],
      },
      { id: 'report', set: { done: '${{ steps.each_issue.output }}' } },
    ]);
  });

  test('runs beside each other what one node leads to, and goes on where that meets', () => {
    const { workflow, errors } = imported(
      exported(
        [
          { name: 'In', type: `${base}webhook`, parameters: { path: 'in' } },
          ...['A', 'B', 'End'].map((name) => ({
            name,
            type: `${base}httpRequest`,
            parameters: { url: `={{ $('In').item.json.body.${name.toLowerCase()} }}` },
          })),
        ],
        { In: [['A', 'B']], A: [['End']], B: [['End']] },
      ),
    );
    expect(errors).toEqual([]);
    expect(workflow['on']).toMatchObject([{ webhook: 'in', secret: 'IN_HOOK' }]);
    const url = (name: string) => ({ id: name, with: { url: `\${{ inputs.body.${name} }}` } });
    expect(workflow['steps']).toMatchObject([{ parallel: [url('a'), url('b')] }, url('end')]);
  });

  test('goes round in batches, and reads what a case gave only if it ran', () => {
    const { workflow, errors } = imported(
      exported(
        [
          { name: 'Start', type: `${base}manualTrigger` },
          fetching,
          { name: 'Loop', type: `${base}splitInBatches`, typeVersion: 3 },
          {
            name: 'Urgent',
            type: `${base}if`,
            parameters: {
              conditions: { string: [{ value1: '={{ $json.label }}', operation: 'contains', value2: 'urgent' }] },
            },
          },
          { name: 'Page', type: `${base}httpRequest`, parameters: { requestMethod: 'POST', url: 'https://page.test' } },
          {
            name: 'Log',
            type: `${base}httpRequest`,
            parameters: { requestMethod: 'POST', url: `=https://log.test/{{ $('Page').item.json.id || 0 }}` },
          },
          { name: 'Last', type: `${base}stopAndError`, parameters: { errorMessage: 'over' } },
        ],
        {
          Start: [['Fetch issues']],
          'Fetch issues': [['Loop']],
          Loop: [['Last'], ['Urgent']],
          Urgent: [['Page'], ['Log']],
          Page: [['Log']],
          Log: [['Loop']],
        },
      ),
    );
    expect(errors).toEqual([]);
    expect((workflow['steps'] as object[]).slice(1)).toMatchObject([
      {
        forEach: '${{ steps.fetch_issues.output.body }}',
        maxParallel: 1,
        steps: [
          { switch: [{ when: 'contains(item.label, "urgent")', steps: [{ id: 'page' }] }] },
          {
            id: 'log',
            with: {
              url: expect.stringContaining(
                '${{ cel.bind(found, steps.?page.?output.?body.?id.orValue(null), found in [null',
              ),
            },
          },
        ],
      },
      { fail: 'over' },
    ]);
  });

  test('fails the check at what has no counterpart, and says where that came from', () => {
    const { errors, findings, source } = imported(
      exported(
        [
          { name: 'Start', type: `${base}manualTrigger` },
          { name: 'Clean', type: `${base}code`, parameters: { jsCode: 'return items.map(strip);' } },
          { name: 'Send', type: `${base}httpRequest`, parameters: { url: '={{ $json.link.match(/id=(.*)/)[1] }}' } },
          { name: 'Alone', type: `${base}noOp` },
        ],
        { Start: [['Clean']], Clean: [['Send']] },
      ),
    );
    expect(errors.join()).toContain('notImported');
    expect(source).toContain('tool: code/clean');
    expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'warning tool-needed',
      'warning differs',
      'warning host-needed',
      'error expression-not-imported',
      'warning left-out',
    ]);
  });

  test('asks a model in the place of a chain, with the shape that its parser has', () => {
    const text = exported(
      [
        { name: 'When chat message received', type: '@n8n/n8n-nodes-langchain.chatTrigger' },
        {
          name: 'Judge',
          type: '@n8n/n8n-nodes-langchain.chainLlm',
          parameters: { text: '=Judge: {{ $json.chatInput }}' },
        },
        {
          name: 'Model',
          type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
          parameters: { model: { __rl: true, value: 'small' } },
        },
        {
          name: 'Parser',
          type: '@n8n/n8n-nodes-langchain.outputParserStructured',
          parameters: { jsonSchemaExample: '{"urgent": true, "why": "…"}' },
        },
        {
          name: 'Keep',
          type: `${base}set`,
          typeVersion: 3.4,
          parameters: {
            assignments: { assignments: [{ name: 'why', value: '={{ $json.output.why }}', type: 'string' }] },
          },
        },
      ],
      { 'When chat message received': [['Judge']], Judge: [['Keep']] },
    );
    const connected = JSON.parse(text) as { connections: Record<string, object> };
    const serves = (as: string) => ({ [as]: [[{ node: 'Judge', type: as, index: 0 }]] });
    connected.connections['Model'] = serves('ai_languageModel');
    connected.connections['Parser'] = serves('ai_outputParser');
    const { workflow, errors, findings } = imported(JSON.stringify(connected));
    expect([errors, findings.map(({ code }) => code)]).toEqual([[], ['differs']]);
    expect(workflow['steps']).toEqual([
      {
        id: 'judge',
        sample: {
          append: 'Judge: ${{ inputs.chatInput }}',
          modelPreferences: { hints: [{ name: 'small' }] },
          output: { urgent: { type: 'boolean' }, why: { type: 'string' } },
        },
      },
      { id: 'keep', set: { why: '${{ steps.judge.output.why }}' } },
    ]);
  });

  test('of any shape ends, with a workflow', () => {
    const nodes = ['A', 'B', 'C'].map((name) => ({ name, type: `${base}httpRequest` }));
    const round = imported(exported(nodes, { A: [['B', 'C']], B: [['C', 'A']], C: [['B']] }));
    expect(round.errors).toEqual([]);
    const passing = ['Back', 'On'].map((name) => ({ name, type: `${base}noOp` }));
    const reading = { name: 'Post', type: `${base}slack`, parameters: { text: '={{ $json.a }}' } };
    const around = imported(
      exported(
        [
          ...passing,
          { name: 'Start', type: `${base}formTrigger` },
          { name: 'First', type: `${base}httpRequest` },
          reading,
        ],
        {
          Start: [['First']],
          First: [['On']],
          On: [['Back']],
          Back: [['On', 'Post']],
        },
      ),
    );
    expect(around.source).toContain('text: ${{ steps.first.output.body.a }}');
    expect(imported('{"nodes":[7,null,{"name":4}],"connections":{"x":null}}').errors).toEqual([]);
  });
});
