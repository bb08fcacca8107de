/**
 * Commands as rows of data: one with an action of its own, one that shows or changes one thing of the API, and one that
 * lists things of the API.
 *
 * The types of arguments and options follow from how they are declared.
 */
import type { Client } from '@baton/api/client';
import { defined } from '@baton/primitives';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Command as UntypedCommand } from 'commander';

import type { Context } from '../context.ts';
import type { ExitCode } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import type { Column } from '../output/table.ts';
import { oneLine } from '../output/text.ts';

/** Adds arguments, options, examples and the action. Heavy imports belong into the action. */
export type DefineCommand = (command: UntypedCommand, context: Context) => void;

/** A command line, and what it does. */
type Example = readonly [line: string, does: string];

interface CommandForm<Arguments extends unknown[], Options extends OptionValues> {
  /** Adds its arguments and options. */
  readonly form: (command: Command) => Command<Arguments, Options>;
  /** Resolves to the exit code; to undefined for that of the context. */
  readonly act: (context: Context, args: Arguments, options: Options) => Promise<ExitCode | void>;
  readonly examples?: readonly Example[];
}

/** A command with an action of its own. */
export function commandOf<Arguments extends unknown[], Options extends OptionValues>({
  form,
  act,
  examples = [],
}: CommandForm<Arguments, Options>): DefineCommand {
  return (untyped, context) => {
    // Commander itself knows no types of arguments and options.
    const command = form(untyped as unknown as Command);
    untyped.action(async () => {
      const exitCode = await act(context, untyped.processedArgs as Arguments, command.opts());
      if (exitCode !== undefined) context.exitCode = exitCode;
    });
    if (examples.length > 0) untyped.addHelpText('after', `\nExamples:\n${exampleLines(examples).join('\n')}`);
  };
}

const columnsMax = 80;

function exampleLines(examples: readonly Example[]): readonly string[] {
  const width = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, does]) => `  $ ${line.padEnd(width)}  ${does}`);
  // In a narrow terminal, the sentence stands above its command.
  if (!beside.some((line) => line.length > columnsMax)) return beside;
  return examples.map(([line, does]) => `  # ${does}\n${narrow(line).join('\n')}`);
}

/** Breaks a longer line where the shell, or JSON, lets it go on in the next one. */
function narrow(line: string): string[] {
  const isJson = line.startsWith('{');
  const [head, before, end] = isJson ? ['  ', '    ', ''] : ['  $ ', '      ', ' \\'];
  const lines: string[] = [];
  let current = head + line;
  while (current.length > columnsMax) {
    const at = current.lastIndexOf(' ', columnsMax - end.length);
    if (at <= before.length) break;
    lines.push(current.slice(0, at) + end);
    current = before + current.slice(at + 1);
  }
  return [...lines, current];
}

interface ApiCall<Options> extends Pick<Context, 'stdout' | 'stderr'> {
  readonly context: Context;
  readonly client: Client;
  readonly options: Options;
}

interface ApiForm<Options extends OptionValues> {
  /** The argument: the thing that the command is about. */
  readonly of?: readonly [name: string, description: string];
  readonly options?: (command: Command) => Command<[], Options>;
  /** The description of `--json`; without it, the command has no such option. */
  readonly json?: string;
  readonly examples: readonly Example[];
}

interface ActForm<Answer, Options extends OptionValues> extends ApiForm<Options> {
  /** `name`: the argument; empty for a command without one. */
  readonly act: (client: Client, name: string, call: ApiCall<Options>) => Promise<Answer>;
  /** What `--json` prints, if it is not the answer. */
  readonly asJson?: (answer: Answer) => unknown;
  /** A line about the outcome. */
  readonly done?: string | ((answer: Answer, name: string) => string);
  /** Instead of `done`: prints the answer for people. */
  readonly print?: (answer: Answer, call: ApiCall<Options>) => unknown;
  /** Also with `--json`, after the answer. */
  readonly after?: (answer: Answer, call: ApiCall<Options>) => unknown;
}

/** A command that shows or changes one thing. */
export function actOn<Answer, Options extends OptionValues = OptionValues>(
  form: ActForm<Answer, Options>,
): DefineCommand {
  const { of, json, examples, act, asJson = (answer) => answer, done, print, after } = form;
  return commandOf({
    form: (command): Command<[string?], OptionValues> => {
      if (of !== undefined) command.argument(...of);
      form.options?.(command);
      if (json !== undefined) command.option('--json', json);
      return command;
    },
    act: async (context, [name = ''], { json: isJson, ...options }) => {
      const client = await context.client();
      const { stdout, stderr } = context;
      // A list passes its options on to the API.
      const call: ApiCall<Options> = { context, client, stdout, stderr, options: options as Options };
      const answer = await act(client, name, call);
      if (isJson === true) stdout.line(jsonText(asJson(answer)));
      else if (print !== undefined) await print(answer, call);
      else if (done !== undefined) stderr.line(oneLine(typeof done === 'string' ? done : done(answer, name)));
      await after?.(answer, call);
    },
    examples,
  });
}

interface ListForm<Row, Options extends OptionValues> extends ApiForm<Options>, TableForm<Row> {
  readonly json: string;
  readonly list: (
    client: Client,
    options: Options,
    name: string,
  ) => AsyncIterable<Row> | Promise<{ data: Row[] } | Row[]>;
  /** A line for people, under the table. */
  readonly note?: (rows: readonly Row[], call: ApiCall<Options>) => string | undefined;
}

interface TableForm<Row> {
  readonly columns: readonly Column<Row>[];
  /** Printed if there are no rows. */
  readonly none?: string;
}

/** A command that prints a table. */
export const listCommand = <Row extends object, Options extends OptionValues = OptionValues>({
  list,
  columns,
  none,
  note,
  ...form
}: ListForm<Row, Options>): DefineCommand =>
  actOn<readonly Row[], Options>({
    ...form,
    act: async (client, name, { options }) => {
      const listed = list(client, options, name);
      if (Symbol.asyncIterator in listed) return Array.fromAsync(listed);
      const answer = await listed;
      return 'data' in answer ? answer.data : answer;
    },
    print: async (rows, call) => {
      await printRows(call.context, rows, { columns, ...defined({ none }) });
      const text = note?.(rows, call);
      if (text !== undefined) call.stderr.line(text);
    },
  });

/** Prints a table for people and programs, or says that there are no rows. */
export async function printRows<Row>(
  { stdout, stderr }: Context,
  rows: readonly Row[],
  { columns, none }: TableForm<Row>,
): Promise<void> {
  if (rows.length === 0 && none !== undefined) return stderr.line(none);
  const { printTable } = await import('../output/table.ts');
  printTable(stdout, columns, rows);
}
