import type { Client, Question } from '@baton/api/client';
import type { Command } from 'commander';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import type { Column } from '../output/table.ts';
import { repeated } from './arguments.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument(
      '[question]',
      'id of the question, its beginning, its run, or `last`; without it, the only open one, or a list',
    )
    .option('-i, --input <name=value>', 'one value of the answer; can be repeated', repeated)
    .option('--inputs <file>', 'the answer as a JSON object in a file, or - for stdin')
    .option('--json', 'print the open questions, or the recorded answer, as JSON')
    .action(async (id: string | undefined, options: Options) => answerOrList(context, command, id, options));
  addExamples(command, [
    ['baton answer', 'list the open questions'],
    ['baton answer QUESTION -i approve=true', 'answer one; Baton prompts for missing values'],
  ]);
}

const columns: readonly Column<Question>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'WORKFLOW', value: ({ workflow }) => workflow },
  { title: 'STEP', value: ({ step }) => step },
  { title: 'QUESTION', value: ({ message }) => message, canShrink: true },
];

async function answerOrList(
  context: Context,
  command: Command,
  written: string | undefined,
  options: Options,
): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const { findQuestion } = await import('../run/findRun.ts');
  // A script must name the question, because the only open question may become another one meanwhile.
  const wantsOne = written !== undefined || (context.isInteractive && options.json !== true);
  const id = wantsOne ? await findQuestion(client, written) : undefined;
  if (id === undefined && written !== undefined)
    throw new CommandError(exitCodes.notFound, 'There are no open questions.');
  return id === undefined ? list(context, command, options) : answer(context, command, id, options);
}

async function list(context: Context, command: Command, { json, input, inputs }: Options): Promise<void> {
  if (input !== undefined || inputs !== undefined) {
    throw new CommandError(exitCodes.usage, 'Name the question that this answers.', {
      hint: 'list the open questions with `baton answer`',
    });
  }
  const client = await context.client(command.optsWithGlobals());
  const questions = await Array.fromAsync(client.questions.all());
  const { printList } = await import('../output/printList.ts');
  printList(context, questions, { columns, asJson: json === true, none: 'There are no open questions.' });
}

async function answer(context: Context, command: Command, id: string, options: Options): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const question = await client.questions.get(id);
  const { form, runId } = question;
  const [{ readInputs, refuseUnknown }, { oneLine }, { jsonText }] = await Promise.all([
    import('../inputs/readInputs.ts'),
    import('../output/text.ts'),
    import('../output/json.ts'),
  ]);
  if (context.isInteractive) await showQuestion(context, client, question);
  const given = { file: options.inputs, pairs: options.input ?? [] };
  refuseUnknown(options.input ?? [], form, { owner: 'The form', item: 'field' });
  const taken = await client.questions.answer(id, await readInputs(context, given, form));
  if (options.json === true) return context.stdout.line(jsonText({ ...taken }));
  context.stderr.line(`The answer is recorded. Watch the run: baton runs watch ${oneLine(runId)}`);
}

/** Shows the question, and the call that it is about. */
async function showQuestion(context: Context, client: Client, question: Question): Promise<void> {
  const { drawQuestion } = await import('../output/drawQuestion.ts');
  for (const line of await drawQuestion(context.stderr, client, question)) context.stderr.line(line);
}
