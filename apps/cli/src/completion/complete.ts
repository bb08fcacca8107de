/** Completes a command line: commands, options, and names that the API knows. */
import { Command, type Option } from 'commander';

import { type CommandEntry, sections } from '../commands.ts';
import type { Context } from '../context.ts';
import { oneLine } from '../output/text.ts';
import { type CompletionCandidate, namesFor } from './namesFor.ts';

/** `words` after `baton`, the last one unfinished. One line per candidate; none: file names. */
export async function complete(context: Context, words: readonly string[]): Promise<string[]> {
  const begun = words.at(-1) ?? '';
  const candidates = await candidatesFor(context, words.slice(0, -1), begun);
  return candidates
    .filter(([name]) => name.startsWith(begun))
    .map(([name, description]) => `${oneLine(name)}\t${oneLine(description)}`);
}

const globals: readonly CompletionCandidate[] = [
  ['--url', 'address of the API'],
  ['--api-key', 'API key'],
  ['--help', 'print help'],
];

async function candidatesFor(
  context: Context,
  before: readonly string[],
  begun: string,
): Promise<readonly CompletionCandidate[]> {
  const { command, entries, words } = await walk(context, before);
  const options = command?.options.filter(({ hidden }) => !hidden) ?? [];
  const open = optionNamed(options, before.at(-1));
  const given = command === undefined ? [] : operandsIn(words, options);
  if (open?.required === true)
    return (
      open.argChoices?.map((one): CompletionCandidate => [one, '']) ?? namesFor(context, open.attributeName(), given)
    );
  if (begun.startsWith('-')) {
    return [...options.map(({ long, description }): CompletionCandidate => [long ?? '', description]), ...globals];
  }
  if (command === undefined) return entries.map(({ name, summary }): CompletionCandidate => [name, summary]);
  const argument =
    command.registeredArguments[given.length] ?? command.registeredArguments.findLast(({ variadic }) => variadic);
  return (
    argument?.argChoices?.map((one): CompletionCandidate => [one, '']) ??
    namesFor(context, argument?.name() ?? '', given)
  );
}

interface CompletionPosition {
  /** The command of the words; undefined while they name a group. */
  readonly command: Command | undefined;
  /** The candidates if there is no command yet. */
  readonly entries: readonly CommandEntry[];
  /** The words after the command. */
  readonly words: readonly string[];
}

const commands = sections.flatMap((section) => section.entries);
/** Its words are commands, and one topic. */
const help: CommandEntry = {
  name: 'help',
  summary: 'show help for a command',
  commands: [...commands, { name: 'exit-codes', summary: 'list the exit codes', commands: [] }],
};

async function walk(context: Context, words: readonly string[]): Promise<CompletionPosition> {
  let entries: readonly CommandEntry[] = [...commands, help];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--url' || word === '--api-key') at += 1;
    if (word.startsWith('-')) continue;
    const entry = entries.find(({ name }) => name === word);
    if (entry === undefined) return { command: undefined, entries: [], words: [] };
    if ('commands' in entry) entries = entry.commands;
    else if (words[0] === help.name) return { command: undefined, entries: [], words: [] };
    else {
      const command = new Command(entry.name);
      const define = await entry.load();
      define(command, context);
      return { command, entries: [], words: words.slice(at + 1) };
    }
  }
  return { command: undefined, entries, words: [] };
}

const optionNamed = (options: readonly Option[], word: string | undefined): Option | undefined =>
  options.find(({ long, short }) => word !== undefined && (long === word || short === word));

function operandsIn(words: readonly string[], options: readonly Option[]): string[] {
  return words.filter((word, i) => !word.startsWith('-') && optionNamed(options, words[i - 1])?.required !== true);
}
