/** `--jq`: filters a command's JSON output, without a jq on this machine. */

import { cleanText } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { jsonText } from './json.ts';
import type { Output } from './output.ts';

/** The output to give to the command. Rejects with `CommandError` for an invalid filter. */
export async function filteredOutput(output: Output, written: string): Promise<Output> {
  // @ts-expect-error The package has no types.
  const { compile } = (await import('@michaelhomer/jqjs')) as { compile: (text: string) => JsonFilter };
  const filter = attempted(written, () => compile(written));
  const line = (text = ''): void => {
    for (const result of attempted(written, () => [...filter(JSON.parse(text))])) output.line(shown(result));
  };
  return { ...output, line };
}

type JsonFilter = (input: unknown) => Iterable<unknown>;

/** Texts without quotes, as `jq --raw-output` and the GitHub CLI print them. */
const shown = (result: unknown): string => (typeof result === 'string' ? cleanText(result) : jsonText(result));

/** The library throws many kinds of errors, and texts. */
function attempted<Result>(written: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const why = cleanText(cause instanceof Error ? cause.message : String(cause)).slice(0, 200);
    throw new CommandError(exitCodes.usage, `--jq "${written.slice(0, 80)}" does not work here: ${why}.`, {
      cause,
      hint: 'see https://jqlang.org/manual; --json alone prints what the filter is given',
    });
  }
}
