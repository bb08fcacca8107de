/** Finds calls to leave out: failed ones, and look-ups that repeat an answer. */
import { type Json, isObject } from '@baton/primitives';

import { type SeenCall, callKey, stable, targetOf } from './seenCall.ts';

export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

interface SortedCalls {
  /** Failed ones too, where an answer gave what they were called with: one item of many may have failed. */
  readonly kept: readonly SeenCall[];
  readonly leftOut: readonly LeftOut[];
}

export function leaveOut(calls: readonly SeenCall[]): SortedCalls {
  const leftOut: LeftOut[] = [];
  const kept: SeenCall[] = [];
  const last = new Map<string, SeenCall>();
  const refusals = new Map<string, NonNullable<SeenCall['failure']>[]>();
  const polled = polledIn(calls);
  for (const [index, call] of calls.entries()) {
    const key = callKey(call);
    const why = reasonToLeaveOut(call, calls, index, polled.has(call) ? undefined : last.get(key));
    const isAgain = calls.slice(index + 1).some((one) => one.result !== undefined && callKey(one) === key);
    if (why === undefined) {
      const before = refusals.get(key);
      kept.push(before === undefined || call.result === undefined ? call : { ...call, refusals: before });
      refusals.delete(key);
      last.set(key, call);
    } else {
      if (call.failure !== undefined && isAgain) refusals.set(key, [...(refusals.get(key) ?? []), call.failure]);
      leftOut.push({ path: call.path, why });
    }
  }
  return { kept, leftOut };
}

/** `before`: the last kept call with the same target and arguments. */
function reasonToLeaveOut(
  call: SeenCall,
  calls: readonly SeenCall[],
  index: number,
  before: SeenCall | undefined,
): string | undefined {
  if (call.failure !== undefined || call.result === undefined) return reasonOfFailure(call, calls, index);
  if (call.effect === 'write') return undefined;
  if (before?.result === undefined || stable(before.result) !== stable(call.result)) return undefined;
  return `it repeats ${before.path}, with the same arguments and the same answer`;
}

function reasonOfFailure(call: SeenCall, calls: readonly SeenCall[], index: number): string | undefined {
  const what = call.failure === undefined ? 'it did not end' : `it failed (${call.failure.code})`;
  const later = calls.slice(index + 1).filter((one) => targetOf(one) === targetOf(call) && one.result !== undefined);
  const again = later.find((one) => callKey(one) === callKey(call));
  if (again !== undefined) return `${what}, and was repeated successfully as ${again.path}`;
  // What an answer gave was no mistake of the caller.
  if (call.failure !== undefined && isFromAnswers(call, calls.slice(0, index))) return undefined;
  const [other] = later;
  return other === undefined ? what : `${what}, and was then made with other arguments as ${other.path}`;
}

/** Whether an answer before it has one of its arguments. */
function isFromAnswers(call: SeenCall, before: readonly SeenCall[]): boolean {
  const given = new Set(scalarsIn(call.arguments).filter(isTelling));
  return before.some(({ result = {}, arguments: own }) => {
    const known = new Set(scalarsIn(own));
    return answersIn(result).some((value) => given.has(value) && !known.has(value));
  });
}

const isTelling = (value: Json): boolean =>
  typeof value === 'string' ? value.length >= 2 : typeof value === 'number' && Math.abs(value) >= 2;

function scalarsIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(scalarsIn);
  return isObject(value) ? Object.values(value).flatMap(scalarsIn) : [value];
}

/** Also the values in texts that are JSON. */
const answersIn = (value: Json): readonly Json[] =>
  scalarsIn(value).flatMap((one) => {
    if (typeof one !== 'string' || !/^\s*[[{]/.test(one)) return [one];
    try {
      return [one, ...scalarsIn(JSON.parse(one) as Json)];
    } catch {
      return [one];
    }
  });

/** Look-ups that follow each other with the same arguments until the answer is another. */
function polledIn(calls: readonly SeenCall[]): ReadonlySet<SeenCall> {
  const polled = new Set<SeenCall>();
  const ended = calls.filter(({ result }) => result !== undefined);
  for (let from = 0; from < ended.length;) {
    const first = ended[from];
    const key = first === undefined ? '' : callKey(first);
    const other = ended.findIndex((one, at) => at > from && callKey(one) !== key);
    const to = other < 0 ? ended.length : other;
    const round = ended.slice(from, to);
    const answers = new Set(round.map(({ result = {} }) => stable(result)));
    if (first?.effect !== 'write' && answers.size > 1) for (const one of round) polled.add(one);
    from = to;
  }
  return polled;
}
