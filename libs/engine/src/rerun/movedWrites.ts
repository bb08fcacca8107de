/**
 * Finds writes of the past at steps that the new run does not have, and the calls of the new run that may repeat them: a
 * step that has another id, or another place, makes its call again.
 */
import type { Plan } from '@baton/language';
import { type Json, canonicalJson } from '@baton/primitives';

import type { RunEvent } from '../state/event.ts';
import { findStep } from '../state/locate.ts';
import type { Path } from '../state/path.ts';
import { type OpenCall, withItemsOf } from './openCalls.ts';
import { type LastCall, type RepeatedCall, lastCalls, likelier } from './repeatedCalls.ts';

/** Whether the plan has the step, and the new run makes its call or keeps its outcome there. */
export type HasPlace = (path: Path, target?: string) => boolean;

export const hasPlaceIn =
  (plan: Plan, isRepeated: (path: Path) => boolean): HasPlace =>
  (path, target) => {
    const step = findStep(plan, path);
    if (step === undefined || isRepeated(path)) return step !== undefined;
    // It is kept: the outcome of this call, or what takes its place.
    return target === undefined
      ? step.verb === 'workflow'
      : step.verb === 'tool' && target === `${step.server}/${step.tool}`;
  };

/** Writes that happened, or may have, and have no place in the new run. */
export const writesWithoutPlace = (journal: readonly RunEvent[], hasPlace: HasPlace): readonly LastCall[] =>
  lastCalls(journal, (path) => !/\/@(undo|check)/.test(path)).filter(
    ({ call: { path, verb, target, effect, outcome } }) =>
      verb !== 'state' && effect === 'write' && outcome !== 'failed' && !hasPlace(path, target),
  );

/** The calls among `open` that may repeat one of the writes: at most one for each. */
export function movedWrites(
  writes: readonly LastCall[],
  open: readonly OpenCall[],
  isOld: (path: Path) => boolean,
): readonly RepeatedCall[] {
  const byTarget = new Map(
    [...Map.groupBy(open, ({ target }) => target)].map(([name, calls]) => [name, new Successors(calls, isOld)]),
  );
  const byPath = new Map<Path, LastCall>();
  for (const write of writes) {
    const newer = byPath.get(write.call.path);
    byPath.set(write.call.path, newer === undefined || likelier(newer.call, write.call) === write.call ? write : newer);
  }
  return [...byPath.values()].flatMap(({ call, arguments: given }) => {
    const next = byTarget.get(call.target ?? '')?.take(given);
    if (next === undefined) return [];
    const sameArguments =
      given === undefined || next.arguments === undefined ? undefined : isSame(given, next.arguments);
    return [
      {
        ...call,
        path: withItemsOf(next.path, call.path),
        formerly: call.path,
        ...(sameArguments === undefined ? {} : { sameArguments }),
      },
    ];
  });
}

const isSame = (one: Json, other: Json): boolean => canonicalJson(one) === canonicalJson(other);

/** The open calls of one tool. */
class Successors {
  readonly #sameArguments: Map<string, OpenCall[]>;
  /** Those first whose step the past does not have. */
  readonly #all: readonly OpenCall[];
  readonly #taken = new Set<OpenCall>();
  #at = 0;

  constructor(open: readonly OpenCall[], isOld: (path: Path) => boolean) {
    const known = open.flatMap((call) =>
      call.arguments === undefined ? [] : [{ call, key: canonicalJson(call.arguments) }],
    );
    this.#sameArguments = new Map(
      [...Map.groupBy(known, ({ key }) => key)].map(([key, calls]) => [key, calls.map(({ call }) => call)]),
    );
    this.#all = open.toSorted((one, other) => Number(isOld(one.path)) - Number(isOld(other.path)));
  }

  /** The likeliest: with the same arguments, else one that was not taken for another write. */
  take(given: Json | undefined): OpenCall | undefined {
    const same = given === undefined ? undefined : this.#sameArguments.get(canonicalJson(given));
    const found = same === undefined ? this.#nextOther() : same[0];
    if (same !== undefined && same.length > 1) same.shift();
    if (found !== undefined) this.#taken.add(found);
    return found;
  }

  #nextOther(): OpenCall | undefined {
    const isTaken = (call: OpenCall | undefined): boolean => call !== undefined && this.#taken.has(call);
    while (this.#at < this.#all.length - 1 && isTaken(this.#all[this.#at])) this.#at += 1;
    return this.#all[this.#at];
  }
}
