/** A process cannot start, for a reason that its operator can mend: said in one sentence, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
