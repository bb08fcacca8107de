/** Asks for a secret at the terminal; elsewhere reads it from stdin, without the last line end. */
import { text as readAll } from 'node:stream/consumers';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';

/** `undone`: what to say if the person interrupts. Rejects with `CommandError`. */
export async function readSecret(context: Context, name: string, undone: string): Promise<string> {
  const { stdin, stderr } = context;
  if (!context.isInteractive) return (await readAll(stdin)).replace(/\r?\n$/, '');
  const { isCancel, password } = await import('@clack/prompts');
  const value = await password({ message: `Value of ${name}`, input: stdin, output: stderr.stream });
  if (isCancel(value)) throw new CommandError(exitCodes.interrupted, undone);
  return value;
}
