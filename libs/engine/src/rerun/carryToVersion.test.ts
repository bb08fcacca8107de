import { failing, pathsOf, planOf, textResult, type PlayAnswer } from '@baton/testing';
import { assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type PlayOptions, play, playOn } from '../play/play.ts';
import type { RunEvent } from '../state/event.ts';
import { evolve, replay } from '../state/evolve.ts';
import type { CarriedOutcomes } from './carriedOutcomes.ts';
import { carryToVersion } from './carryToVersion.ts';
import { type RepeatedCall, repeatedCalls, writesFirst } from './repeatedCalls.ts';

interface Mended {
  /** Paths of the calls of the old run, and of the one that goes on with the mended version. */
  readonly first: readonly string[];
  readonly second: readonly string[];
  readonly kept: CarriedOutcomes;
  /** The calls that the answer names as made again. */
  readonly named: readonly RepeatedCall[];
  readonly status: string;
}

interface MendOptions extends PlayOptions {
  readonly from?: string;
  readonly newInputs?: Record<string, number>;
}

/** Plays `text`, and then `mended` from the outcomes that agree; there every call succeeds. */
function mend(text: string, mended: string, { from, newInputs, ...options }: MendOptions = {}): Mended {
  const inputs = { n: 1 };
  const old = play(planOf(text), { inputs, ...options });
  const at = old.nowMs + 1;
  const plan = planOf(mended);
  const changed = { json: newInputs ?? inputs };
  const kept = carryToVersion(plan, old.journal, {
    at,
    from,
    runId: old.run.id,
    inputs: changed,
    blobs: () => undefined,
  });
  const [requested] = old.journal;
  const again = { ...(requested as RunEvent), at, version: 2, inputs: changed, rerunOf: 'old' } as RunEvent;
  const next = playOn(plan, [again, ...kept.events], { ...options, answer: failing() });
  const named = writesFirst(repeatedCalls(old.journal, kept.isRepeated));
  return { first: pathsOf(old.calls), second: pathsOf(next.calls), kept, named, status: next.run.status };
}

const head = 'workflow: w\ninputs: { n: { type: integer, default: 1 } }\n';
const flow = (steps: string): string => `${head}steps:\n${steps}`;
const tool = (id: string, more = ''): string => `  - { id: ${id}, tool: s/${id}${more} }\n`;
const againOf = ({ named }: Mended): string[] => named.map(({ path, outcome }) => `${path} ${outcome}`);

describe('a rerun with another version', () => {
  test('makes no successful call again that is the same', () => {
    const said = mend(
      flow(`${tool('a')}${tool('b', ', with: { x: 1 }')}${tool('c')}`),
      flow(`${tool('a')}${tool('b', ', with: { x: 2 }')}${tool('c')}`),
      { answer: failing('b') },
    );
    expect(said).toMatchObject({ first: ['a', 'b'], second: ['b', 'c'], status: 'succeeded' });
    expect(againOf(said)).toEqual(['b failed']);
    expect(said.kept.events).toMatchObject([{ type: 'step.succeeded', path: 'a', kept: 4 }]);
    expect(said.kept.unmatched).toEqual([]);
  });

  test('makes a call again whose arguments differ, and all that come after it', () => {
    const text = (x: number) => flow(`${tool('a')}${tool('b', `, with: { x: ${x} }`)}${tool('c')}${tool('d')}`);
    const said = mend(text(1), text(2), { answer: failing('d') });
    expect(said.second).toEqual(['b', 'c', 'd']);
    expect(againOf(said)).toEqual(['b succeeded', 'c succeeded', 'd failed']);
  });

  test('makes a call again whose arguments come from a value that differs', () => {
    const text = (x: number) =>
      flow(
        `  - { id: v, set: { x: ${x} } }\n${tool('a')}${tool('b', ', with: { x: "${{ steps.v.x }}" }')}${tool('c')}`,
      );
    expect(mend(text(1), text(2), { answer: failing('c') }).second).toEqual(['b', 'c']);
    expect(mend(text(1), text(1), { answer: failing('c') }).second).toEqual(['c']);
  });

  test('compares calls as the old run made them: its id in an argument is no difference', () => {
    const text = (last: string) =>
      flow(`${tool('a', ', with: { key: "${{ run.id }}", at: "${{ run.startedAt }}" }')}${tool(last)}`);
    const said = mend(text('b'), text('c'), { answer: failing('b') });
    expect(said.second).toEqual(['c']);
    expect(said.kept.unmatched).toEqual(['b']);
    expect(said.named).toEqual([]);
  });

  test('notices new inputs by the calls that differ', () => {
    const text = flow(`${tool('a')}${tool('b', ', with: { n: "${{ inputs.n }}" }')}${tool('c')}`);
    expect(mend(text, text, { answer: failing('c'), newInputs: { n: 2 } }).second).toEqual(['b', 'c']);
    expect(mend(text, text, { answer: failing('c'), newInputs: { n: 1 } }).second).toEqual(['c']);
  });

  test('repeats a step and all after it', () => {
    const text = flow(`${tool('a')}${tool('b')}${tool('c')}`);
    expect(mend(text, text, { from: 'b' }).second).toEqual(['b', 'c']);
  });

  test('names the steps that the new version has no place for, and does not call them', () => {
    const old = flow(
      `  - { id: each, forEach: [1, 2], as: m, steps: [{ id: t, tool: s/t }, { id: u, tool: s/u }] }\n${tool('b')}`,
    );
    const said = mend(
      old,
      flow(`  - { id: each, forEach: [1, 2], as: m, steps: [{ id: t, tool: s/t }] }\n${tool('c')}`),
      {
        answer: failing('b'),
      },
    );
    expect(said.kept.unmatched).toEqual(['each/0/u', 'each/1/u', 'b']);
    expect(said.second).toEqual(['c']);
  });

  test(
    'takes time that grows with the number of items, also where the new version has none of them',
    { timeout: 10_000 },
    () => {
      const count = 40_000;
      const call = { verb: 'tool', server: 's', tool: 't', effect: 'write', arguments: { json: {} } } as const;
      const items = Array.from({ length: count }, (_, index): RunEvent[] => {
        const step = { at: 3, path: `each/${index}/t`, verb: 'tool', attempt: 1 } as const;
        return [
          { ...step, type: 'step.started', call },
          { ...step, type: 'step.succeeded', value: { json: index } },
        ];
      }).flat();
      const [requested, claimed] = play(planOf(flow(tool('a')))).journal as [RunEvent, RunEvent];
      const kept = carryToVersion(planOf(flow(tool('b'))), [requested, claimed, ...items], {
        at: 4,
        runId: 'old',
        inputs: { json: {} },
        blobs: () => undefined,
      });
      expect(kept.unmatched).toHaveLength(count);
      expect(repeatedCalls(items, kept.isRepeated)).toEqual([]);
    },
  );

  test('keeps items, rounds, branches and cases that agree, each on its own', () => {
    const text = (x: number) =>
      flow(`  - { id: each, forEach: [1, 2, 3], as: m, maxParallel: 3, steps: [{ id: t, tool: s/t, with: { m: "\${{ m == 2 ? ${x} : m }}" } }] }
  - parallel:
      - { id: p, tool: s/p, with: { x: ${x} } }
      - { id: q, tool: s/q }
  - id: r
    repeat: { max: 3, every: 1m, until: index == 2, steps: [{ id: i, tool: s/i }] }
  - switch:
      - when: inputs.n == 1
        steps: [{ id: one, tool: s/one }]
      - else: [{ id: other, tool: s/other }]
${tool('last')}`);
    expect(mend(text(1), text(1), { answer: failing('last') }).second).toEqual(['last']);
    expect(mend(text(1), text(7), { answer: failing('last') }).second).toEqual([
      'each/1/t',
      'p',
      'q',
      'r/0/i',
      'r/1/i',
      'r/2/i',
      'one',
      'last',
    ]);
  });

  test('keeps outcomes beside the failed step', () => {
    const text = (x: number) =>
      flow(`  - parallel:
      - { id: a, tool: s/a }
      - switch: [{ when: "true", steps: [{ id: b, tool: s/b }, { fail: no, id: f, if: ${x} == 1 }] }]
      - switch: [{ when: "true", steps: [{ id: c, tool: s/c }, { id: d, tool: s/d }] }]
`);
    const takesMs = new Map([
      ['b', 5],
      ['d', 100],
    ]);
    const answer: PlayAnswer = (made) => ({
      takesMs: takesMs.get(made.path) ?? 1,
      result: textResult({ at: made.path }),
    });
    const said = mend(text(1), text(2), { answer });
    expect(said).toMatchObject({ first: ['a', 'b', 'c', 'd'], second: ['d'], status: 'succeeded' });
  });

  test('asks no question again that was answered, where message and form agree', () => {
    const text = (message: string, more: string) =>
      flow(`  - { id: q, ask: ${message}, form: { yes: { type: boolean } } }\n  - { wait: 1h }\n${tool(more)}`);
    const outside: PlayOptions['outside'] = (run) =>
      run.questions > 0 ? [{ type: 'question.answered', at: run.at, path: 'q', answer: { yes: true }, by: 'ada' }] : [];
    const answer = failing('b');
    const same = mend(text('Shall I?', 'b'), text('Shall I?', 'c'), { answer, outside });
    expect(same.kept.events).toMatchObject([
      { type: 'step.succeeded', path: 'q', by: 'ada' },
      { type: 'step.succeeded', path: 'wait-2' },
    ]);
    expect(mend(text('Shall I?', 'b'), text('May I?', 'c'), { answer, outside }).kept.events).toEqual([]);
  });

  test('keeps a failure that was handled, with what its handler did', () => {
    const text = (last: string) =>
      flow(
        `  - { id: a, tool: s/a, onError: [{ id: h, tool: s/h }] }\n  - { id: b, tool: s/b, onError: ignore }\n${tool(last)}`,
      );
    const answer = failing('a', 'b', 'c');
    expect(mend(text('c'), text('d'), { answer }).second).toEqual(['d']);
    const cut = mend(text('c'), text('d'), { answer: failing('a', 'a/@onError/h') });
    expect(cut.second.slice(0, 1)).toEqual(['a']);
  });

  test('keeps the ended child run, and repeats undone steps', () => {
    const child = flow(`  - { id: k, workflow: other, with: { n: 1 } }\n${tool('b')}`);
    const calls: string[] = [];
    mend(child, child, {
      answer: failing('b'),
      child: (workflow) => {
        calls.push(workflow);
        return { ok: true };
      },
    });
    expect(calls).toEqual(['other']);
    const undone = flow(`${tool('a', ', undo: { tool: s/un }')}${tool('b')}`);
    expect(mend(undone, undone, { answer: failing('b') }).second).toEqual(['a', 'b']);
  });

  test('says first which writes would happen twice', () => {
    const old = play(planOf(flow(`${tool('a')}${tool('b')}${tool('c')}`), { 's/a': 'read' }), { answer: failing('c') });
    const plan = planOf(flow(`${tool('a', ', with: { x: 1 }')}${tool('b')}${tool('c')}`), { 's/a': 'read' });
    const { isRepeated } = carryToVersion(plan, old.journal, {
      at: old.nowMs,
      runId: old.run.id,
      inputs: { json: {} },
      blobs: () => undefined,
    });
    const named = writesFirst(repeatedCalls(old.journal, isRepeated));
    expect(named.map(({ path, effect, outcome }) => [path, effect, outcome])).toEqual([
      ['b', 'write', 'succeeded'],
      ['a', 'read', 'succeeded'],
      ['c', 'write', 'failed'],
    ]);
  });
});

/**
 * Goal: after any change of the workflow, the new run folds, ends, and repeats no write that both versions make alike before the first
 * difference.
 * Method: random lists of steps with one failing call, of which one is changed.
 */
test('any other version continues where it differs', () => {
  const step = record({ kind: constantFrom('tool', 'set', 'each', 'parallel'), x: integer({ min: 0, max: 3 }) });
  const textOf = ({ kind, x }: { kind: string; x: number }, i: number): string => {
    const call = (id: string) => `{ id: ${id}, tool: s/t, with: { x: ${x} } }`;
    if (kind === 'tool') return `  - ${call(`t${i}`)}\n`;
    if (kind === 'set') return `  - { id: v${i}, set: { x: ${x} } }\n`;
    if (kind === 'each') return `  - { id: e${i}, forEach: [1, 2], as: m, steps: [${call('t')}] }\n`;
    return `  - { id: p${i}, parallel: [${call(`t${i}`)}, ${call(`u${i}`)}] }\n`;
  };
  assert(
    property(record({ a: step, b: step, c: step, d: step }), integer({ min: 0, max: 3 }), ({ a, b, c, d }, at) => {
      const steps = [a, b, c, d];
      const changed = steps.map((one, i) => (i === at ? { kind: 'tool', x: 9 } : one));
      const [text, mended] = [steps, changed].map((list) => flow(`${list.map(textOf).join('')}${tool('last')}`));
      const said = mend(text ?? '', mended ?? '', { answer: failing('last') });
      expect(said.status).toBe('succeeded');
      expect(said.kept.events.reduce(evolve, replay('r', [requested]))).toMatchObject({ status: 'queued' });
      const before = steps.slice(0, at).flatMap((one, i) => (one.kind === 'set' ? [] : [`${one.kind[0]}${i}`]));
      const isBefore = (path: string): boolean => before.some((id) => path === id || path.startsWith(`${id}/`));
      expect(said.second.filter(isBefore)).toEqual([]);
    }),
    { numRuns: 100, seed: 1 },
  );
});

const requested: RunEvent = {
  type: 'run.requested',
  at: 1,
  workflow: 'w',
  definition: 'd',
  inputs: { json: {} },
  trigger: { kind: 'api' },
  by: 'ada',
};
