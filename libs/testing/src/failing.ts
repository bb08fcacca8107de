import type { CallResult, PlayOptions, SimulatedCall } from '@baton/engine';

import { textResult } from './textResult.ts';

/** Answers the calls of a simulated run. */
export type PlayAnswer = NonNullable<PlayOptions['answer']>;

export const refused: CallResult = { failure: { code: 'server-rejected', message: 'no' }, delivery: 'rejected' };

/** Calls at these paths are refused; all others are answered. */
export const failing =
  (...paths: string[]): PlayAnswer =>
  ({ path }) =>
    paths.includes(path) ? refused : { result: textResult({ at: path }) };

export const pathsOf = (calls: readonly SimulatedCall[]): string[] => calls.map(({ path }) => path);
