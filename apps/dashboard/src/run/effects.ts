/** Reads from a journal which calls the run made, and what is known of their outcomes. */
import {
  type Call,
  type Delivery,
  type Failure,
  type RunEvent,
  Trace,
  type UndoEnd,
  type Value,
  shownEffectOf,
} from '@baton/engine';
import type { Effect } from '@baton/language';

export type Knowledge =
  /** In progress: the intent is durable, the outcome not yet known. */
  | 'intended'
  | 'answered'
  | 'refused'
  /** The call failed before it was sent. */
  | 'unsent'
  | 'unknown'
  /** The outcome was unknown, and became known later. */
  | 'adopted'
  /** The outcome was unknown, and a person said that it happened. */
  | 'said'
  | 'cancelled';

export interface EffectCall {
  /** Position of the intent in the journal. */
  readonly seq: number;
  readonly at: number;
  readonly path: string;
  readonly attempt: number;
  readonly call: Call;
  readonly effect: Effect;
  readonly knowledge: Knowledge;
  readonly endedAt: number | undefined;
  readonly failure: Failure | undefined;
  /** What came back. */
  readonly value: Value | undefined;
  /** Set when its `undo` is over. */
  readonly undoEnd: UndoEnd | undefined;
}

type Mutable = { -readonly [Name in keyof EffectCall]: EffectCall[Name] };

export function effectsOf(events: readonly RunEvent[], seq: number): EffectCall[] {
  const calls: Mutable[] = [];
  const open = new Map<string, Mutable>();
  const trace = new Trace();
  for (let at = 0; at < seq; at += 1) {
    const event = events[at];
    if (event === undefined || !('path' in event)) continue;
    trace.take(event);
    if (event.type === 'step.started' && event.call !== undefined) {
      const made = begun(event, at + 1);
      calls.push(made);
      open.set(event.path, made);
    } else if (event.type === 'step.waiting' && event.missedTurn) {
      // It was not sent; that which was, later, is a call of its own.
      calls.splice(calls.indexOf(open.get(event.path) as Mutable), 1);
      open.delete(event.path);
    } else settle(open.get(event.path), event, trace.step(event.path)?.said?.happened === true ? 'said' : 'adopted');
  }
  for (const [path, made] of open) made.undoEnd = trace.step(path)?.undoEnd;
  return calls;
}

/** What is known of a call that failed, by how far it got. */
const knowledgeAfterFailure: Readonly<Record<Delivery, Knowledge>> = {
  unsent: 'unsent',
  rejected: 'unsent',
  answered: 'refused',
  unknown: 'unknown',
};

function begun(event: Extract<RunEvent, { type: 'step.started' }>, seq: number): Mutable {
  const { at, path, attempt, call } = event;
  if (call === undefined) throw new Error(`the event ${seq} has no call`);
  const base = { endedAt: undefined, failure: undefined, value: undefined, undoEnd: undefined };
  return { seq, at, path, attempt, call, effect: shownEffectOf(call), knowledge: 'intended', ...base };
}

/** `found`: how it became known that a call of unknown outcome happened. */
function settle(made: Mutable | undefined, event: RunEvent, found: 'said' | 'adopted'): void {
  if (made === undefined) return;
  switch (event.type) {
    case 'step.succeeded':
      made.knowledge = made.knowledge === 'unknown' ? found : 'answered';
      made.value = event.value;
      made.failure = undefined;
      made.endedAt = event.at;
      return;
    case 'step.retrying':
      made.knowledge = knowledgeAfterFailure[event.delivery];
      made.failure = event.failure;
      made.endedAt = event.at;
      return;
    case 'step.unknown':
      made.knowledge = 'unknown';
      made.failure = event.failure;
      made.endedAt = event.at;
      return;
    case 'step.failed':
      if (made.knowledge === 'intended') made.knowledge = knowledgeOfFailed(event.failure);
      made.failure = event.failure;
      made.endedAt = event.at;
      return;
    case 'step.cancelled':
      if (made.knowledge === 'intended') made.knowledge = 'cancelled';
      made.endedAt = event.at;
      return;
    default:
  }
}

/** The event of a step that failed has no delivery. */
function knowledgeOfFailed({ code }: Failure): Knowledge {
  if (code === 'outcome-unknown') return 'unknown';
  // No session with the server could be opened.
  return code === 'server-unreachable' ? 'unsent' : 'refused';
}

export const knowledgeWords: Readonly<Record<Knowledge, string>> = {
  intended: 'in progress: Baton recorded the intent, and waits for the answer',
  answered: 'answered: it happened',
  refused: 'answered with an error',
  unsent: 'not sent: it did not happen',
  unknown: 'unknown: it was sent, and the answer was lost',
  said: 'said by a person: it happened, and its answer was lost',
  adopted: 'answered late: the outcome was unknown, then found out',
  cancelled: 'stopped before an answer came',
};
