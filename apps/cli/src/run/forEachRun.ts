import type { Context } from '../context.ts';
import type { ExitCode } from '../exitCodes.ts';
import { explainError } from '../output/explainError.ts';
import { oneLine } from '../output/text.ts';

/** Acts on one run after the other, also after one that refused. Resolves to the exit code of the first that did. */
export async function forEachRun(
  { stderr }: Pick<Context, 'stderr'>,
  written: readonly string[],
  act: (one: string) => Promise<void>,
): Promise<ExitCode | undefined> {
  let refused: ExitCode | undefined;
  for (const one of written) {
    try {
      await act(one);
    } catch (error) {
      const explained = written.length === 1 ? undefined : explainError(error, stderr);
      if (explained === undefined) throw error;
      refused ??= explained.exitCode;
      stderr.line(`${oneLine(one)}: ${explained.text}`);
    }
  }
  return refused;
}
