/** Decides which items of an answer start runs, and which wait, are passed over or refused. */
import { ProblemError } from '@baton/api';
import { FailureError } from '@baton/engine';
import { EvaluationError, describeValue, limits } from '@baton/expressions';
import { type Json, type JsonObject, cleanText } from '@baton/primitives';
import { TimedYields } from '@baton/runner';
import type { PollKeyText, PollRefusal, PollStart } from '@baton/store';

import { dedupeKey } from '../intake/dedupeKey.ts';
import type { MadeRequest, TriggeredStart } from '../intake/starter.ts';
import { type DeployedPoll, pollNameOf } from './deployedPoll.ts';
import { type PollAnswer, inScope } from './pollAnswer.ts';

/** An item that has a key. */
export interface KeyedItem extends PollKeyText {
  readonly index: number;
  readonly item: Json;
}

export interface KeyedItems {
  /** The first item of each key, in the order of the answer. */
  readonly keyed: readonly KeyedItem[];
  /** The other items of these keys. */
  readonly repeated: number;
  readonly refusals: readonly PollRefusal[];
}

/** Of the inputs of all runs that one poll starts, as JSON. */
const inputsCharacters = 32 * 1024 * 1024;
/** Of a key that is remembered by its digest, for people. */
const keyCharacters = 80;

/** An item without a key is refused; the others go on. */
export async function keysOf({ items, keyOf: read }: Pick<PollAnswer, 'items' | 'keyOf'>): Promise<KeyedItems> {
  const keyed = new Map<string, KeyedItem>();
  const refusals: PollRefusal[] = [];
  let repeated = 0;
  const yields = new TimedYields();
  for (const [index, item] of items.entries()) {
    await yields.next();
    const value = tried(() => read(item));
    const key = 'reason' in value ? value : keyOf(value.made);
    if ('reason' in key) refusals.push({ index, ...key });
    else if (keyed.has(key.key)) repeated += 1;
    else keyed.set(key.key, { index, ...key, item });
  }
  return { keyed: [...keyed.values()], repeated, refusals };
}

/** A number is known by its text: 1 and "1" are one key. */
function keyOf(value: Json): PollKeyText | { readonly reason: string } {
  if (typeof value === 'number') return { key: `${value}` };
  if (typeof value === 'string' && value !== '') {
    const key = dedupeKey(value);
    const text = key === value ? '' : cleanText(value, keyCharacters).toWellFormed();
    return text === '' ? { key } : { key, text };
  }
  return { reason: `The key is ${describeValue(value)}, and has to be a text or a number.` };
}

/** Makes the request of a run, or throws `ProblemError`. */
type MakeRequest = (options: TriggeredStart) => MadeRequest;

export interface PlannedStarts {
  readonly starts: readonly (PollStart & { readonly request: MadeRequest })[];
  readonly left: number;
  readonly refusals: readonly PollRefusal[];
}

export interface StartsOptions {
  readonly make: MakeRequest;
  /** Runs. Of a batch there is one, and more only where some item is refused. */
  readonly most: number;
}

/** The rest waits for the next poll. */
export async function startsOf(
  poll: DeployedPoll,
  fresh: readonly KeyedItem[],
  answer: Pick<PollAnswer, 'result' | 'state' | 'scopeOf'>,
  { make, most }: StartsOptions,
): Promise<PlannedStarts> {
  const { trigger } = poll;
  if (trigger.kind === 'poll' && trigger.isBatch) {
    const names = { result: answer.result, ...inScope(answer.state) };
    return batchesOf(poll, fresh, names, make);
  }
  const starts: PlannedStarts['starts'][number][] = [];
  const refusals: PollRefusal[] = [];
  let characters = 0;
  const yields = new TimedYields();
  for (const [at, { item, ...one }] of fresh.entries()) {
    if (starts.length === Math.min(most, limits.poll.runs) || characters > inputsCharacters)
      return { starts, left: fresh.length - at, refusals };
    await yields.next();
    const made = tried(() => {
      const inputs = trigger.inputs.evaluate(answer.scopeOf(item));
      characters += JSON.stringify(inputs).length;
      const detail = { poll: pollNameOf(poll), ...keyIn(one), ...('event' in trigger && { event: trigger.event }) };
      return make({ inputs, trigger: { kind: trigger.kind, detail } });
    });
    if ('reason' in made) refusals.push(refusalOf(one, made));
    else starts.push({ items: [one], request: made.made });
  }
  return { starts, left: 0, refusals };
}

const keyIn = ({ key, text }: PollKeyText): PollKeyText => (text === undefined ? { key } : { key, text });

const refusalOf = (
  { index, key, text = key }: Pick<KeyedItem, 'index' | 'key' | 'text'>,
  { reason }: { readonly reason: string },
): PollRefusal => ({ index, key: text, reason });

/** One run for all. Where it is refused, each half is tried by itself, so that an item holds up no other. */
async function batchesOf(
  poll: DeployedPoll,
  fresh: readonly KeyedItem[],
  names: JsonObject,
  make: MakeRequest,
): Promise<PlannedStarts> {
  const batch = fresh.slice(0, limits.poll.runs);
  const starts: PlannedStarts['starts'][number][] = [];
  const refusals: PollRefusal[] = [];
  const waiting = batch.length === 0 ? [] : [batch];
  const yields = new TimedYields();
  for (;;) {
    const part = waiting.pop();
    const [first] = part ?? [];
    if (part === undefined || first === undefined) break;
    const made = tried(() => {
      const inputs = poll.trigger.inputs.evaluate({ items: part.map(({ item }) => item), ...names });
      return make({ inputs, trigger: { kind: 'poll', detail: { poll: pollNameOf(poll), items: part.length } } });
    });
    const middle = Math.ceil(part.length / 2);
    if (!('reason' in made)) starts.push({ items: part, request: made.made });
    else if (part.length === 1) refusals.push(refusalOf(first, made));
    else waiting.push(part.slice(middle), part.slice(0, middle));
    await yields.next();
  }
  return { starts, left: fresh.length - batch.length, refusals };
}

const tried = <Made>(make: () => Made): { readonly made: Made } | { readonly reason: string } => {
  try {
    return { made: make() };
  } catch (error) {
    const isMisfit = error instanceof EvaluationError || error instanceof FailureError;
    if (isMisfit || (error instanceof ProblemError && error.status < 500)) return { reason: error.message };
    throw error;
  }
};
