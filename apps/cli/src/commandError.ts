import type { ExitCode } from './exitCodes.ts';

/** A command fails for a known reason: one sentence says what is wrong and where, another what to do. */
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
