/**
 * An expression met a value that it cannot use, or exceeded its cost limit. The message is written for the workflow's
 * author and names the expression.
 */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  readonly code: 'expression-failed' | 'expression-budget';
  /** JSON pointer of the expression in the document. */
  readonly pointer: string;

  constructor(
    code: 'expression-failed' | 'expression-budget',
    message: string,
    pointer: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.pointer = pointer;
  }
}
