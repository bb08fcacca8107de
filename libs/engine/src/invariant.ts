/**
 * A guarantee of our own code is broken. Never caught: the process logs it and exits, and other workers take its runs
 * over.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
