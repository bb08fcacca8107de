/** Lists the calls of a run that its rerun makes again. */
import type { Effect } from '@baton/language';
import { type Json, defined } from '@baton/primitives';

import { targetOfCall } from '../state/calledName.ts';
import type { RunEvent } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import { stateKeysOf } from '../state/runState.ts';
import { type SaidOutcome, saidIn } from '../state/saidOutcome.ts';
import { shownEffectOf } from '../state/shownEffectOf.ts';
import type { UndoEnd } from '../state/undoEnd.ts';
import type { Lookup } from './lookup.ts';
import { PastSteps } from './pastSteps.ts';

export interface RepeatedCall {
  /** Of the step; in a child run, behind the path of the step that requested that run: `all/3/run>pay`. */
  readonly path: Path;
  readonly verb: 'tool' | 'prompt' | 'resource' | 'sample' | 'state';
  /** `server/tool` and the like, `state.count` for a key of state; undefined for a sample. */
  readonly target: string | undefined;
  /** Undefined for other verbs than `tool` and `state`. */
  readonly effect: Effect | undefined;
  /** How the old call ended. */
  readonly outcome: 'succeeded' | 'failed' | 'unknown' | 'cancelled';
  /** The step of the old call, where the new run does not have it: `path` is the one that may repeat it. */
  readonly formerly?: Path;
  /** How its undo ended, where it has one that began. */
  readonly undoEnd?: UndoEnd;
  /** What finds out whether it happened, before it is made again. */
  readonly lookup?: Lookup;
  /** Its answer was lost, and a person may say whether it happened. */
  readonly mayBeTold?: true;
  /** What a person said of a call of the step whose answer was lost, before. */
  readonly said?: SaidOutcome;
  /** Of a call with `formerly`: whether both have the same arguments, where they are known. */
  readonly sameArguments?: boolean;
}

export interface LastCall {
  readonly call: RepeatedCall;
  /** Undefined where they are too large to be in the journal. */
  readonly arguments: Json | undefined;
}

/** The last call of each step, in the order in which the steps began; not those of child runs. */
export function lastCalls(journal: readonly RunEvent[], isWanted: (path: Path) => boolean): readonly LastCall[] {
  const past = new PastSteps(journal);
  const calls = new Map<Path, LastCall>();
  const saidBefore = saidIn(journal);
  for (const event of journal) {
    const keys = isWanted('path' in event ? event.path : '') ? stateKeysOf(event) : undefined;
    if (keys !== undefined && 'path' in event) {
      const target = keys.map((key) => `state.${key}`).join(', ');
      const call = { path: event.path, verb: 'state', target, effect: 'write', outcome: 'succeeded' } as const;
      calls.set(event.path, { call, arguments: undefined });
    }
    if (event.type !== 'step.started' && event.type !== 'step.unknown') continue;
    if (event.call === undefined || !isWanted(event.path)) continue;
    const { path, call } = event;
    const { ended, unknownAttempts } = past.get(path) ?? {};
    const end = ended === undefined ? undefined : journal[ended];
    const last = outcomeOf(end);
    const effect = call.verb === 'tool' ? shownEffectOf(call) : undefined;
    const mayHaveHappened = (unknownAttempts?.size ?? 0) > 0 || (effect === 'write' && wasAnswered(end));
    const outcome = mayHaveHappened && last !== 'succeeded' ? 'unknown' : last;
    const given = call.verb === 'tool' && 'json' in call.arguments ? call.arguments.json : undefined;
    const undoEnd = past.undoEnd(path);
    const more = defined({ undoEnd, said: saidBefore.get(path) });
    const about = { path, verb: call.verb, target: targetOfCall(call), effect, outcome, ...more };
    calls.set(path, { call: about, arguments: given });
  }
  return [...calls.values()];
}

/** The last call of each step that is executed again. */
export const repeatedCalls = (
  journal: readonly RunEvent[],
  isRepeated: (path: Path) => boolean,
): readonly RepeatedCall[] => lastCalls(journal, isRepeated).map(({ call }) => call);

/** Writes that happened, or may have, come first. */
export const writesFirst = (calls: readonly RepeatedCall[]): readonly RepeatedCall[] =>
  calls.toSorted((a, b) => Number(isRepeatedWrite(b)) - Number(isRepeatedWrite(a)));

const rank: Readonly<Record<RepeatedCall['outcome'], number>> = { failed: 0, cancelled: 1, unknown: 2, succeeded: 3 };

/** Of two runs of the same step: whether the call happened, and the last word on it. */
export function likelier(a: RepeatedCall, b: RepeatedCall): RepeatedCall {
  const likely = rank[a.outcome] >= rank[b.outcome] ? a : b;
  const said = (a.said?.at ?? 0) >= (b.said?.at ?? 0) ? a.said : b.said;
  return said === undefined ? likely : { ...likely, said };
}

/** Whether the path lies in an undo, a check or a handler: a rerun does these again only where they are needed. */
export const isCompensation = (path: Path): boolean => /\/@(undo|check|onError|onFailure)/.test(`/${path}`);

/** Whether the path lies in a check, which finds out whether the call of its step happened. */
export const isInCheck = (path: Path): boolean => /\/@check/.test(path);

const isRepeatedWrite = ({ effect, outcome }: RepeatedCall): boolean =>
  effect === 'write' && (outcome === 'succeeded' || outcome === 'unknown');

/** The server answered, and Baton could not take the answer: most likely it did what was asked. */
const wasAnswered = (end: RunEvent | undefined): boolean =>
  end?.type === 'step.failed' && (end.failure.code === 'invalid-result' || end.failure.code === 'result-too-large');

function outcomeOf(end: RunEvent | undefined): RepeatedCall['outcome'] {
  switch (end?.type) {
    case 'step.succeeded':
      return 'succeeded';
    case 'step.failed':
      return 'failed';
    case 'step.unknown':
      return 'unknown';
    default:
      return 'cancelled';
  }
}
