/** Converts the end of a run into the form of a recording. */
import { type Failure, type Run, type RunEvent, type Value, isEnded, resolve, rowOf, stateAfter } from '@baton/engine';
import type { Recording } from '@baton/language';
import { type Json, defined } from '@baton/primitives';

import { type RecordingDifference, differencesIn } from './differences.ts';

type RunEnd = Pick<Recording, 'status' | 'outputs' | 'error' | 'stateAfter'>;

interface EndedRun {
  readonly run: Run;
  readonly journal: readonly RunEvent[];
}

/** A replay stores no blobs. */
export const whole = (value: Value): Json => resolve(value, () => undefined);

/** `outputs`: where they are not in the journal. */
export function endOf({ run, journal }: EndedRun, outputs = rowOf(run).outputs): RunEnd {
  const { status, failure } = rowOf(run);
  return {
    status: status === 'succeeded' ? 'succeeded' : 'failed',
    ...(outputs === undefined ? {} : { outputs: whole(outputs) }),
    ...(failure === undefined ? {} : { error: endingFailure(failure) }),
    ...defined({ stateAfter: stateAfter(run, journal) }),
  };
}

/** Fields that the recording omits are not compared. */
export function differencesAtEnd(
  { status = 'succeeded', outputs, error, stateAfter: left = {} }: RunEnd,
  ended: EndedRun,
): readonly RecordingDifference[] {
  if (ended.run.status !== status) return [otherStatus(status, ended.run)];
  const found = endOf(ended);
  const message = 'The run ends with a different result';
  const all = [
    ...(outputs === undefined ? [] : differencesIn(outputs, found.outputs ?? null, 'outputs')),
    ...Object.entries(error ?? {}).flatMap(([name, expected]) =>
      differencesIn(expected ?? null, found.error?.[name as 'code'] ?? null, `error.${name}`),
    ),
    ...Object.entries(left).flatMap(([key, expected]) =>
      differencesIn(expected, found.stateAfter?.[key] ?? null, `stateAfter.${key}`),
    ),
  ];
  return all.map((one) => ({ message, ...one }));
}

function otherStatus(expected: string, run: Run): RecordingDifference {
  const { status } = run;
  const about = { at: 'status', expected, found: status };
  if (!isEnded(run)) return { ...about, message: 'The run does not end: it waits for something that was not recorded' };
  const { step, message } = rowOf(run).failure ?? {};
  const why = message === undefined ? '' : ` at ${step ?? 'its end'}: ${message}`;
  return { ...about, message: `The run ${status}${why}` };
}

/** The message of an unknown outcome quotes the call, so it is not compared. */
function endingFailure({ code, step, message }: Failure): NonNullable<RunEnd['error']> {
  return { code, ...(step === undefined ? {} : { step }), ...(code === 'outcome-unknown' ? {} : { message }) };
}
