import { type AwaitedLogin, type Client, type Question, ProblemError } from '@baton/api/client';
import { countText } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { repeated } from '../inputs/arguments.ts';
import { jsonText } from '../output/json.ts';
import type { Column } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import { commandOf, printRows } from './defineCommand.ts';

interface AnswerOptions {
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly run?: string;
  readonly json?: true;
}

export const define = commandOf({
  form: (command) =>
    command
      .argument(
        '[question]',
        'id of the question, its beginning, its run, or `last`; without it, the only open one; of several, a list',
      )
      .option('-i, --input <name=value>', 'one value of the answer; can be repeated', repeated)
      .option('--inputs <file>', 'the answer as a JSON object in a file, or - for stdin')
      .option('-r, --run <run>', 'list the open questions of this run: its id, its beginning, or `last`')
      .option('--json', 'print the open questions, or the recorded answer, as JSON'),
  act: (context, [question], options) => answerOrList(context, question, options),
  examples: [
    ['baton answer', 'at a terminal: see the only open question, and answer it; else list the open questions'],
    ['baton answer QUESTION', 'see one at a terminal, and answer it'],
    ['baton answer --run last', 'list the open questions of the newest run'],
    ['baton answer QUESTION -i approve=true', 'answer it without being asked; Baton prompts for missing values'],
  ],
});

const columns: readonly Column<Question>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'WORKFLOW', value: ({ workflow }) => workflow },
  { title: 'STEP', value: ({ step }) => step },
  { title: 'QUESTION', value: ({ message }) => message, canShrink: true },
];

async function answerOrList(context: Context, written: string | undefined, options: AnswerOptions): Promise<void> {
  const client = await context.client();
  const { findQuestion, findRun } = await import('../run/findRun.ts');
  if (options.run !== undefined) {
    refuseSuperfluous(written, options);
    const runId = await findRun(client, options.run);
    const questions = await Array.fromAsync(client.questions.all({ runId }));
    return printQuestions(context, questions, { asJson: options.json === true, of: ` of the run ${runId}` });
  }
  // A script must name the question, because the only open question may become another one meanwhile.
  const wantsOne = written !== undefined || (context.isInteractive && options.json !== true);
  const id = wantsOne ? await findQuestion(client, written) : undefined;
  if (id === undefined && written !== undefined)
    throw new CommandError(exitCodes.notFound, 'There are no open questions.');
  return id === undefined ? list(context, options) : answer(context, id, options);
}

async function list(context: Context, { json, input, inputs }: AnswerOptions): Promise<void> {
  if (input !== undefined || inputs !== undefined) {
    throw new CommandError(exitCodes.usage, 'Name the question that this answers.', {
      hint: 'list the open questions with `baton answer`',
    });
  }
  const client = await context.client();
  const questions = await Array.fromAsync(client.questions.all());
  await printQuestions(context, questions, { asJson: json === true });
  if (json !== true) await printLogins(context, client);
}

/** Logins for which runs of the person wait are no questions: a person who answers gives nothing that they go on with. */
async function printLogins({ stderr }: Context, client: Client): Promise<void> {
  for (const { server, runs } of await awaitedLogins(client))
    stderr.line(
      oneLine(
        `${countText(runs, 'run')} of yours ${runs === 1 ? 'waits' : 'wait'} until you log in: baton servers login ${server}`,
      ),
    );
}

/** None where an older Baton knows none, or the key has no right to log in. Rejects with `ProblemError`. */
async function awaitedLogins(client: Client): Promise<readonly AwaitedLogin[]> {
  try {
    return (await client.servers.logins()).data;
  } catch (error) {
    if (error instanceof ProblemError && [403, 404].includes(error.status)) return [];
    throw error;
  }
}

/** `--run` lists. Throws `CommandError`. */
function refuseSuperfluous(question: string | undefined, { input, inputs }: AnswerOptions): void {
  if (question === undefined && input === undefined && inputs === undefined) return;
  const message = '`--run` lists the questions of a run: neither a question nor an answer goes with it.';
  throw new CommandError(exitCodes.usage, message, { hint: 'answer one with `baton answer QUESTION -i NAME=VALUE`' });
}

/** The questions, and how the first one is answered. */
async function printQuestions(
  context: Context,
  questions: readonly Question[],
  { asJson, of = '' }: { readonly asJson: boolean; readonly of?: string },
): Promise<void> {
  const { answerCommand } = await import('../inputs/drawQuestion.ts');
  if (asJson) return context.stdout.line(jsonText(questions));
  await printRows(context, questions, { columns, none: `There are no open questions${of}.` });
  const [first] = questions;
  if (first === undefined) return;
  context.stderr.line(`${questions.length === 1 ? 'Answer it' : 'Answer the first one'}: ${answerCommand(first)}`);
}

async function answer(context: Context, id: string, options: AnswerOptions): Promise<void> {
  const client = await context.client();
  const question = await client.questions.get(id);
  if (context.isInteractive) await showQuestion(context, client, question);
  const values = await valuesFor(context, question, options);
  if (values === undefined) {
    // Defaults are no decision: only a person who sees the form, or a value that is given, answers a question.
    await printQuestions(context, [question], { asJson: options.json === true });
    throw new CommandError(exitCodes.usage, 'Nothing was recorded: the answer has no value.');
  }
  const taken = await client.questions.answer(id, values);
  if (options.json === true) return context.stdout.line(jsonText({ ...taken }));
  context.stderr.line(`The answer is recorded. Watch the run: baton runs watch ${oneLine(question.runId)}`);
}

/** The given values, or those of a person who sees the whole form; undefined without both. Rejects with `CommandError`. */
async function valuesFor(
  context: Context,
  { form }: Question,
  options: AnswerOptions,
): Promise<JsonObject | undefined> {
  if (options.input !== undefined || options.inputs !== undefined) {
    const { readInputs, refuseUnknown } = await import('../inputs/readInputs.ts');
    const pairs = options.input ?? [];
    refuseUnknown(pairs, form, { owner: 'The form', item: 'field' });
    return readInputs(context, { file: options.inputs, pairs }, form, 'Nothing was recorded.');
  }
  if (!context.isInteractive) return undefined;
  const { askForm } = await import('../inputs/askInputs.ts');
  const values = await askForm(context, form);
  if (values === undefined) throw new CommandError(exitCodes.interrupted, 'Nothing was recorded.');
  return values;
}

/** Shows the question, and the call that it is about. */
async function showQuestion(context: Context, client: Client, question: Question): Promise<void> {
  const { drawQuestion } = await import('../inputs/drawQuestion.ts');
  for (const line of await drawQuestion(context.stderr, client, question)) context.stderr.line(line);
}
