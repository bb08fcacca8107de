import type { StartError } from '@baton/boot';

import { type ExitCode, exitCodes } from './exitCodes.ts';

/** The exit code for a start that failed: what a process of Baton ends with, but for its bugs. */
export function exitCodeOfStart({ exitCode }: StartError): ExitCode {
  return { 2: exitCodes.usage, 69: exitCodes.unavailable, 70: exitCodes.failed }[exitCode];
}
