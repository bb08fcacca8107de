import type { ExitCode } from './exitCodes.ts';

/** The command cannot go on: one sentence of what is wrong and where, and what to do next. */
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
