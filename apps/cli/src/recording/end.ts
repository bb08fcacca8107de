/** Converts the end of a run into the form of a recording. */
import { type Failure, type Run, type RunRow, type Value, isEnded, resolve, rowOf } from '@baton/engine';
import type { Recording } from '@baton/language';
import type { Json } from '@baton/primitives';

import { type RecordingDifference, differencesIn } from './differences.ts';

type RunEnd = Pick<Recording, 'status' | 'outputs' | 'error'>;

/** A replay stores no blobs. */
export const whole = (value: Value): Json => resolve(value, () => undefined);

export function endOf({ status, outputs, failure }: Pick<RunRow, 'status' | 'outputs' | 'failure'>): RunEnd {
  return {
    status: status === 'succeeded' ? 'succeeded' : 'failed',
    ...(outputs === undefined ? {} : { outputs: whole(outputs) }),
    ...(failure === undefined ? {} : { error: endingFailure(failure) }),
  };
}

/** Fields that the recording omits are not compared. */
export function differencesAtEnd(
  { status = 'succeeded', outputs, error }: RunEnd,
  run: Run,
): readonly RecordingDifference[] {
  if (run.status !== status) return [otherStatus(status, run)];
  const found = endOf(rowOf(run));
  const message = 'The run ends with a different result';
  const all = [
    ...(outputs === undefined ? [] : differencesIn(outputs, found.outputs ?? null, 'outputs')),
    ...Object.entries(error ?? {}).flatMap(([name, expected]) =>
      differencesIn(expected ?? null, found.error?.[name as 'code'] ?? null, `error.${name}`),
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
