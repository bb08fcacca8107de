import type { Edition } from '@baton/expressions';
import { compile, parseWorkflow } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from './play/play.ts';
import { rowOf } from './state/row.ts';

const outputsOf = (text: string, answer?: (made: SimulatedCall) => CallResult): unknown => {
  const { run } = play(planOf(text, { 's/read': 'read' }), answer === undefined ? {} : { answer });
  const { outputs, failure } = rowOf(run);
  return failure ?? (outputs && 'json' in outputs ? outputs.json : undefined);
};

describe('a `repeat`', () => {
  test('hands the round before to the next: paging by cursor, and a running total', () => {
    const pages: Record<string, JsonObject> = {
      first: { items: [1, 2], next: 'b' },
      b: { items: [3], next: 'c' },
      c: { items: [4] },
    };
    const text = `
workflow: w
steps:
  - id: pages
    repeat:
      max: 10
      until: "!has(steps.page.output.next)"
      steps:
        - id: page
          tool: s/read
          with: { cursor: "\${{ steps.pages.?steps.?page.?output.?next }}" }
        - id: all
          set: { items: "\${{ steps.pages.?steps.?all.?items.orValue([]) + steps.page.output.items }}" }
outputs: { items: "\${{ steps.pages.steps.all.items }}", rounds: "\${{ steps.pages.iterations }}" }
`;
    const calls: unknown[] = [];
    const answer = ({ arguments: given }: SimulatedCall): CallResult => {
      calls.push(given);
      const cursor = typeof given['cursor'] === 'string' ? given['cursor'] : 'first';
      return { result: { content: [], structuredContent: pages[cursor] ?? {} } };
    };
    expect(outputsOf(text, answer)).toEqual({ items: [1, 2, 3, 4], rounds: 3 });
    expect(calls).toEqual([{}, { cursor: 'b' }, { cursor: 'c' }]);
  });

  test('that is exhausted keeps its last round, for what comes after and for its handler', () => {
    const text = `
workflow: w
steps:
  - id: tries
    onError:
      - id: handled
        set: { n: "\${{ steps.tries.?steps.?draft.?n }}", of: "\${{ steps.tries.iterations }}" }
      - fail: "\${{ json(steps.handled.output) }}"
    repeat:
      max: 3
      until: "false"
      steps: [{ id: draft, set: { n: "\${{ index }}" } }]
`;
    expect(outputsOf(text)).toMatchObject({ message: '{"n":2,"of":3}' });
    const ignored = text.replace(/onError:[^]*?repeat/, 'onError: ignore\n    repeat');
    expect(
      outputsOf(
        `${ignored}outputs: { best: "\${{ steps.tries.?steps.?draft.?n }}", of: "\${{ steps.tries.?iterations }}" }`,
      ),
    ).toEqual({ best: 2, of: 3 });
  });
});

const once = (retry: string): string => `
workflow: w
steps:
  - { id: a, tool: s/read, effect: read, ${retry} }
`;

const triesOf = (text: string, code: string, edition?: Edition): number => {
  const { workflow } = parseWorkflow(text);
  if (workflow === undefined) throw new Error('it does not parse');
  const plan = compile(workflow, edition === undefined ? {} : { edition });
  return play(plan, { answer: () => ({ failure: { code, message: 'No.' }, delivery: 'answered' }) }).calls.length;
};

describe('retries', () => {
  test('a failure that the tool itself reports is final, unless the step says otherwise', () => {
    expect(triesOf(once('with: {}'), 'tool-failed')).toBe(1);
    expect(triesOf(once('retry: { on: [tool-failed] }'), 'tool-failed')).toBe(3);
    expect(triesOf(once('retry: { on: [tool-failed] }'), 'timeout')).toBe(1);
    expect(triesOf(once('with: {}'), 'timeout')).toBe(3);
  });

  test('a version of the first edition tries it again, as when its runs began', () => {
    expect(triesOf(once('with: {}'), 'tool-failed', 1)).toBe(3);
  });

  test('a `write` that answered is never made again, even if `on` names its failure', () => {
    expect(triesOf(once('retry: { on: [tool-failed] }').replace('effect: read', 'effect: write'), 'tool-failed')).toBe(
      1,
    );
  });
});

test('[L-063] a chain of child failures names the root cause first', () => {
  const text = 'workflow: w\nsteps: [{ id: c, workflow: other }]\n';
  const failing = (message: string) => ({
    child: () => ({
      status: 'failed' as const,
      failure: { code: message.includes('By way of') ? 'child-failed' : 'timeout', message },
    }),
  });
  const first = rowOf(play(planOf(text), failing('No answer came in time.')).run).failure?.message ?? '';
  expect(first).toMatch(/^timeout: No answer came in time\. By way of: the child run \S+ failed\.$/);
  const second = rowOf(play(planOf(text), failing(first)).run).failure?.message ?? '';
  expect(second).toMatch(
    /^timeout: No answer came in time\. By way of: the child run \S+ failed, the child run \S+ failed\.$/,
  );
});

test('an id with hyphens is read in brackets', () => {
  const text = `
workflow: w
steps:
  - { id: may-fail, tool: s/read }
outputs: { text: '\${{ steps["may-fail"].text + steps[?"may-fail"].?text.orValue("") }}' }
`;
  expect(outputsOf(text, () => ({ result: textResult('a') }))).toEqual({ text: '"a""a"' });
});
