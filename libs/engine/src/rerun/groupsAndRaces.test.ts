/**
 * What a run keeps of groups, races, joined ids and children that were not awaited, in the same version and in a mended
 * one.
 */
import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play, playOn } from '../play/play.ts';
import type { RunEvent } from '../state/event.ts';
import { rowOf } from '../state/row.ts';
import { carryOutcomes } from './carriedOutcomes.ts';
import { carryToVersion } from './carryToVersion.ts';
import { repeatedCalls } from './repeatedCalls.ts';

interface GoingOn {
  /** Without its name; every `MENDED` is another text in the mended version. */
  readonly file: string;
  /** Paths of the calls that fail in the old run. */
  readonly fails: readonly string[];
  /** Of calls that take longer than a millisecond. */
  readonly takesMs?: Readonly<Record<string, number>>;
  /** Calls of the run that goes on. */
  readonly again: readonly string[];
  /** Calls that it is said to make; absent: these. */
  readonly named?: readonly string[];
  readonly outputs?: unknown;
}

const broken: CallResult = { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' };

const goingOn: Readonly<Record<string, GoingOn>> = {
  'a group that succeeded, with its `finally`, is kept': {
    file: 'steps: [{ id: g, steps: [{ id: a, tool: s/a }], finally: [{ id: f, tool: s/f }] }, { id: last, tool: s/last, with: { x: MENDED } }]',
    fails: ['last'],
    again: ['last'],
  },
  'a group goes on at the step that failed, and cleans up again': {
    file: 'steps: [{ id: g, steps: [{ id: a, tool: s/a }, { id: b, tool: s/b, with: { x: MENDED } }], finally: [{ id: f, tool: s/f }] }]',
    fails: ['b'],
    again: ['b', 'g/@finally/f'],
  },
  'a group whose `finally` failed goes on there': {
    file: 'steps: [{ id: g, steps: [{ id: a, tool: s/a }], finally: [{ id: f, tool: s/f }, { id: h, tool: s/h, with: { x: MENDED } }] }]',
    fails: ['g/@finally/h'],
    again: ['g/@finally/h'],
  },
  'a race that was won is kept, with what came after it': {
    file: 'steps: [{ id: r, until: first, parallel: [{ id: a, tool: s/a }, { id: b, tool: s/b }] }, { id: c, tool: s/c, with: { by: "${{ steps.r.first }}" } }, { id: last, tool: s/last, with: { x: MENDED } }]\noutputs: { by: "${{ steps.r.first }}", a: "${{ steps.?a.?status }}" }',
    fails: ['last'],
    takesMs: { a: 900 },
    again: ['last'],
    outputs: { by: 'b' },
  },
  'a race that was won while another step of it was not ensured yet is kept': {
    file: 'steps: [{ id: r, until: first, parallel: [{ id: a, tool: s/a, ensure: [{ tool: s/look, effect: read, that: "true" }] }, { id: b, tool: s/b }] }, { id: last, tool: s/last, with: { x: MENDED } }]',
    fails: ['last'],
    takesMs: { b: 5, 'a/@ensure/ensure.1/0/tool-1': 900 },
    again: ['last'],
    // A read that was stopped.
    named: ['a/@ensure/ensure.1/0/tool-1', 'last'],
  },
  'a race of groups that was won is kept': {
    file: 'steps: [{ id: r, until: first, parallel: [{ id: g, steps: [{ id: a, tool: s/a }, { id: a2, tool: s/a2 }] }, { id: b, tool: s/b }] }, { id: last, tool: s/last, with: { x: MENDED } }]',
    fails: ['last'],
    takesMs: { b: 5, a2: 900 },
    again: ['last'],
  },
  'a race in which both succeeded keeps its winner': {
    file: 'steps: [{ id: r, until: first, parallel: [{ id: a, tool: s/a }, { id: b, tool: s/b }] }, { id: last, tool: s/last, with: { x: MENDED, by: "${{ steps.r.first }}" } }]\noutputs: { by: "${{ steps.r.first }}" }',
    fails: ['last'],
    again: ['last'],
    outputs: { by: 'a' },
  },
  'the step of the case that was taken is the one that is kept': {
    file: 'steps: [{ switch: [{ when: run.id == "", steps: [{ id: v, tool: s/one }] }, { else: [{ id: v, tool: s/two, onError: ignore }] }] }, { id: last, tool: s/last, with: { x: MENDED } }]\noutputs: { v: "${{ steps.v.status }}" }',
    fails: ['v', 'last'],
    again: ['last'],
    outputs: { v: 'failed' },
  },
  'a step whose handler took its place is kept with it': {
    file: 'steps: [{ id: v, tool: s/v, onError: [{ id: v, tool: s/other }] }, { id: last, tool: s/last, with: { x: MENDED, at: "${{ steps.v.output.at }}" } }]\noutputs: { at: "${{ steps.v.output.at }}" }',
    fails: ['v', 'last'],
    again: ['last'],
    outputs: { at: 'v/@onError/v' },
  },
  'a child that was not awaited is not begun again': {
    file: 'steps: [{ id: c, workflow: other, await: false }, { id: last, tool: s/last, with: { x: MENDED } }]\noutputs: { run: "${{ steps.c.runId }}" }',
    fails: ['last'],
    again: ['last'],
    outputs: { run: 'child' },
  },
};

const textOf = (file: string, mended: number): string => `workflow: w\n${file.replaceAll('MENDED', String(mended))}\n`;

function goOn({ file, fails, takesMs = {}, outputs }: GoingOn, isMended: boolean): unknown {
  const answerTo =
    (failing: readonly string[]) =>
    ({ path }: SimulatedCall): CallResult =>
      failing.includes(path) ? broken : { takesMs: takesMs[path] ?? 1, result: textResult({ at: path }) };
  let children = 0;
  const child = (): null => {
    children += 1;
    return null;
  };
  const old = play(planOf(textOf(file, 1)), { answer: answerTo(fails), child });
  const plan = planOf(textOf(file, isMended ? 2 : 1));
  const at = old.nowMs + 1;
  const change = { at, runId: old.run.id, inputs: { json: {} }, blobs: () => undefined };
  const kept = isMended ? carryToVersion(plan, old.journal, change) : carryOutcomes(plan, old.journal, { at });
  const again = { ...(old.journal[0] as RunEvent), at, rerunOf: 'old' } as RunEvent;
  const next = playOn(plan, [again, ...kept.events], { answer: answerTo([]), child });
  const row = rowOf(next.run);
  return {
    status: next.run.status,
    again: next.calls.map(({ path }) => path),
    named: repeatedCalls(old.journal, kept.isRepeated).map(({ path }) => path),
    children,
    ...(outputs === undefined ? {} : { outputs: row.outputs && 'json' in row.outputs ? row.outputs.json : undefined }),
  };
}

describe.each([
  ['the same version', false],
  ['a mended version', true],
] as const)('in %s', (_, isMended) => {
  test.each(Object.entries(goingOn))('%s', (name, one) => {
    const children = name.includes('child') ? 1 : 0;
    const expected = { status: 'succeeded', again: one.again, named: one.named ?? one.again, children };
    expect(goOn(one, isMended)).toEqual({
      ...expected,
      ...(one.outputs === undefined ? {} : { outputs: one.outputs }),
    });
  });
});
