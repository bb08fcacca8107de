/**
 * The state of a workflow, as one run of it sees and writes it. A run reads the state once, with its first claim, and keeps
 * what it read: replays, reruns and retries see the same values.
 */
import { limits } from '@baton/expressions';
import { type Plan, type StatePlan, stateErrors } from '@baton/language';
import { type Json, type JsonObject, canonicalJson } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import { invariant } from '../invariant.ts';
import type { RunEvent } from './event.ts';
import type { Path } from './path.ts';
import type { Run } from './run.ts';

/** The newest value of each key that was written. */
export type StoredState = ReadonlyMap<string, StoredStateValue>;

interface StoredStateValue {
  readonly value: Json;
  /** Counts the writes of the key, from 1. */
  readonly revision: number;
}

/** Values that a run writes. They are stored in the transaction of the event at `path`. */
export interface StateWrite {
  readonly path: Path;
  readonly values: JsonObject;
  /** Present if the write is refused where another run has written one of the keys. */
  readonly unlessChanged?: {
    /** Of the values that the run has read; a key that no run had written has none. */
    readonly revisions: Readonly<Record<string, number>>;
    /** Other runs whose writes are those of this one: it goes on from them. */
    readonly writers: readonly string[];
  };
}

/** Why the state cannot be used as the workflow declares it; undefined: it can. */
function unfitState({ schema, defaults }: StatePlan, values: JsonObject): Failure | undefined {
  const [error] = stateErrors({ schema, defaults }, values);
  if (error === undefined) return undefined;
  const key = error.pointer.split('/')[1] ?? '';
  const message = `The state that earlier runs have left does not fit what the workflow declares now. ${error.message} Declare what takes it, or give the key another name.`;
  return { code: 'state-unfit', message, details: { key } };
}

/** The declared keys: as they are given, else their defaults. */
const declaredValues = ({ defaults }: StatePlan, given: ReadonlyMap<string, Json>): JsonObject =>
  Object.fromEntries(
    Object.entries(defaults).map(([key, preset]) => [key, given.has(key) ? (given.get(key) ?? null) : preset]),
  );

/**
 * Whether the run has to read the state with this claim. The run of an item has what the whole run saw, in its scope.
 */
export const readsState = (plan: Plan, run: Run): boolean =>
  plan.state !== undefined && run.status === 'queued' && run.part === undefined;

/**
 * The events that follow the first claim of a run whose workflow declares state: what it reads, and its end where a value
 * does not fit. `stored` is not used in a run that goes on from another, and sees what that one saw.
 */
export function stateAtStart(plan: Plan, run: Run, stored: StoredState, at: number): readonly RunEvent[] {
  if (plan.state === undefined || !readsState(plan, run)) return [];
  const before = run.state;
  const seen = new Map(
    before === undefined ? [...stored].map(([key, { value }]) => [key, value]) : Object.entries(before.values),
  );
  const values = declaredValues(plan.state, seen);
  const failure = unfitState(plan.state, values);
  const end: readonly RunEvent[] = failure === undefined ? [] : [{ type: 'run.stopped', at, failure }];
  if (before !== undefined && canonicalJson(before.values) === canonicalJson(values)) return end;
  const revisions = before?.revisions ?? revisionsIn(stored, Object.keys(plan.state.defaults));
  return [{ type: 'state.read', at, ...before, values, revisions }, ...end];
}

/** What is read outside of a run. `failure`: why it cannot be used as it is declared. */
export function stateSeen(
  state: StatePlan,
  stored: StoredState,
): Required<Pick<NonNullable<Run['state']>, 'values' | 'revisions'>> & { readonly failure: Failure | undefined } {
  const values = declaredValues(state, new Map([...stored].map(([key, { value }]) => [key, value])));
  return { values, revisions: revisionsIn(stored, Object.keys(state.defaults)), failure: unfitState(state, values) };
}

const revisionsIn = (stored: StoredState, keys: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const found = stored.get(key);
      return found === undefined ? [] : [[key, found.revision]];
    }),
  );

/** For a run that goes on from one with this journal, or does it again: it sees what that one saw. */
export function stateOfRerun(journal: readonly RunEvent[], runId: string, at: number): readonly RunEvent[] {
  const read = journal.findLast((event) => event.type === 'state.read');
  return read === undefined ? [] : [{ ...read, at, writers: [...(read.writers ?? []), runId] }];
}

/** What the events write. Values that an earlier run has written are written already. */
export function stateWritesIn(run: Run, events: readonly RunEvent[]): readonly StateWrite[] {
  return events.flatMap((event): readonly StateWrite[] => {
    if (event.type !== 'step.succeeded' || event.verb !== 'state' || event.kept !== undefined) return [];
    const { value } = event;
    invariant('json' in value, 'what a step writes of state is no larger than a value in an event may be');
    const values = value.json as JsonObject;
    const { revisions = {}, writers = [] } = run.state ?? {};
    return [
      {
        path: event.path,
        values,
        ...(event.ifUnchanged === true && { unlessChanged: { revisions, writers } }),
      },
    ];
  });
}

/** The keys that the event writes, in this run or in one before it; undefined: it writes none. */
export function stateKeysOf(event: RunEvent): readonly string[] | undefined {
  if (event.type !== 'step.succeeded' || event.verb !== 'state') return undefined;
  return 'json' in event.value ? Object.keys(event.value.json as JsonObject) : [];
}

/** What a run with these events leaves; undefined: its workflow declares none. */
export function stateAfter(run: Run, events: readonly RunEvent[]): JsonObject | undefined {
  if (run.state === undefined) return undefined;
  return Object.assign({}, run.state.values, ...stateWritesIn(run, events).map(({ values }) => values)) as JsonObject;
}

/** Why these values cannot be written; undefined: they can. `step`: absent where no run writes. */
export function unfitWrite(state: StatePlan | undefined, values: JsonObject, step?: Path): Failure | undefined {
  const [error] = state === undefined ? [] : stateErrors(state, values);
  if (error !== undefined) {
    const message = `The value does not fit the declared state. ${error.message}`;
    return { code: 'state-unfit', message, ...(step !== undefined && { step }) };
  }
  return new TextEncoder().encode(canonicalJson(values)).length > limits.state.bytes ? tooLargeState(step) : undefined;
}

/** `step`: absent where no run writes. */
export const tooLargeState = (step?: Path): Failure => ({
  code: 'limit-exceeded',
  message: `The state of a workflow has at most ${limits.state.bytes} bytes, all keys and values together.`,
  ...(step !== undefined && { step }),
});

/** `by`: what wrote the key meanwhile. */
export const stateChanged = (key: string, by: string, step: Path): Failure => ({
  code: 'state-changed',
  message: `The state ${JSON.stringify(key)} was written by ${by} since this run began, so it was not written.`,
  step,
});
