/**
 * An expression met a value that it cannot use, or exceeded its cost limit. The message is written for the workflow's
 * author and names the expression.
 */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  readonly code: 'expression-failed' | 'expression-budget';
  /** JSON pointer of the expression in the document. */
  readonly pointer: string;
  /** What the author may write instead, where that is known. */
  readonly hint: string | undefined;

  constructor(
    code: 'expression-failed' | 'expression-budget',
    message: string,
    pointer: string,
    { hint, ...options }: ErrorOptions & { readonly hint?: string | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.pointer = pointer;
    this.hint = hint;
  }
}
