/** Sends a signal to a run, which may wait for it now or later. */
import { ProblemError } from '@baton/api';
import type { Run } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type Json, isStorableText } from '@baton/primitives';

import { type RunAppender, appendOutside, checkUnfinished } from './runAppender.ts';

export interface GivenSignal {
  readonly name: string;
  readonly payload: Json;
  readonly by: string;
}

/**
 * Resolves to the run after the signal; undefined if there is none. Rejects with `ProblemError` and `UnavailableError`.
 */
export async function signalRun(
  outside: RunAppender,
  runId: string,
  { name, payload, by }: GivenSignal,
): Promise<Run | undefined> {
  checkInline(payload, '/payload');
  return appendOutside(outside, runId, (run, at) => {
    checkUnfinished(run);
    if (run.signals.length >= limits.run.signals) {
      throw new ProblemError('conflict', `${run.signals.length} signals wait for a step of the run, the maximum.`);
    }
    return [{ type: 'signal.received', at, name, payload, by }];
  });
}

/** Throws `ProblemError`. */
export function checkSignalName(name: string, pointer: string): void {
  const { signalCharacters } = limits.step;
  if (name.length <= signalCharacters && isStorableText(name)) return;
  const message = `A signal is named with up to ${signalCharacters} characters of well-formed text.`;
  throw new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'wrong-value', message }] });
}

/** Checks the limits of the journal itself. Throws `ProblemError`. */
export function checkInline(value: Json, pointer: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  const { inlineBytes } = limits.value;
  if (bytes <= inlineBytes) return;
  const message = `This value has ${bytes} bytes as JSON; at most ${inlineBytes} are allowed.`;
  throw new ProblemError('payload-too-large', message, { errors: [{ pointer, code: 'out-of-range', message }] });
}
