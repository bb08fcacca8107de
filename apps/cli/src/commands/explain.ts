import { fileURLToPath } from 'node:url';

import { findUrl, serverOf } from '../client/address.ts';
import { isAway } from '../client/isAway.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import { commandOf } from './defineCommand.ts';

export const define = commandOf({
  form: (command) =>
    command
      .argument('[code]', 'code of a finding of `baton check` or `baton import`, or of the failure of a run')
      .option('--json', 'print what there is to say as a JSON array'),
  act: async (context, [code], { json = false }) => {
    const { stdout } = context;
    const { explanations } = await import('../explain/explanations.ts');
    const found = code === undefined ? explanations : explanations.filter((one) => one.code === code);
    if (code !== undefined && found.length === 0) throw await unknownCode(code, explanations);
    const addressOf = await entryAddresses(context);
    if (json) return stdout.line(jsonText(found.map(({ entry, ...rest }) => ({ ...rest, docs: addressOf(entry) }))));
    const { printCodes, printExplanation } = await import('../explain/printExplanations.ts');
    if (code === undefined) return printCodes(stdout, found);
    for (const [at, one] of found.entries()) {
      if (at > 0) stdout.line();
      printExplanation(stdout, one, addressOf(one.entry));
    }
  },
  examples: [
    ['baton explain unknown-key', 'say what a finding means, and how it is mended'],
    ['baton explain outcome-unknown', 'say what the failure of a run means'],
    ['baton explain', 'list all codes'],
  ],
});

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

const docsFolder = new URL('../../../../docs/', import.meta.url);

/**
 * The address of an entry of the docs: at the Baton that the options or this machine name, else its file in this
 * installation. Rejects with `CommandError` for an address that is none.
 */
async function entryAddresses({ env, address }: Context): Promise<(entry: string) => string> {
  try {
    const base = serverOf(await findUrl(address, env));
    return (entry) => `${base}/docs/${entry}`;
  } catch (error) {
    if (!isAway(error)) throw error;
    return (entry) => fileURLToPath(docsFolder) + entry.replace('#', '.md#');
  }
}
