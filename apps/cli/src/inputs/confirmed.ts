import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';

interface Confirmation {
  readonly question: string;
  /** Where no person can be asked: what would happen, and the option that allows it. */
  readonly refusal: string;
  readonly hint: string;
  /** What is said after a no. */
  readonly declined: string;
}

/** Rejects with `CommandError` if no person can be asked, or the answer is no. */
export async function confirmed(context: Context, { question, refusal, hint, declined }: Confirmation): Promise<void> {
  if (!context.isInteractive) throw new CommandError(exitCodes.usage, refusal, { hint });
  const { confirm } = await import('@clack/prompts');
  const { stdin, stderr } = context;
  const said = await confirm({ message: question, initialValue: false, input: stdin, output: stderr.stream });
  if (said !== true) throw new CommandError(exitCodes.interrupted, declined);
}
