/** Finds calls to leave out: failed ones, and repeated ones. */
import type { SeenCall } from './seenCall.ts';
import { callKey, stable, targetOf } from './seenCall.ts';

export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

export function leaveOut(calls: readonly SeenCall[]): {
  readonly kept: readonly SeenCall[];
  readonly leftOut: readonly LeftOut[];
} {
  const leftOut: LeftOut[] = [];
  const kept: SeenCall[] = [];
  const last = new Map<string, SeenCall>();
  for (const [index, call] of calls.entries()) {
    const key = callKey(call);
    const why = reasonToLeaveOut(call, () => calls.slice(index + 1), last.get(key));
    if (why === undefined) {
      kept.push(call);
      last.set(key, call);
    } else leftOut.push({ path: call.path, why });
  }
  return { kept, leftOut };
}

/** `before`: the last kept call with the same target and arguments. */
function reasonToLeaveOut(
  call: SeenCall,
  later: () => readonly SeenCall[],
  before: SeenCall | undefined,
): string | undefined {
  if (call.failure !== undefined || call.result === undefined) {
    const again = later().find((one) => targetOf(one) === targetOf(call) && one.result !== undefined);
    const what = call.failure === undefined ? 'it did not end' : `it failed (${call.failure.code})`;
    return again === undefined ? what : `${what}, and was repeated successfully as ${again.path}`;
  }
  if (call.effect === 'write') return undefined;
  if (before?.result === undefined || stable(before.result) !== stable(call.result)) return undefined;
  return `it repeats ${before.path}, with the same arguments and the same answer`;
}
