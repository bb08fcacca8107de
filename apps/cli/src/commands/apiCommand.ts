/** Commands as rows of data: one that lists things of the API, and one that shows or changes one thing. */
import type { Client } from '@baton/api/client';
import { defined } from '@baton/primitives';
import type { Command } from 'commander';

import type { Context } from '../context.ts';
import type { Column } from '../output/table.ts';
import { type Example, addExamples } from './examples.ts';

/** Adds arguments, options, examples and the action. Heavy imports belong into the action. */
export type DefineCommand = (command: Command, context: Context) => void;

interface ApiCall<Options> extends Pick<Context, 'stdout' | 'stderr'> {
  readonly context: Context;
  readonly client: Client;
  readonly options: Options;
}

interface CommandForm {
  /** The argument: the thing that the command is about. */
  readonly of?: readonly [name: string, description: string];
  readonly options?: (command: Command) => Command;
  /** The description of `--json`; without it, the command has no such option. */
  readonly json?: string;
  readonly examples: readonly Example[];
}

interface ActForm<Answer, Options> extends CommandForm {
  /** `name`: the argument; empty for a command without one. */
  readonly act: (client: Client, name: string, call: ApiCall<Options>) => Promise<Answer>;
  /** What `--json` prints, if it is not the answer. */
  readonly asJson?: (answer: Answer) => unknown;
  /** A line about the outcome. */
  readonly done?: string | ((answer: Answer, name: string) => string);
  /** Instead of `done`: prints the answer for people. */
  readonly print?: (answer: Answer, call: ApiCall<Options>) => unknown;
  /** Also with `--json`, after the answer. */
  readonly after?: (answer: Answer, call: ApiCall<Options>) => void;
}

/** A command that shows or changes one thing. */
export function actOn<Answer, Options extends object = object>(form: ActForm<Answer, Options>): DefineCommand {
  const { of, json, act, asJson = (answer) => answer, done, print, after } = form;
  return (command, context) => {
    if (of !== undefined) command.argument(...of);
    form.options?.(command);
    if (json !== undefined) command.option('--json', json);
    command.action(async () => {
      const [name = ''] = command.args;
      const isJson = command.getOptionValue('json') === true;
      // A list passes its options on to the API.
      command.setOptionValue('json', undefined);
      const client = await context.client(command.optsWithGlobals());
      const { stdout, stderr } = context;
      const call: ApiCall<Options> = { context, client, stdout, stderr, options: command.opts<Options>() };
      const answer = await act(client, name, call);
      const [{ jsonText }, { oneLine }] = await Promise.all([import('../output/json.ts'), import('../output/text.ts')]);
      if (isJson) stdout.line(jsonText(asJson(answer)));
      else if (print !== undefined) await print(answer, call);
      else if (done !== undefined) stderr.line(oneLine(typeof done === 'string' ? done : done(answer, name)));
      after?.(answer, call);
    });
    addExamples(command, form.examples);
  };
}

interface ListForm<Row, Options> extends CommandForm, TableForm<Row> {
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
export const listCommand = <Row extends object, Options extends object = object>({
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
