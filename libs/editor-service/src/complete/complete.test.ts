import { readFileSync } from 'node:fs';

import { DocumentReader } from '@baton/language';
import { known } from '@baton/language/testing';
import { describe, expect, test } from 'vitest';

import { hover } from '../hover/hover.ts';
import { readText } from '../reading/reading.ts';
import { complete } from './complete.ts';
import type { Completion } from './completion.ts';

/** `¦` is the cursor. */
function at(written: string): readonly Completion[] {
  const offset = written.indexOf('¦');
  return complete(written.replace('¦', ''), offset, known).items;
}

const labels = (written: string): string[] => at(written).map(({ label }) => label);

/** The text once the completion of that label is taken, indented as editors do; `$1` and its like are left standing. */
function taking(written: string, label: string): string {
  const text = written.replace('¦', '');
  const found = at(written).find((one) => one.label === label);
  if (found === undefined) throw new Error(`${label} is not offered`);
  const lineStart = text.lastIndexOf('\n', found.replace[0] - 1) + 1;
  const indent = /^\s*/.exec(text.slice(lineStart))?.[0] ?? '';
  const insert = found.insert.replaceAll('\n', `\n${indent}`);
  return text.slice(0, found.replace[0]) + insert + text.slice(found.replace[1]);
}

const head = 'workflow: x\ninputs: { repo: { type: string }, many: { type: integer, default: 2 } }\n';

describe('keys', () => {
  test('of the file, those that are there left out', () => {
    const found = labels('workflow: x\nti¦\nsteps:\n  - set: { a: 1 }\n');
    expect(found).toContain('title');
    expect(found).toContain('onFailure');
    expect(found).not.toContain('steps');
    expect(found).not.toContain('workflow');
  });

  test('a step without a verb is offered verbs first, with what they mean and what they need', () => {
    const text = `${head}steps:\n  - ¦\n`;
    expect(labels(text).slice(0, 3)).toEqual(['tool', 'prompt', 'resource']);
    expect(at(text)[0]).toMatchObject({ kind: 'verb', about: 'Calls a tool.' });
    expect(taking(text, 'tool')).toBe(`${head}steps:\n  - tool: \${1:server/tool}\n    with:\n      $2\n`);
    expect(taking(text, 'repeat')).toContain(
      '- repeat:\n      max: ${1:10}\n      until: $2\n      steps:\n        - $3\n',
    );
    expect(labels(text)).toContain('id');
    expect(labels(text)).not.toContain('effect');
  });

  test('a step with a verb is offered the keys of that verb', () => {
    const found = labels(`${head}steps:\n  - tool: github/ping\n    eff¦\n`);
    expect(found).toContain('effect');
    expect(found).toContain('retry');
    expect(found).not.toContain('forEach');
    expect(found).not.toContain('tool');
  });

  test.each([
    ['a trigger', 'workflow: x\non:\n  - ¦\n', 'schedule'],
    ['a case', `${head}steps:\n  - switch:\n      - ¦\n`, 'when'],
    ['a handler', `${head}steps:\n  - tool: github/ping\n    onError:\n      match: [timeout]\n      ¦\n`, 'steps'],
    ['retries', `${head}steps:\n  - tool: github/ping\n    retry: { ¦ }\n`, 'attempts'],
    [
      'a map in braces that are not closed',
      `${head}steps:\n  - tool: github/ping\n    retry: { attempts: 2, de¦\n`,
      'delay',
    ],
    ['a schema', 'workflow: x\ninputs:\n  repo:\n    ty¦\n', 'type'],
    ['what a repeat needs', `${head}steps:\n  - repeat:\n      max: 3\n      ¦\n`, 'until'],
    ['a race', `${head}steps:\n  - parallel: [{ set: {} }]\n    ¦\n`, 'until'],
    ['a child run', `${head}steps:\n  - workflow: other\n    ¦\n`, 'await'],
    ['retries of some failures', `${head}steps:\n  - tool: github/ping\n    retry: { attempts: 2, ¦ }\n`, 'on'],
    ['a group', `${head}steps:\n  - steps: [{ set: {} }]\n    ¦\n`, 'finally'],
    ['steps of a group', `${head}steps:\n  - steps:\n      - ¦\n`, 'tool'],
    ['a verb for a group', `${head}steps:\n  - ¦\n`, 'steps'],
    ['who wins a race', `${head}steps:\n  - parallel: [{ set: {} }]\n    until: ¦\n`, 'first'],
    ['a child that is not awaited', `${head}steps:\n  - workflow: other\n    await: ¦\n`, 'false'],
    ['codes of failures', `${head}steps:\n  - tool: github/ping\n    retry: { attempts: 2, on: [¦] }\n`, 'timeout'],
    [
      'the round before',
      `${head}steps:\n  - id: r\n    repeat:\n      max: 2\n      until: steps.¦\n      steps: [{ id: a, set: { b: 1 } }]\n`,
      'a',
    ],
    ['JSON', '{ "workflow": "x", "steps": [ { "tool": "github/ping", ¦ } ] }', 'with'],
  ])('%s', (_, text, label) => {
    expect(labels(text)).toContain(label);
  });
});

describe('calls', () => {
  test('tools are found by words of their names', () => {
    expect(labels(`${head}steps:\n  - tool: create¦\n`)).toEqual(['github/create_issue']);
    expect(labels(`${head}steps:\n  - tool: github/¦\n`)).toContain('github/list_issues');
    expect(taking(`${head}steps:\n  - tool: github/cre¦\n    id: a\n`, 'github/create_issue')).toBe(
      `${head}steps:\n  - tool: github/create_issue\n    id: a\n`,
    );
  });

  test('arguments come required first, with type, values and default', () => {
    const found = at(`${head}steps:\n  - tool: github/list_issues\n    with:\n      ¦\n`);
    expect(found.map(({ label }) => label)).toEqual(['repo', 'state', 'limit']);
    expect(found[0]).toMatchObject({ kind: 'argument', isRequired: true, detail: 'required text' });
    expect(found[1]?.detail).toBe('"open" | "closed" | "all"');
  });

  test('arguments in braces, and inside of them', () => {
    expect(labels(`${head}steps:\n  - tool: github/create_issue\n    with: { ti¦ }\n`)).toContain('title');
    expect(labels(`${head}steps:\n  - tool: github/create_issue\n    with: { milestone: { ¦`)).toEqual(['name']);
  });

  test('the values of an argument', () => {
    expect(labels(`${head}steps:\n  - tool: github/list_issues\n    with: { repo: a, state: ¦ }\n`)).toEqual([
      'open',
      'closed',
      'all',
    ]);
    expect(labels(`${head}steps:\n  - tool: github/create_issue\n    with:\n      draft: ¦\n`)).toEqual([
      'true',
      'false',
    ]);
  });

  test('prompts with their arguments, resources with their templates, child workflows with their inputs', () => {
    expect(labels(`${head}steps:\n  - prompt: ¦\n`)).toEqual(['github/report']);
    expect(labels(`${head}steps:\n  - prompt: github/report\n    with: { ¦ }\n`)).toEqual(['audience', 'tone']);
    expect(labels(`${head}steps:\n  - resource: github\n    uri: ¦\n`)).toEqual(['wiki://page/{name}', 'wiki://index']);
    expect(labels(`${head}steps:\n  - resource: github\n    uri: wiki://page/{name}\n    with:\n      ¦\n`)).toEqual([
      'name',
    ]);
    expect(labels(`${head}steps:\n  - workflow: ¦\n`)).toEqual(['scan', 'scan@1', 'writing']);
    expect(labels(`${head}steps:\n  - workflow: scan\n    with:\n      ¦\n`)).toEqual(['url', 'depth']);
  });
});

describe('values', () => {
  test.each([
    ['an enum', `${head}steps:\n  - tool: github/ping\n    effect: ¦\n`, 'idempotent'],
    ['a time zone', 'workflow: x\non:\n  - schedule: "0 6 * * *"\n    timezone: Eur¦\n', 'Europe/Berlin'],
    ['a schedule', 'workflow: x\non:\n  - schedule: ¦\n', '0 6 * * 1-5'],
    ['codes of failures', `${head}steps:\n  - tool: github/ping\n    onError: { match: [¦], steps: [] }\n`, 'timeout'],
    [
      'codes that the file itself gives',
      `${head}steps:\n  - tool: github/ping\n    onError:\n      - match:\n          - ¦\n        steps: []\n  - fail: No\n    code: too-late\n`,
      'too-late',
    ],
    ['a duration', `${head}steps:\n  - tool: github/ping\n    timeout: ¦\n`, '30s'],
    ['the secret of a webhook', 'workflow: x\non:\n  - webhook: a\n    secret: ¦\n', 'CI_HOOK'],
    ['inputs for a trigger', `${head}on:\n  - schedule: "0 6 * * *"\n    inputs: { ¦ }\n`, 'repo'],
    ['the keys of the state', `${head}state: { last: { type: integer } }\nsteps:\n  - state: { ¦ }\n`, 'last'],
    ['the answer of a question', `${head}steps:\n  - ask: Really?\n    expires: 1h\n    onExpire: { ¦ }\n`, 'approve'],
  ])('%s', (_, text, label) => {
    expect(labels(text)).toContain(label);
  });

  test('a schedule is put in quotes', () => {
    expect(taking('workflow: x\non:\n  - schedule: ¦\n', '0 6 * * 1-5')).toContain('schedule: "0 6 * * 1-5"\n');
    expect(taking('workflow: x\non:\n  - schedule: "¦"\n', '0 6 * * 1-5')).toContain('schedule: "0 6 * * 1-5"\n');
  });

  test('The keys of the state are offered in an expression', () => {
    const state = 'state: { last: { type: integer, default: 0 }, seen: { type: string } }\n';
    const found = at(`${head}${state}steps:\n  - set: { a: "\${{ state.¦ }}" }\n`);
    expect(found.filter(({ kind }) => kind === 'field').map(({ label }) => label)).toEqual(['last', 'seen']);
  });

  test('siblings that a step may need', () => {
    const steps =
      'steps:\n  - parallel:\n      - id: a\n        set: {}\n      - id: b\n        set: {}\n      - needs: [¦]\n        set: {}\n';
    expect(labels(head + steps)).toEqual(['a', 'b']);
    expect(labels(head + steps.replace('[¦]', '[a, ¦]'))).toEqual(['b']);
  });
});

describe('expressions', () => {
  const issues = '  - id: issues\n    tool: github/list_issues\n    with: { repo: a }\n';

  test('names in scope come first, functions with their signatures after them', () => {
    const found = at(`${head}steps:\n${issues}  - set: { a: "\${{ ¦ }}" }\n`);
    const names = found.filter(({ kind }) => kind === 'name').map(({ label }) => label);
    expect(names).toEqual(expect.arrayContaining(['inputs', 'steps', 'run']));
    expect(names).not.toContain('secrets');
    expect(found.find(({ label }) => label === 'substring')?.detail).toBe('substring(text, start, end?) → text');
  });

  test.each([
    ['inputs', 'inputs.¦', ['repo', 'many']],
    ['steps that have run', 'steps.¦', ['issues']],
    ['what a step leaves', 'steps.issues.¦', ['status', 'output', 'text', 'content', 'error']],
    ['fields of the output schema', 'steps.issues.output.¦', ['issues']],
    ['fields of an item', 'steps.issues.output.issues[0].ti¦', ['number', 'title', 'state', 'labels', 'milestone']],
    [
      'fields in a function that is not closed',
      'steps.issues.output.issues.filter(i, i.¦',
      ['number', 'title', 'state', 'labels', 'milestone'],
    ],
    ['fields in a comparison', 'size(steps.issues.output.issues) > 1 && steps.issues.output.¦', ['issues']],
    ['fields behind a question', 'true ? inputs.¦', ['repo', 'many']],
    ['a key between brackets', 'inputs["¦"]', ['repo', 'many']],
  ])('%s', (_, source, expected) => {
    const fields = (text: string): string[] =>
      at(text)
        .filter(({ kind }) => kind === 'field' || kind === 'step')
        .map(({ label }) => label);
    expect(fields(`${head}steps:\n${issues}  - set: { a: '\${{ ${source} }}' }\n`)).toEqual(expected);
    expect(fields(`${head}steps:\n${issues}  - if: ${source}\n    set: { a: 1 }\n`)).toEqual(expected);
    expect(fields(`${head}steps:\n${issues}  - set:\n      a: >-\n        \${{ ${source}`)).toEqual(expected);
  });

  test('an item by the name that it has', () => {
    const text = `${head}steps:\n${issues}  - forEach: "\${{ steps.issues.output.issues }}"\n    as: issue\n    steps:\n      - set: { a: "\${{ issue.¦ }}" }\n`;
    expect(labels(text)).toContain('title');
    expect(labels(text.replace('issue.¦', '¦'))).toEqual(expect.arrayContaining(['issue', 'index']));
  });

  test('a step that may not have run is read with a question mark, one with a hyphen between brackets', () => {
    const text = `${head}steps:\n  - switch:\n      - when: inputs.many > 1\n        steps:\n          - id: one\n            set: { a: 1 }\n  - id: may-fail\n    set: { b: 1 }\n  - set: { c: "\${{ steps.¦ }}" }\n`;
    expect(taking(text, 'one')).toContain('steps.?one }}');
    expect(taking(text, 'may-fail')).toContain('steps["may-fail"] }}');
  });

  test('methods that fit what stands before the dot', () => {
    const found = labels(`${head}steps:\n${issues}  - set: { a: "\${{ steps.issues.output.issues.¦ }}" }\n`);
    expect(found).toEqual(expect.arrayContaining(['filter', 'sortBy', 'slice', 'size']));
    expect(found).not.toContain('lower');
  });

  test('secrets are offered in the arguments of the server that they are bound to', () => {
    expect(
      labels(`workflow: bound\nsteps:\n  - tool: github/create_issue\n    with: { body: "\${{ secrets.¦ }}" }\n`),
    ).toContain('BOUND');
    expect(
      labels(`workflow: bound\nsteps:\n  - tool: mail/delete\n    with: { about: "\${{ secrets.¦ }}" }\n`),
    ).not.toContain('BOUND');
    expect(labels('workflow: bound\nsteps:\n  - set: { about: "${{ secrets.¦ }}" }\n')).toEqual([]);
  });
});

test('a server of other workflows, and a secret of theirs, are neither completed nor shown', () => {
  const offer = { kind: 'known', prompts: [], resources: [], resourceTemplates: [] } as const;
  const tools = [{ name: 'pay', description: 'Pays', inputSchema: {} }];
  const theirs = {
    servers: new Map([['bank', { ...offer, tools, allow: ['payments/*'] }]]),
    secrets: new Map([['TOKEN', { workflows: ['payments/*'] }]]),
  };
  const shown = (workflow: string): readonly unknown[] => {
    const text = `workflow: ${workflow}\nsteps:\n  - tool: bank/pay\n    with: { a: "\${{ secrets.T }}" }\n`;
    const all = (after: string): readonly string[] =>
      complete(text, text.indexOf(after) + after.length, theirs).items.map(({ label }) => label);
    return [all('tool: bank'), all('secrets.T'), hover(readText(text, theirs), text.indexOf('bank/pay') + 7, 0)];
  };
  expect(shown('shop/orders')[0]).not.toContain('bank/pay');
  expect(shown('shop/orders')[1]).toEqual([]);
  expect(shown('payments/refunds')[0]).toContain('bank/pay');
  expect(shown('payments/refunds')[1]).toContain('TOKEN');
  expect(shown('payments/refunds')[2]).not.toEqual(shown('shop/orders')[2]);
});

test('a file that is broken elsewhere still completes', () => {
  const text = `${head}steps:\n  - id: "a\n    tool: github/ping\n  - tool: create¦\n`;
  expect(labels(text)).toContain('github/create_issue');
  expect(
    labels(`${head}steps:\n  - tool: github/create_issue\n    with:\n      ti¦\n  - id: b\n    wat: [\n`),
  ).toContain('title');
});

test('completions read on from the text before are those of the whole text', () => {
  const text = readFileSync(
    new URL('../../../language/fixtures/nightly-report.workflow.yaml', import.meta.url),
    'utf8',
  );
  const reader = new DocumentReader();
  for (let i = 0; i < 20; i++) {
    // Along the file, and at each place a few letters further: most of them break the text.
    const at = Math.floor((i * text.length) / 20);
    for (const typed of ['', 's', 'st', '"', '{ ', '${{ steps.'])
      expect(complete(text.slice(0, at) + typed + text.slice(at), at + typed.length, known, reader)).toEqual(
        complete(text.slice(0, at) + typed + text.slice(at), at + typed.length, known),
      );
  }
});

describe('functions', () => {
  const inside = (source: string): string => `${head}steps:\n  - set: { a: "\${{ ${source} }}" }\n`;

  test('A function with a namespace is offered with it, and without it after its point.', () => {
    expect(labels(inside('re¦'))).toContain('regex.extractAll');
    expect(labels(inside('regex.¦'))).toEqual(['extract', 'extractAll', 'replace', 'split']);
    expect(taking(inside('regex.ex¦'), 'extract')).toBe(inside('regex.extract($1)'));
    const replace = at(inside('regex.¦')).find(({ label }) => label === 'replace');
    expect(replace?.detail).toContain('regex.replace(text, pattern, new, most?)');
    expect(labels(inside('inputs.repo.¦'))).not.toContain('regex.extract');
    expect(labels(inside('math.¦'))).toEqual(['round', 'floor', 'ceil', 'abs', 'sqrt']);
  });

  test('The forms of lists are offered after a list.', () => {
    expect(labels(inside('[1].¦'))).toEqual(
      expect.arrayContaining(['find', 'sortBy', 'transformList', 'chunk', 'average']),
    );
  });
});

const ensured = `${head}steps:
  - id: made
    tool: github/create_issue
    with: { title: New }
ensure:
`;

test('An entry of `ensure` is offered what reads, and its own keys.', () => {
  expect(labels(`${ensured}  - ¦\n`)).toEqual(expect.arrayContaining(['tool', 'resource', 'workflow']));
  const keys = labels(`${ensured}  - tool: github/list_issues\n    ¦\n`);
  expect(keys).toEqual(expect.arrayContaining(['with', 'that', 'within', 'every']));
  expect(keys).not.toContain('onError');
});

test('The condition of an `ensure` is offered what was read, and the steps before.', () => {
  const read = `${ensured}  - tool: github/list_issues\n    with: { repo: a }\n    that: `;
  expect(labels(`${read}¦\n`)).toContain('result');
  expect(labels(`${read}result.output.¦\n`)).toContain('issues');
  expect(labels(`${read}steps.¦\n`)).toContain('made');
});
