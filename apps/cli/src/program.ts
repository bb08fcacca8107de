/** The whole command line: global options, commands that load when they are called, help, and exit. */
import { Command, CommanderError, Option } from 'commander';

import { CommandError } from './commandError.ts';
import { type CommandEntry, type CommandLeaf, sections } from './commands.ts';
import { type ProcessStreams, Context } from './context.ts';
import { type ExitCode, exitCodes } from './exitCodes.ts';
import { buildVersion } from './version.ts';

/** Resolves to the exit code. Throws bugs. */
export async function runCommandLine(args: readonly string[], surroundings: ProcessStreams): Promise<ExitCode> {
  const context = new Context(surroundings);
  let flags: readonly string[] = [];
  try {
    if (args[0] === '__complete') return await printCandidates(context, args.slice(args[1] === '--' ? 2 : 1));
    const program = createProgram(context);
    program.hook('preAction', (_, { options }) => {
      flags = options.flatMap(({ long }) => long ?? []);
    });
    refuseVersionOfWorkflow(args);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const { explainError } = await import('./output/explainError.ts');
    const explained = explainError(error, context.stderr, { flags, loggedInAt: context.loggedInAt });
    if (explained === undefined) throw error;
    context.stderr.line(explained.text);
    return explained.exitCode;
  }
}

/** `runs retry ID --version 2` would print Baton's own version, and do nothing. */
function refuseVersionOfWorkflow(args: readonly string[]): void {
  const at = args.indexOf('--version');
  if (at < 1 || !/^(?:\d+|latest)$/.test(args[at + 1] ?? '')) return;
  const hint = `The version of a workflow: --workflow-version ${args[at + 1]}.`;
  throw new CommandError(exitCodes.usage, '--version prints the version of Baton, and takes no value.', { hint });
}

/** For the scripts that `baton completion` prints. */
async function printCandidates(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { complete } = await import('./completion/complete.ts');
  for (const line of await complete(context, words)) context.stdout.line(line);
  return exitCodes.done;
}

function createProgram(context: Context): Command {
  const { stdout, stderr } = context;
  const program = new Command('baton')
    .description('Durable workflows over MCP.')
    .usage('<command> [options]')
    .option('--url <url>', 'address of the API (default: BATON_URL, else of the Baton on the data folder)')
    .option('--api-key <key>', 'API key (default: BATON_API_KEY, else the key in the data folder of this machine)')
    .version(buildVersion, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.stream.write(text),
      writeErr: (text) => stderr.stream.write(text),
      getOutHasColors: () => stdout.paint.isColorSupported,
      getErrHasColors: () => stderr.paint.isColorSupported,
      getOutHelpWidth: () => stdout.columns() ?? 100,
      getErrHelpWidth: () => stderr.columns() ?? 100,
      outputError: (text, write) => write(text.replace(/^error:/, stderr.paint.red('error:'))),
    })
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => stdout.paint.bold(title),
      styleCommandText: (text) => stdout.paint.cyan(text),
      styleSubcommandTerm: (term) => stdout.paint.cyan(term),
    })
    .showHelpAfterError('(use --help for details)')
    .helpCommand(false);
  program.hook('preAction', () => {
    context.address = program.opts();
  });
  for (const { heading, entries } of sections) {
    program.commandsGroup(heading);
    addEntries(program, entries, context);
  }
  program.addHelpText('after', '\n`baton <command> --help` has examples. Exit codes: baton help exit-codes');
  addHelpCommand(program);
  return program;
}

/** Commander calls this just before it parses a subcommand; only then the command is defined. */
function addEntries(parent: Command, entries: readonly CommandEntry[], context: Context): void {
  const leaves = new Map<Command, CommandLeaf>();
  for (const entry of entries) {
    const command = parent.command(entry.name).summary(entry.summary).description(sentence(entry.summary));
    if ('commands' in entry) addGroup(command, entry.commands, context);
    else leaves.set(command, entry);
  }
  parent.hook('preSubcommand', async (_, command) => {
    const leaf = leaves.get(command);
    // A command of another section.
    if (leaf === undefined) return;
    const define = await leaf.load();
    define(command, context);
    setNegatable(command);
    addJq(command, context);
    adviseOnErrors(command);
  });
}

/** Options of some commands, under the name that others have for them. */
const otherNames: Readonly<Record<string, string>> = { '--dry-run': '--preview', '--preview': '--dry-run' };

/** Completes what commander says about arguments and options that a command does not have. */
function adviseOnErrors(command: Command): void {
  const output = command.configureOutput();
  const has = (option: string): boolean => command.options.some(({ long, short }) => [long, short].includes(option));
  const adviceOn = (text: string): string => {
    // Commander takes `name=value` without its option for an argument too many.
    if (text.includes('too many arguments') && has('-i')) return '(Pass values as -i name=value.)\n';
    const meant = otherNames[/unknown option '([^']+)'/.exec(text)?.[1] ?? ''] ?? '';
    return has(meant) ? `(Did you mean ${meant}?)\n` : '';
  };
  command.configureOutput({
    ...output,
    outputError: (text, write) => output.outputError?.(text + adviceOn(text), write),
  });
}

function addGroup(group: Command, entries: readonly CommandEntry[], context: Context): void {
  addEntries(group.helpCommand(false), entries, context);
  // Set last: commands would inherit it.
  group.showHelpAfterError(`(${group.name()} has: ${entries.map(({ name }) => name).join(', ')})`);
}

/** Every command that prints JSON has `--jq`. */
function addJq(command: Command, context: Context): void {
  if (!command.options.some(({ long }) => long === '--json')) return;
  command.addOption(new Option('--jq <filter>', 'filter the JSON, as jq does').implies({ json: true }));
  command.hook('preAction', async () => {
    const filter: unknown = command.getOptionValue('jq');
    if (typeof filter !== 'string') return;
    // It is no option of the command, some of which pass on to the API all that they do not know.
    command.setOptionValue('jq', undefined);
    const { filteredOutput } = await import('./output/jq.ts');
    context.stdout = await filteredOutput(context.stdout, filter);
  });
}

/** Commander gives the default of a `--no-…` option before it defines the options. */
function setNegatable(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (option.negate && command.getOptionValue(name) === undefined)
      command.setOptionValueWithSource(name, true, 'default');
  }
}

const sentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

const exitCodeHelp = `Exit codes:
  0    done
  1    the run failed, or the check found errors
  2    wrong usage, or an unusable file
  3    not found
  4    not allowed
  5    conflict
  6    the API cannot be reached
  7    waiting timed out
  8    the run was cancelled
  69   what a start needs is away, full or taken; 2: it is wrong
  130  interrupted`;

/** Our own help command, since commander's needs loaded commands. */
function addHelpCommand(program: Command): void {
  program.commandsGroup('Operations:');
  program
    .command('help')
    .summary('show help for a command')
    .argument('[command...]')
    .action(async (words: readonly string[]) => {
      if (words[0] === 'exit-codes') program.configureOutput().writeOut?.(`${exitCodeHelp}\n`);
      else await program.parseAsync([...words, '--help'], { from: 'user' });
    });
}
