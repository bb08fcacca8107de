import { type RunEvent, replay, Trace, type CallResult, type SimulatedCall, play } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { planOf } from '@baton/testing';
import pc from 'picocolors';
import { describe, expect, test } from 'vitest';

import { widthOf } from '../output/text.ts';
import { drawRun, linesOf } from './drawRun.ts';
import { drawFailures, failureLines } from './failures.ts';
import { outlineOf } from './outline.ts';
import { headOfRun } from './runHead.ts';

const paint = pc.createColors(false);

interface Played {
  readonly text: string;
  readonly answer?: (made: SimulatedCall) => CallResult;
  readonly inputs?: JsonObject;
}

interface Look {
  /** How much of the journal has happened. */
  readonly until?: (event: RunEvent) => boolean;
  readonly afterMs?: number;
  readonly width?: number;
  readonly withPlan?: boolean;
}

/** Plays a workflow, and draws it as it stands after the event that `until` names; at its end otherwise. */
function drawn(
  { text, answer, inputs }: Played,
  { until, afterMs = 0, width = 100, withPlan = true }: Look = {},
): string[] {
  const plan = planOf(text);
  const { journal } = play(plan, { ...(answer && { answer }), ...(inputs && { inputs }) });
  const last = until === undefined ? journal.length - 1 : journal.findIndex(until);
  const events = journal.slice(0, last + 1);
  const run = replay('019a0000-0000-7000-8000-000000000001', events);
  const { steps } = Trace.of(events);
  const head = headOfRun(run);
  const outline = withPlan ? outlineOf(plan, text) : undefined;
  const options = { width, nowMs: run.at + afterMs, paint };
  return [
    ...linesOf(drawRun({ head, steps, outline }, options)),
    ...drawFailures(head, steps, { paint, columns: () => width }, outline),
  ];
}

const lineWith = (lines: readonly string[], text: string): string => lines.find((line) => line.includes(text)) ?? '';

const twoSteps = `
workflow: two
title: Two steps
steps:
  - id: first
    title: Fetch it
    tool: web/fetch
  - id: second
    tool: web/store
    retry: { attempts: 3, delay: 10s, backoff: fixed, jitter: false, on: [tool-failed] }
    effect: idempotent
`;

const takes = (takesMs: number): CallResult => ({ takesMs, result: { content: [] } });

const refusal = { code: 'tool-failed', message: 'no room left\nask the owner' } as const;

const refuses = ({ target }: SimulatedCall): CallResult =>
  target === 'web/store' ? { takesMs: 100, failure: refusal, delivery: 'answered' } : takes(1_500);

describe('the tree of a run', () => {
  test('names the workflow first and how it ended last', () => {
    const lines = drawn({ text: twoSteps, answer: () => takes(1_500) });
    expect(lines[0]).toBe('two@1  Two steps  run 019a0000-0000-7000-8000-000000000001');
    expect(lines.at(-1)).toBe('✓ succeeded in 3.0 s');
    expect(lines).toHaveLength(4);
  });

  test('has a line for each step: its title, what it calls, and how long that took', () => {
    const lines = drawn({ text: twoSteps, answer: () => takes(1_500) });
    expect(lines[1]).toMatch(/^✓ Fetch it {2}web\/fetch .* 1\.5 s$/);
    expect(lines[2]).toMatch(/^✓ second {4}web\/store .* 1\.5 s$/);
  });

  test('shows what is to come, and counts, while the run goes on', () => {
    const until = ({ type }: RunEvent): boolean => type === 'step.started';
    const lines = drawn({ text: twoSteps }, { until, afterMs: 2_500 });
    expect(lines[1]).toMatch(/^● Fetch it .* 2\.5 s$/);
    expect(lines[2]).toMatch(/^◌ second +web\/store$/);
    expect(lines.at(-1)).toBe('● running · 0 of 2 steps · 2.5 s');
  });

  test('counts the steps that act, as the sentence about the run does, and not the blocks around them', () => {
    const text = `
workflow: both
steps:
  - parallel: [{ id: left, tool: web/fetch }, { id: right, tool: web/fetch }]
  - switch: [{ when: run.id != "", steps: [{ id: even, tool: web/fetch }] }, { else: [{ id: odd, tool: web/fetch }] }]
  - { id: rest, forEach: "\${{ [1, 2] }}", steps: [{ id: item, tool: web/fetch }] }
`;
    const after = (path: string): string | undefined =>
      drawn({ text }, { until: (event) => event.type === 'step.started' && event.path === path }).at(-1);
    expect(after('left')).toContain(' 0 of 5 steps ');
    expect(after('rest/1/item')).toContain(' 3 of 5 steps ');
  });

  test('shows only steps that have begun if the plan is unknown', () => {
    const until = ({ type }: RunEvent): boolean => type === 'step.started';
    const lines = drawn({ text: twoSteps }, { until, withPlan: false });
    expect(lines[1]).toMatch(/^● first +web\/fetch/);
    expect(lines).toHaveLength(3);
  });

  test('says when a step is tried again, and which attempt that is', () => {
    const until = ({ type }: RunEvent): boolean => type === 'step.retrying';
    const lines = drawn({ text: twoSteps, answer: refuses }, { until, afterMs: 4_000 });
    expect(lineWith(lines, 'second')).toMatch(/^↻ .*attempt 2 of 3, again in 6\.0 s/);
  });

  test('ends with what went wrong, and tells how much did not begin', () => {
    const text = `${twoSteps}\n  - id: third\n    tool: web/more\n`;
    const lines = drawn({ text, answer: refuses });
    expect(lineWith(lines, 'second')).toMatch(/^✗ second {4}web\/store .*tool-failed · after 3 attempts/);
    expect(lines).toContain('◌ 1 more step did not begin');
    expect(lines.slice(-4)).toEqual(['', '✗ second  tool-failed', '  no room left', '  ask the owner']);
  });

  test('says it where no step began', () => {
    const failure = { code: 'cancelled', message: 'the run was cancelled' } as const;
    const end: RunEvent = { type: 'run.finished', at: 1_700_000_000_000, status: 'cancelled', failure };
    const [requested] = play(planOf(twoSteps)).journal;
    if (requested === undefined) throw new Error('a journal begins with the request');
    const ended = (text: string): string[] => {
      const run = replay('r', [requested, end]);
      const options = { width: 80, nowMs: run.at, paint };
      return linesOf(drawRun({ head: headOfRun(run), steps: [], outline: outlineOf(planOf(text)) }, options));
    };
    expect(ended(twoSteps)).toContain('◌ none of its 2 steps began');
    expect(ended('workflow: one\nsteps: [{ id: a, tool: s/t }]\n')).toContain('◌ its step did not begin');
  });

  test('separates the failure that ended the run from failures that may have been handled', () => {
    const text = `${twoSteps}\n    onError: [{ set: { seen: true } }]\n  - { id: last, fail: enough }\n`;
    const lines = drawn({ text, answer: refuses });
    const from = lines.indexOf('✗ last  workflow-failed');
    expect(lines.slice(from, from + 6)).toEqual([
      '✗ last  workflow-failed',
      '  enough',
      '',
      'Other failed steps:',
      '',
      '✗ second  tool-failed',
    ]);
  });

  test('A run shows each cause of failed items once, with how many items failed for it.', () => {
    const text = `
workflow: rows
steps:
  - id: all
    forEach: \${{ range(9) }}
    as: n
    onItemError: collect
    steps: [{ id: row, tool: web/store, with: { n: "\${{ n }}" } }]
  - { id: last, fail: enough }
`;
    const lines = drawn({
      text,
      answer: ({ arguments: { n } }) => ({
        failure: { code: 'tool-failed', message: `Row ${Number(n)} has no customer` },
        delivery: 'answered',
      }),
    });
    const told = lines.slice(lines.indexOf('Other failed steps:') + 2);
    expect(told).toEqual([
      '✗ all/0/row  tool-failed',
      '  Row 0 has no customer',
      '  … and 8 steps more, for the same cause',
    ]);
  });

  test('puts the steps of a parallel inside it', () => {
    const text = `
workflow: both
steps:
  - parallel:
      - id: left
        tool: web/fetch
      - id: right
        tool: web/fetch
`;
    const lines = drawn({ text });
    // As it is written in `baton runs show RUN parallel-1`.
    expect(lines[1]).toMatch(/^✓ parallel-1 /);
    expect(lines.slice(2, 4).map((line) => line.slice(0, 9))).toEqual(['  ✓ left ', '  ✓ right']);
  });

  test('shows a bar for progress that has a total', () => {
    const journal: readonly RunEvent[] = [
      ...play(planOf(twoSteps)).journal.slice(0, 3),
      {
        type: 'step.progressed',
        at: 1_700_000_001_000,
        path: 'first',
        attempt: 1,
        progress: 3,
        total: 4,
        message: 'nearly',
      },
    ];
    const run = replay('r', journal);
    const { steps } = Trace.of(journal);
    const lines = linesOf(drawRun({ head: headOfRun(run), steps }, { width: 100, nowMs: run.at, paint }));
    expect(lineWith(lines, 'first')).toMatch(/nearly {2}━{12}─{4} {3}75 %/);
  });

  test('lists a few items, and of many only what fails or goes on, however many there are', () => {
    const text = `
workflow: many
inputs: { count: { type: integer } }
steps:
  - id: all
    forEach: "\${{ range(inputs.count) }}"
    as: one
    onItemError: collect
    steps:
      - tool: web/fetch
        id: get
        with: { n: "\${{ one }}" }
`;
    const answer = ({ arguments: given }: SimulatedCall): CallResult =>
      given['n'] === 7 ? { failure: refusal, delivery: 'answered' } : takes(5);
    const few = drawn({ text, inputs: { count: 3 } });
    expect(few.filter((line) => line.includes('get'))).toHaveLength(3);
    const many = drawn({ text, answer, inputs: { count: 200 } });
    expect(lineWith(many, 'all')).toContain('200 items');
    expect(lineWith(many, 'all')).toContain('1 of 200 failed');
    expect(many.filter((line) => line.includes('get'))).toEqual([expect.stringContaining('✗ [7] get')]);
  });

  test('fits into the width that there is', () => {
    const text = twoSteps
      .replace('Fetch it', 'Fetch 很长的标题很长的标题很长的标题很长的标题很长的标题')
      .replace('web/fetch', `web/${'long_'.repeat(20)}`);
    for (const width of [24, 40, 60, 100]) {
      const lines = drawn({ text, answer: refuses }, { width }).slice(0, 4);
      expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
    }
  });

  test('has a hint within the width, too', () => {
    const failure = { code: 'outcome-unknown', message: 'Its answer is lost.' };
    const lines = failureLines(failure, { paint, columns: () => 60 });
    expect(lines.filter((line) => line.includes('hint:'))).toHaveLength(1);
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
  });

  test('says in which line of the file an expression failed, and what fits it', () => {
    const text = twoSteps.replace(/$/, '  - { id: read, set: { x: "${{ int(\'Echo\' + run.id) }}" } }\n');
    const lines = drawn({ text }, { width: 80 });
    const line = text.split('\n').findIndex((one) => one.includes('id: read')) + 1;
    expect(lines.join('\n')).toContain(`at line ${line}, column 27 of the workflow`);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain('hint: where it may be another text, test it first');
    expect(lines.filter((one) => one.length > 80)).toEqual([]);
    expect(drawn({ text }, { withPlan: false }).join('\n')).not.toContain('of the workflow');
  });

  test('shows text from elsewhere on one line, without control characters', () => {
    const failure = { code: 'tool-failed', message: 'red \u001B[31m\u0007 alert\r\nand more' } as const;
    const text = drawn({ text: twoSteps, answer: () => ({ failure, delivery: 'answered' }) }).join('\n');
    expect(text.match(/(?!\n)[\p{Cc}\p{Cf}]/gu)).toBe(null);
    expect(text).toContain('alert');
  });
});

test('a step of a run that was set aside no longer runs, and its time ends with the run', () => {
  const text = 'workflow: one\nsteps:\n  - { id: a, tool: s/t }\n';
  const dies = (): CallResult => ({ workerDies: true });
  const [now, later] = [0, 3_600_000].map((afterMs) => drawn({ text, answer: dies }, { afterMs }));
  expect(lineWith(now ?? [], 's/t')).toContain('it may or may not have happened');
  expect(later).toEqual(now);
});

test('A step that did its work is marked as failed where what it ensures is not true and was ignored.', () => {
  const lines = drawn({
    text: 'workflow: w\nsteps:\n  - id: labelled\n    tool: s/label\n    onError: ignore\n    ensure: [{ tool: s/look, effect: read, that: result.output.ok }]\n',
    answer: ({ target }) => ({
      result: { content: [{ type: 'text', text: JSON.stringify({ ok: target !== 's/look' }) }] },
    }),
  });
  expect(lineWith(lines, 's/label')).toMatch(/✗ labelled .*not-achieved/);
});
