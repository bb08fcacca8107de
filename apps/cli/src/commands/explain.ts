import type { Command } from 'commander';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly json?: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .argument('[code]', 'code of a finding of `baton check` or `baton import`, or of the failure of a run')
    .option('--json', 'print what there is to say as a JSON array')
    .action(async (code: string | undefined, options: Options) => explain(context, command, code, options));
  addExamples(command, [
    ['baton explain unknown-key', 'say what a finding means, and how it is mended'],
    ['baton explain outcome-unknown', 'say what the failure of a run means'],
    ['baton explain', 'list all codes'],
  ]);
}

async function explain(
  context: Context,
  command: Command,
  code: string | undefined,
  { json = false }: Options,
): Promise<void> {
  const { stdout } = context;
  const [{ explanations }, { entryAddresses }] = await Promise.all([
    import('../explain/explanations.ts'),
    import('../explain/entryAddresses.ts'),
  ]);
  const found = code === undefined ? explanations : explanations.filter((one) => one.code === code);
  if (code !== undefined && found.length === 0) throw await unknownCode(code, explanations);
  const addressOf = await entryAddresses(context, command.optsWithGlobals());
  if (json) {
    const { jsonText } = await import('../output/json.ts');
    return stdout.line(jsonText(found.map(({ entry, ...rest }) => ({ ...rest, docs: addressOf(entry) }))));
  }
  const { printCodes, printExplanation } = await import('../explain/printExplanations.ts');
  if (code === undefined) return printCodes(stdout, found);
  for (const [at, one] of found.entries()) {
    if (at > 0) stdout.line();
    printExplanation(stdout, one, addressOf(one.entry));
  }
}

/** The whole id of a run, its beginning, or `last`, as other commands take them. */
const aRun = /^(?:last|[\da-f]{8}-[\da-f-]+)$/;

async function unknownCode(code: string, known: readonly { readonly code: string }[]): Promise<CommandError> {
  if (aRun.test(code))
    return new CommandError(exitCodes.usage, `"${code.slice(0, 80)}" is a run, and not a code.`, {
      hint: `\`baton runs show ${code.slice(0, 80)}\` says why it failed`,
    });
  const { didYouMean } = await import('@baton/expressions');
  const hint = didYouMean(
    code,
    known.map((one) => one.code),
  );
  return new CommandError(exitCodes.usage, `There is no code "${code.slice(0, 80)}".`, {
    hint: hint ?? 'list all codes with `baton explain`',
  });
}
