/** Decides which items of an answer start runs, and which wait, are passed over or refused. */
import { setImmediate as turn } from 'node:timers/promises';

import { ProblemError } from '@baton/api';
import { EvaluationError, describeValue, limits } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';
import type { PollRefusal, PollStart } from '@baton/store';

import { dedupeKey } from '../intake/dedupeKey.ts';
import type { MadeRequest, TriggeredStart } from '../intake/starter.ts';
import { type DeployedPoll, type PollAnswer, inScope, pollNameOf } from './pollAnswer.ts';

/** An item that has a key. */
export interface KeyedItem {
  readonly index: number;
  readonly key: string;
  readonly item: Json;
}

export interface KeyedItems {
  /** The first item of each key, in the order of the answer. */
  readonly keyed: readonly KeyedItem[];
  readonly refusals: readonly PollRefusal[];
}

/** Items after which other work of the process may go on. */
const together = 200;
/** Of the inputs of all runs that one poll starts, as JSON. */
const inputsCharacters = 32 * 1024 * 1024;

/** An item without a key is refused; the others go on. */
export async function keysOf({ trigger }: DeployedPoll, { result, items }: PollAnswer): Promise<KeyedItems> {
  const keyed = new Map<string, KeyedItem>();
  const refusals: PollRefusal[] = [];
  for (const [index, item] of items.entries()) {
    if (index % together === together - 1) await turn();
    const value = tried(() => trigger.itemKey.evaluate({ item, result }));
    const key = 'reason' in value ? value : keyText(value.made);
    if (typeof key !== 'string') refusals.push({ index, ...key });
    else if (!keyed.has(key)) keyed.set(key, { index, key, item });
  }
  return { keyed: [...keyed.values()], refusals };
}

function keyText(value: Json): string | { readonly reason: string } {
  if (typeof value === 'number') return `${value}`;
  if (typeof value === 'string' && value !== '') return dedupeKey(value);
  return { reason: `The key is ${describeValue(value)}, and has to be a text or a number.` };
}

/** Makes the request of a run, or throws `ProblemError`. */
type MakeRequest = (options: TriggeredStart) => MadeRequest;

export interface PlannedStarts {
  readonly starts: readonly (PollStart & { readonly request: MadeRequest })[];
  readonly left: number;
  readonly refusals: readonly PollRefusal[];
}

/** The rest waits for the next poll. */
export async function startsOf(
  poll: DeployedPoll,
  fresh: readonly KeyedItem[],
  answer: Pick<PollAnswer, 'result' | 'state'>,
  make: MakeRequest,
): Promise<PlannedStarts> {
  const names = { result: answer.result, ...inScope(answer.state) };
  if (poll.trigger.isBatch) return batchOf(poll, fresh, names, make);
  const starts: PlannedStarts['starts'][number][] = [];
  const refusals: PollRefusal[] = [];
  let characters = 0;
  for (const [at, { index, key, item }] of fresh.entries()) {
    if (starts.length === limits.poll.runs || characters > inputsCharacters)
      return { starts, left: fresh.length - at, refusals };
    if (at % together === together - 1) await turn();
    const made = tried(() => {
      const inputs = poll.trigger.inputs.evaluate({ item, ...names });
      characters += JSON.stringify(inputs).length;
      return make({ inputs, trigger: { kind: 'poll', detail: { poll: pollNameOf(poll), key } } });
    });
    if ('reason' in made) refusals.push({ index, key, ...made });
    else starts.push({ keys: [key], request: made.made });
  }
  return { starts, left: 0, refusals };
}

function batchOf(poll: DeployedPoll, fresh: readonly KeyedItem[], names: JsonObject, make: MakeRequest): PlannedStarts {
  const batch = fresh.slice(0, limits.poll.runs);
  const [first] = batch;
  if (first === undefined) return { starts: [], left: 0, refusals: [] };
  const made = tried(() => {
    const inputs = poll.trigger.inputs.evaluate({ items: batch.map(({ item }) => item), ...names });
    return make({ inputs, trigger: { kind: 'poll', detail: { poll: pollNameOf(poll), items: batch.length } } });
  });
  const left = fresh.length - batch.length;
  if ('reason' in made) return { starts: [], left, refusals: batch.map(({ index, key }) => ({ index, key, ...made })) };
  return { starts: [{ keys: batch.map(({ key }) => key), request: made.made }], left, refusals: [] };
}

const tried = <Made>(make: () => Made): { readonly made: Made } | { readonly reason: string } => {
  try {
    return { made: make() };
  } catch (error) {
    if (error instanceof EvaluationError || (error instanceof ProblemError && error.status < 500))
      return { reason: error.message };
    throw error;
  }
};
