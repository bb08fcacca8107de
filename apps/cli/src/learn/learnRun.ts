/** Learns a workflow from a run, asks the person the open questions, and prints the result. */
import { writeFile } from 'node:fs/promises';

import type { Learned, LearnQuestion, SeenRun } from '@baton/learn';
import { learn } from '@baton/learn';
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
  /** Takes the likelier answer to each question, and asks none. */
  readonly yes?: boolean;
}

/** Rejects with `CommandError` if the run has no calls to learn from. */
export async function learnRun(context: Context, run: SeenRun, flags: LearnFlags): Promise<void> {
  const answers = new Map<string, number>();
  let learned = learnedFrom(run, flags, answers);
  const mayAsk = context.isInteractive && flags.yes !== true && flags.json !== true;
  const next = (): LearnQuestion | undefined => (mayAsk ? openIn(learned, answers) : undefined);
  for (let open = next(); open !== undefined; open = next()) {
    answers.set(open.id, await ask(context, open));
    learned = learnedFrom(run, flags, answers);
  }
  if (flags.output !== undefined) await writeFile(flags.output, learned.source);
  if (flags.json === true) context.stdout.line(jsonText(shown(learned)));
  else {
    if (flags.output === undefined) context.stdout.line(learned.source.trimEnd());
    tell(context, learned, flags.output);
  }
  if (!learned.replay.same) context.exitCode = exitCodes.failed;
}

/** The output for programs. */
const shown = ({ source, inputs, leftOut, questions, notes, replay }: Learned): Omit<Learned, 'samples'> => ({
  source,
  inputs,
  leftOut,
  questions,
  notes,
  replay,
});

function learnedFrom(run: SeenRun, { name }: LearnFlags, answers: ReadonlyMap<string, number>): Learned {
  const learned = learn(run, { answers, ...(name === undefined ? {} : { name }) });
  if (learned !== undefined) return learned;
  throw new CommandError(exitCodes.conflict, 'No call of this run succeeded, so there is nothing to learn from it.', {
    hint: 'choose a run with calls: baton runs ls --trigger session',
  });
}

const openIn = ({ questions }: Learned, answers: ReadonlyMap<string, number>): LearnQuestion | undefined =>
  questions.find(({ id, options }) => options.length > 1 && !answers.has(id));

async function ask({ stdin, stderr }: Context, { text, options }: LearnQuestion): Promise<number> {
  const chosen = await select({
    message: oneLine(text),
    options: options.map((label, value) => ({ value, label: oneLine(label) })),
    input: stdin,
    output: stderr.stream,
  });
  if (isCancel(chosen)) throw new CommandError(exitCodes.interrupted, 'Nothing was learned.');
  return chosen;
}

function tell({ stderr }: Context, { inputs, leftOut, notes, replay }: Learned, output: string | undefined): void {
  if (output !== undefined) stderr.line(`wrote ${output}`);
  stderr.line(`inputs: ${inputs.length === 0 ? 'none' : inputs.join(', ')}`);
  for (const { path, why } of leftOut) stderr.line(`left out: ${path}: ${oneLine(why)}`);
  for (const { step, note } of notes) stderr.line(`${step}: ${oneLine(note)}`);
  if (replay.same) stderr.line('replay: the workflow makes the same calls with the same arguments');
  for (const { path, message } of replay.differences) stderr.line(`replay differs: ${path}: ${oneLine(message)}`);
}
