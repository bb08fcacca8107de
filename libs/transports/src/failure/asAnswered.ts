/** Takes an answer as it was read, or says what is wrong with it. */
import { FailureError } from '@baton/engine';

/** Throws `FailureError` where the answer is none of the method. */
export function asAnswered<Read extends object>(
  server: string,
  method: string,
  read: Read | { readonly problem: string },
): Read {
  if (!('problem' in read)) return read;
  const message = `The server "${server}" answered ${method} with something else: ${read.problem}.`;
  throw new FailureError('invalid-result', message, { delivery: 'answered' });
}
