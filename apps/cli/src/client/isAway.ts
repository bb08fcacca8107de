import { UnreachableError } from '@baton/api/client';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

/** Whether a command found no Baton to ask: none runs here, or none answers. */
export const isAway = (error: unknown): error is UnreachableError | CommandError =>
  error instanceof UnreachableError || (error instanceof CommandError && error.exitCode === exitCodes.unreachable);
