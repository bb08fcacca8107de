/** A promise of our own was broken. Never caught: the process logs it and exits, and its runs are taken over. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
