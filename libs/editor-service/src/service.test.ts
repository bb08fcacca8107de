import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { checkWorkflow } from '@baton/language';
import { known } from '@baton/language/testing';
import { describe, expect, test } from 'vitest';

import { type Hover, type WorkflowGraph, diagnose, graph, hover, readText } from './index.ts';

const here = dirname(fileURLToPath(import.meta.url));
const corpus = join(here, '../../language/corpus');
const read = (path: string): string => readFileSync(path, 'utf8');
const nightly = read(join(here, '../../language/fixtures/nightly-report.workflow.yaml'));

test('nothing that it imports is Node’s, so it runs in browsers', () => {
  const seen = new Set<string>();
  const outside = new Set<string>();
  const follow = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from = ''] of read(file).matchAll(/\bfrom '([^']+)'/g)) {
      if (from.startsWith('.')) follow(resolve(dirname(file), from));
      else if (from.startsWith('@baton/')) follow(join(here, from.replace('@baton', '../..'), 'src/index.ts'));
      else outside.add(from);
    }
  };
  follow(join(here, 'index.ts'));
  expect(seen.size).toBeGreaterThan(60);
  expect([...outside].filter((one) => one.startsWith('node:'))).toEqual([]);
  const globals = /\b(?:process|Buffer|require|setImmediate|__dirname)\b[.(]/;
  expect([...seen].filter((file) => globals.test(read(file).replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')))).toEqual([]);
});

describe('diagnose', () => {
  const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));

  test('says of every file of the corpus what check says, and marks the place', () => {
    expect(files.length).toBeGreaterThan(300);
    for (const file of files) {
      const text = read(join(corpus, file));
      const found = diagnose(readText(text, known));
      expect(found.map(({ span: _span, ...finding }) => finding)).toEqual(checkWorkflow(text, known).findings);
      for (const { span } of found) expect(span[0] <= span[1] && span[1] <= Math.max(1, text.length)).toBe(true);
    }
  });
});

const start = Date.UTC(2026, 10, 20, 12);

function hovered(written: string): Hover | undefined {
  return hover(readText(written.replace('¦', ''), known), written.indexOf('¦'), start);
}

describe('hover of the newer keys', () => {
  const of = (step: string): string => (hovered(`workflow: x\nsteps:\n  - ${step}\n`)?.paragraphs ?? []).join(' ');

  test.each([
    ['{ parallel: [{ set: {} }], un¦til: first }', 'first'],
    ['{ workflow: other, aw¦ait: false }', 'go on at once'],
    ['{ tool: github/ping, retry: { attempts: 2, o¦n: [timeout] } }', 'Codes'],
    ['{ st¦eps: [{ set: {} }] }', 'seen from outside'],
    ['{ st¦ate: { last: 1 } }', 'for the next runs'],
    ['{ state: { last: 1 }, ifUn¦changed: true }', 'state-changed'],
    ['{ steps: [{ set: {} }], fin¦ally: [{ set: {} }] }', 'however it ended'],
  ])('%s', (step, word) => {
    expect(of(step)).toContain(word);
  });
});

describe('hover', () => {
  test.each([
    ['{ ask: Well?, fo¦rm: { note: { type: string } } }', 'What an answer holds.'],
    ['{ ask: Well?, onEx¦pire: { approve: true } }', 'The answer that is taken then'],
    ['{ sample: { append: Hi, out¦put: { a: { type: string } } } }', 'The type of the answer'],
    ['{ tool: github/list_issues, wi¦th: { state: open } }', 'The arguments.'],
  ])('a key that holds another schema is told by the language itself: %s', (step, told) => {
    expect(hovered(`workflow: x\nsteps:\n  - ${step}\n`)?.paragraphs[0]).toContain(told);
  });

  const steps = `workflow: x
inputs: { repo: { type: string } }
on:
  - sched¦ule: "0 6 * * 1-5"
    timezone: Europe/Berlin
steps:
  - id: issues
    tool: github/list_issues
    with: { repo: "\${{ inputs.repo }}", state: open }
  - set: { n: "\${{ size(steps.issues.output.issues) }}" }
`;
  const on = (part: string, at = 1): string => {
    const text = steps.replace('¦', '');
    const offset = text.indexOf(part) + at;
    return `${text.slice(0, offset)}¦${text.slice(offset)}`;
  };

  test('in an entry of `ensure`, a key says what it is for, and the condition which type was read', () => {
    const ensure = (entry: string): string =>
      `workflow: x\nsteps: [{ set: {} }]\nensure: [{ tool: github/list_issues, with: { repo: a }, ${entry} }]\n`;
    expect(hovered(ensure('that: true, with¦in: 1m'))?.paragraphs).toEqual([
      'Reads again until then; absent: it reads once.',
    ]);
    expect(hovered(ensure('that: size(result.output.iss¦ues) > 0'))?.paragraphs[0]).toMatch(
      /^`result\.output\.issues`: list of \{ number: integer/,
    );
    expect(hovered(ensure('that: size(result.out¦put.issues) > 0'))?.paragraphs[0]).toMatch(
      /^`result\.output`: \{ issues/,
    );
  });

  test('a key says what it is for', () => {
    expect(hovered(steps)?.paragraphs).toEqual(['Cron, five or six fields.']);
  });

  test('a schedule shows its next five times, where it is', () => {
    expect(hovered(on('"0 6', 3))?.paragraphs).toEqual([
      'The next times in Europe/Berlin:',
      ['Mon 2026-11-23', 'Tue 2026-11-24', 'Wed 2026-11-25', 'Thu 2026-11-26', 'Fri 2026-11-27']
        .map((day) => `- ${day} 06:00:00`)
        .join('\n'),
    ]);
  });

  test.each([
    ['every: 4¦5m', 'times in UTC', ['Fri 2026-11-20 12:45:00', 'Fri 2026-11-20 13:30:00']],
    [
      'every: 90m, from: "2026-11-2¦1T06:00", timezone: Europe/Berlin',
      'times in Europe/Berlin',
      ['Sat 2026-11-21 06:00:00', 'Sat 2026-11-21 07:30:00'],
    ],
    ['at: "2026-12-24¦T10:00", timezone: Europe/Berlin', 'time in Europe/Berlin', ['Thu 2026-12-24 10:00:00']],
    ['at: "2026-12-24¦T10:00:00+01:00"', 'time in UTC', ['Thu 2026-12-24 09:00:00']],
  ])('A trigger that comes by the clock shows its next times, however it says them: %s', (trigger, named, times) => {
    const [title, list] = hovered(`workflow: x\non: [{ ${trigger} }]\nsteps: [{ set: {} }]\n`)?.paragraphs ?? [];
    expect(title).toBe(`The next ${named}:`);
    expect(list?.split('\n').slice(0, 2)).toEqual(times.map((time) => `- ${time}`));
  });

  test.each([
    ['at: 2020-0¦1-01T10:00', ['There is no next time.']],
    ['at: 2026-02-3¦0T10:00', []],
    ['every: 4¦5 minutes', []],
    ['every: 45m, from: yester¦day', []],
  ])('A trigger shows no times where there are none, or where they are not known: %s', (trigger, said) => {
    const shown = hovered(`workflow: x\non: [{ ${trigger} }]\nsteps: [{ set: {} }]\n`)?.paragraphs ?? [];
    expect(shown.filter((one) => one.includes('next time'))).toEqual(said);
  });

  test('a tool shows its effect and who decided it, its arguments and what it gives', () => {
    const found = hovered(on('github/list_issues', 9));
    expect(found?.paragraphs).toContain("Effect: `read` (the tool's annotations say so).");
    expect(found?.paragraphs.join('\n')).toContain('- `repo`: required text\n- `state`: "open" | "closed" | "all"');
    expect(found?.paragraphs.at(-1)).toContain('Gives `{ issues: list of { number: integer, title: text');
  });

  test('an argument shows its type', () => {
    expect(hovered(on('state: open'))?.paragraphs).toEqual(['`state`: "open" | "closed" | "all"']);
  });

  test('in an expression, the type of the part under the cursor', () => {
    expect(hovered(on('inputs.repo', 9))?.paragraphs).toEqual(['`inputs.repo`: text']);
    expect(hovered(on('steps.issues.output', 7))?.paragraphs[0]).toMatch(
      /^`steps\.issues`: \{ status: text, output: \{ issues: list/,
    );
    expect(hovered(on('size('))?.paragraphs.slice(0, 2)).toEqual([
      '`size(value)`',
      expect.stringContaining('characters'),
    ]);
  });
});

describe('graph', () => {
  const short = ({ nodes, edges }: WorkflowGraph): unknown => ({
    nodes: nodes.map(({ pointer, kind, lane, parent }) => [pointer, kind, lane.label ?? lane.kind, parent]),
    edges: edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`),
  });

  test('of the whole of the language, with every step at its place', () => {
    const { nodes, edges } = graph(readText(nightly));
    const ticket = nodes.find(({ id }) => id === 'ticket');
    expect(ticket).toMatchObject({
      kind: 'tool',
      label: 'jira/create_issue',
      effect: { effect: 'write', from: 'step' },
    });
    expect(nightly.slice(...(ticket?.span ?? [0, 0]))).toMatch(/^id: ticket\n[^]*undo: .*\}$/);
    expect(nodes.filter(({ kind }) => kind === 'trigger').map(({ label }) => label)).toEqual([
      'schedule 0 6 * * 1-5',
      'webhook ci',
      'resource wiki wiki://policies/scan',
      'tool nightly-report',
      'device',
    ]);
    expect(edges).toContainEqual({ from: '/steps/0', to: '/steps/1', kind: 'next' });
    expect(edges).toContainEqual({ from: '/steps/1', to: '/steps/3', kind: 'reads' });
  });

  test('what is parallel is joined by needs alone', () => {
    const text =
      'workflow: x\nsteps:\n  - parallel:\n      - id: a\n        set: { x: 1 }\n      - needs: [a]\n        set: { y: 1 }\n';
    expect(short(graph(readText(text)))).toEqual({
      nodes: [
        ['/steps/0', 'parallel', 'steps', undefined],
        ['/steps/0/parallel/0', 'set', 'parallel', '/steps/0'],
        ['/steps/0/parallel/1', 'set', 'parallel', '/steps/0'],
      ],
      edges: ['/steps/0/parallel/0 needs /steps/0/parallel/1'],
    });
  });

  test('of a file that is half typed, what can be read of it', () => {
    const { nodes } = graph(readText('workflow: x\nsteps:\n  - id: a\n    tool: github/ping\n  - id: b\n    wi'));
    expect(nodes.map(({ id, isBroken }) => [id, isBroken])).toEqual([
      ['a', undefined],
      ['b', true],
    ]);
  });
});
