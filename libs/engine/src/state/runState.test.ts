import type { JsonObject } from '@baton/primitives';
import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { decide } from '../decide/decide.ts';
import { play } from '../play/play.ts';
import { carryOutcomes, nothingCarried, withStateSeen } from '../rerun/carriedOutcomes.ts';
import { carryToVersion } from '../rerun/carryToVersion.ts';
import { repeatedCalls } from '../rerun/repeatedCalls.ts';
import type { EventOf, RunEvent } from './event.ts';
import { evolve, replay } from './evolve.ts';
import { rowOf } from './row.ts';
import { stateAtStart, stateChanged, stateWritesIn } from './runState.ts';

const counter = planOf(`
workflow: w
state:
  count: { type: integer, default: 0 }
  last: { type: string }
steps:
  - { id: add, state: { count: "\${{ state.count + 1 }}" } }
  - { id: seen, set: { count: "\${{ state.count }}", last: "\${{ state.last }}" } }
  - { id: mail, tool: mail/send }
outputs: { written: "\${{ steps.add.count }}", read: "\${{ steps.seen.count }}", last: "\${{ state.last }}" }
`);

const outputsOf = (given: ReturnType<typeof play>): unknown => {
  const { outputs } = rowOf(given.run);
  return outputs && 'json' in outputs ? outputs.json : undefined;
};

const failureOf = (given: ReturnType<typeof play>): string | undefined => rowOf(given.run).failure?.code;

const writes = ({ run, journal }: ReturnType<typeof play>) => stateWritesIn(run, journal);

const playFailing = (state: JsonObject) =>
  play(counter, { state, answer: () => ({ failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' }) });

describe('the state of a workflow', () => {
  test('A run reads the defaults of state that no run has written, and null where there is none.', () => {
    expect(outputsOf(play(counter))).toEqual({ written: 1, read: 0, last: null });
  });

  test('A run reads what earlier runs wrote, and not what it writes itself.', () => {
    const played = play(counter, { state: { count: 4, last: 'x' } });
    expect(outputsOf(played)).toEqual({ written: 5, read: 4, last: 'x' });
    expect(writes(played)).toEqual([{ path: 'add', values: { count: 5 } }]);
  });

  test('A null that was written is read as null, and not as the default.', () => {
    const text =
      'workflow: w\nstate: { last: { default: 3 } }\nsteps: [{ set: { a: 1 } }]\noutputs: { last: "${{ state.last }}" }';
    expect(outputsOf(play(planOf(text), { state: { last: null } }))).toEqual({ last: null });
  });

  test('A run whose workflow declares another type than the stored value has fails before its first step.', () => {
    const played = play(counter, { state: { count: 'many' } });
    expect(failureOf(played)).toBe('state-unfit');
    expect(rowOf(played.run).failure?.message).toContain('Declare what takes it');
    expect(played.calls).toEqual([]);
  });

  test('A write of state that a rerun makes again is named, and one that it keeps is not.', () => {
    const { journal } = playFailing({ count: 1 });
    const again = { path: 'add', verb: 'state', target: 'state.count', effect: 'write', outcome: 'succeeded' };
    expect(repeatedCalls(journal, () => true)).toEqual([again, expect.objectContaining({ path: 'mail' })]);
    expect(repeatedCalls(journal, (path) => path !== 'add')).toEqual([expect.objectContaining({ path: 'mail' })]);
  });

  test('A value that does not fit the declared state, or is too large, is not written.', () => {
    const given = (value: string) =>
      planOf(`
workflow: w
state: { count: { type: integer, default: 0 }, text: { type: string, default: "" } }
inputs: { value: {} }
steps: [{ state: ${value} }]`);
    const unfit = play(given('{ count: "${{ inputs.value }}" }'), { inputs: { value: 'three' } });
    expect([failureOf(unfit), writes(unfit)]).toEqual(['state-unfit', []]);
    const large = play(given('{ text: "${{ inputs.value }}" }'), { inputs: { value: 'x'.repeat(65_536) } });
    expect([failureOf(large), writes(large)]).toEqual(['limit-exceeded', []]);
  });

  test('A write that the database refused fails its step, and its handler can answer.', () => {
    const plan = planOf(`
workflow: w
state: { count: { type: integer, default: 0 } }
steps:
  - state: { count: 1 }
    ifUnchanged: true
    onError: { match: [state-changed], steps: [{ set: { other: true } }] }`);
    const begun = play(plan).journal.slice(0, 3);
    const run = replay('r', begun);
    const refusals = new Map([['state-1', stateChanged('count', 'run r2', 'state-1')]]);
    const [failed] = decide(plan, run, run.at, () => undefined, { refusals }).events;
    expect(failed).toMatchObject({ type: 'step.failed', failure: { code: 'state-changed' } });
    const after = [failed as RunEvent].reduce(evolve, run);
    expect(decide(plan, after, run.at, () => undefined, { refusals }).events).toMatchObject([
      { type: 'step.succeeded', path: 'state-1/@onError/set-1' },
    ]);
  });

  test('A retry sees what the first run saw, and does not write again what that run has written.', () => {
    const { journal } = playFailing({ count: 4 });
    const carried = withStateSeen(carryOutcomes(counter, journal, { at: 9 }), journal, 'first', 9);
    const first = journal[0] as EventOf<'run.requested'>;
    const run = replay('second', [first, ...carried.events]);
    expect(run.state).toEqual({ values: { count: 4, last: null }, revisions: { count: 1 }, writers: ['first'] });
    expect(stateAtStart(counter, run, new Map([['count', { value: 7, revision: 2 }]]), 10)).toEqual([]);
    expect(stateWritesIn(run, carried.events)).toEqual([]);
  });

  test('A rerun sees what the first run saw, and its guarded write counts that run as itself.', () => {
    const plan = planOf(`
workflow: w
state: { count: { type: integer, default: 0 } }
steps: [{ id: add, state: { count: "\${{ state.count + 1 }}" }, ifUnchanged: true }]`);
    const { journal } = play(plan, { state: { count: 4 } });
    const carried = withStateSeen(nothingCarried, journal, 'first', 9);
    const run = replay('second', [journal[0] as RunEvent, ...carried.events]);
    const claimed = evolve(run, { type: 'run.claimed', at: 9, worker: 'one', claim: 1 });
    const { events } = decide(plan, claimed, 9, () => undefined);
    expect(stateWritesIn(claimed, events)).toEqual([
      { path: 'add', values: { count: 5 }, unlessChanged: { revisions: { count: 1 }, writers: ['first'] } },
    ]);
  });

  test('A run of another version keeps a write that is the same, and makes one that differs itself.', () => {
    const { journal } = playFailing({ count: 4 });
    const change = { at: 9, runId: 'first', inputs: { json: {} }, blobs: () => undefined };
    const keptAt = (plan: typeof counter): readonly string[] =>
      carryToVersion(plan, journal, change).events.flatMap((event) => ('kept' in event ? [event.path] : []));
    expect(keptAt(counter)).toEqual(['add', 'seen']);
    const other = planOf(`
workflow: w
state: { count: { type: integer, default: 0 }, last: { type: string }, more: { type: integer, default: 2 } }
steps:
  - { id: add, state: { count: "\${{ state.count + state.more }}" } }
  - { id: mail, tool: mail/send }`);
    expect(carryToVersion(other, journal, change).events).toEqual([]);
  });

  test('The items of a distributed forEach read what their run has read.', () => {
    const plan = planOf(`
workflow: w
state: { count: { type: integer, default: 0 } }
steps:
  - id: each
    forEach: [1, 2]
    distribute: true
    steps: [{ id: sum, set: { of: "\${{ item + state.count }}" } }]
    collect: "\${{ steps.sum.of }}"
outputs: { all: "\${{ steps.each.output }}" }`);
    expect(outputsOf(play(plan, { state: { count: 40 } }))).toEqual({ all: [41, 42] });
  });
});
