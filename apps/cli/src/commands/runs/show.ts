import type { Client, Run } from '@baton/api/client';
import type { Command } from 'commander';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { printWaitingHint } from '../../output/printWaitingHint.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly web?: true;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of the run, its beginning, or `last`')
    .argument('[step]', 'path of one step: all of its arguments, attempts and answer')
    .option('-w, --web', 'open the run in a browser')
    .option('--json', 'print the run, or the step, as JSON')
    .action(async (id: string, step: string | undefined, options: Options) =>
      show(context, command, [id, step], options),
    );
  addExamples(command, [
    ['baton runs show last', 'show inputs, steps with arguments and answers, failures and outputs'],
    ['baton runs show RUN charge', 'show all details of one step'],
    ['baton runs show RUN --web', 'open the run in a browser'],
    ["baton runs show RUN --jq '.outputs.total'", 'filter the JSON, as jq does'],
  ]);
}

async function show(
  context: Context,
  command: Command,
  [written, path]: [string, string | undefined],
  { web, json }: Options,
): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const { findRun } = await import('../../run/findRun.ts');
  const id = await findRun(client, written);
  if (web === true) {
    const { openPage } = await import('../../client/openPage.ts');
    return openPage(context, client, `runs/${id}`);
  }
  const run = await client.runs.get(id);
  const shown = path === undefined ? run : stepOf(run, path);
  const { stdout } = context;
  if (json === true) {
    const { jsonText } = await import('../../output/json.ts');
    return stdout.line(jsonText(shown));
  }
  if ('verb' in shown) {
    const { drawStep } = await import('../../output/stepValues.ts');
    return drawStep(shown, stdout).forEach((line) => stdout.line(line));
  }
  await drawWhole(context, client, run);
}

/** Finds a step by its path, or by its id if it is unique. Throws `CommandError`. */
function stepOf({ steps }: Run, written: string): Run['steps'][number] {
  const byId = steps.filter(({ id }) => id === written);
  const step = steps.find(({ path }) => path === written) ?? (byId.length === 1 ? byId[0] : undefined);
  if (step !== undefined) return step;
  const others = byId.length > 1 ? byId : steps;
  throw new CommandError(exitCodes.notFound, `No step of this run is called "${written.slice(0, 80)}".`, {
    hint: `its steps are ${others
      .slice(0, 12)
      .map(({ path }) => path)
      .join(', ')}${others.length > 12 ? ', …' : ''}`,
  });
}

async function drawWhole(context: Context, client: Client, run: Run): Promise<void> {
  const [{ drawRunAnswer }, { outlineOfVersion }] = await Promise.all([
    import('../../output/drawRunAnswer.ts'),
    import('../../watch/outlineOfVersion.ts'),
  ]);
  const { stdout } = context;
  const outline = run.version == null ? undefined : await outlineOfVersion(client, run.workflow, run.version);
  for (const line of drawRunAnswer(stdout, run, { nowMs: Date.now(), outline })) stdout.line(line);
  const { questions = 0 } = run;
  if (questions > 0) printWaitingHint(context);
}
