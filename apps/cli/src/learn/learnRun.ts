/** Learns a workflow from a run, asks the person the open questions, and prints the result. */
import { writeFile } from 'node:fs/promises';

import type { Client, LearnedWorkflow } from '@baton/api/client';
import { isCancel, select } from '@clack/prompts';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import { oneLine } from '../output/text.ts';

export interface LearnFlags {
  readonly name?: string;
  readonly output?: string;
  readonly json?: boolean;
  /** Takes the likeliest answer to each question, and asks none. */
  readonly yes?: boolean;
}

/** Rejects as the client does, also if the run has no calls to learn from. */
export async function learnRun(context: Context, client: Client, runId: string, flags: LearnFlags): Promise<void> {
  const { name } = flags;
  const answers: Record<string, number> = {};
  const read = (): Promise<LearnedWorkflow> =>
    client.runs.learn(runId, { answers, ...(name !== undefined && { name }) }, { timeoutMs: learnMs });
  let learned = await read();
  const mayAsk = context.isInteractive && flags.yes !== true && flags.json !== true;
  const next = (): OpenQuestion | undefined => (mayAsk ? learned.questions[0] : undefined);
  for (let open = next(); open !== undefined; open = next()) {
    answers[open.id] = await ask(context, open);
    learned = await read();
  }
  if (flags.output !== undefined) await writeFile(flags.output, learned.source);
  if (flags.json === true) context.stdout.line(jsonText(learned));
  else {
    if (flags.output === undefined) context.stdout.line(learned.source.trimEnd());
    tell(context, learned, flags.output);
  }
  const isWrong = learned.findings.some(({ severity }) => severity === 'error');
  if (!learned.replay.same || isWrong) context.exitCode = exitCodes.failed;
}

type OpenQuestion = LearnedWorkflow['questions'][number];

/** A long session takes a while. */
const learnMs = 60_000;

async function ask({ stdin, stderr }: Context, { text, options }: OpenQuestion): Promise<number> {
  const chosen = await select({
    message: oneLine(text),
    options: options.map((label, value) => ({ value, label: oneLine(label) })),
    input: stdin,
    output: stderr.stream,
  });
  if (isCancel(chosen)) throw new CommandError(exitCodes.interrupted, 'Nothing was learned.');
  return chosen;
}

function tell(
  { stderr }: Context,
  { inputs, leftOut, notes, questions, replay, findings }: LearnedWorkflow,
  output: string | undefined,
): void {
  if (output !== undefined) stderr.line(`wrote ${output}`);
  stderr.line(`inputs: ${inputs.length === 0 ? 'none' : inputs.join(', ')}`);
  for (const { path, why } of leftOut) stderr.line(`left out: ${path}: ${oneLine(why)}`);
  for (const { step, note } of notes) stderr.line(`${step}: ${oneLine(note)}`);
  for (const { text, options } of questions) stderr.line(`open: ${oneLine(text)} Taken: ${oneLine(options[0] ?? '')}`);
  for (const { line, severity, message } of findings) stderr.line(`line ${line}: ${severity}: ${oneLine(message)}`);
  if (replay.same) stderr.line('replay: the workflow makes the same calls with the same arguments');
  const looks = notes.filter(({ note }) => note.startsWith('look:')).length;
  if (replay.same && questions.length + looks > 0)
    stderr.line(`doubts: ${questions.length + looks}. Look at them before you deploy it.`);
  for (const { path, message } of replay.differences) stderr.line(`replay differs: ${path}: ${oneLine(message)}`);
}
