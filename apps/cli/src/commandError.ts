import type { ExitCode } from './exitCodes.ts';

/** A command failed for a known reason: the message says what is wrong and where, the hint what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** What to do next. */
  readonly hint: string | undefined;

  constructor(
    exitCode: ExitCode,
    message: string,
    options: ErrorOptions & { readonly hint?: string | undefined } = {},
  ) {
    super(message, options);
    this.exitCode = exitCode;
    this.hint = options.hint;
  }
}
