import type {
  Client,
  FailureCause,
  Histogram,
  LostAnswers,
  QueryOf,
  Run,
  RunInList,
  UnknownCall,
} from '@baton/api/client';
import { defined } from '@baton/primitives';
import type { Command, OptionValues } from '@commander-js/extra-typings';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { countArgument, durationOption, repeated, versionArgument } from '../inputs/arguments.ts';
import { jsonText } from '../output/json.ts';
import { nextCommands } from '../output/nextCommands.ts';
import { valuesHidden } from '../output/printOutputs.ts';
import type { Column } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import type { ManyRunsOptions } from '../run/manyRuns.ts';
import { actOn, commandOf } from './defineCommand.ts';
import { addFilterOptions } from './filterOptions.ts';

const run = ['<run>', 'id of the run, its beginning, or `last`'] as const;

/** A client, and the whole id of the run. Rejects with `CommandError`. */
async function runOf(context: Context, written: string): Promise<{ readonly client: Client; readonly id: string }> {
  const [client, { findRun }] = [await context.client(), await import('../run/findRun.ts')];
  return { client, id: await findRun(client, written) };
}

export const ls = actOn({
  options: (command) =>
    addFilterOptions(command).option('-n, --limit <count>', 'print at most this many runs', countArgument, 30),
  json: 'print the runs as a JSON array',
  act: (client, _, { options: { limit, ...query } }): Promise<RunInList[]> =>
    Array.fromAsync(client.runs.all(query as QueryOf<'listRuns'>, { limit })),
  print: async (runs, { context }) => {
    const { printRuns } = await import('../tree/printRuns.ts');
    printRuns(context, runs);
  },
  examples: [
    ['baton runs ls --status failed', 'list the latest failed runs'],
    ['baton runs ls -w morning-brief -n 5', 'list the last five runs of a workflow'],
    ["baton runs ls --json | jq -r '.[].id'", 'print JSON for a program'],
  ],
});

const causeColumns: readonly Column<FailureCause>[] = [
  { title: 'RUNS', value: ({ count }) => `${count}` },
  { title: 'RETRIED', value: ({ retried }) => `${retried}` },
  { title: 'FIRST', value: ({ first }, { instantText }) => instantText(first), dispensable: true },
  { title: 'LAST', value: ({ last }, { instantText }) => instantText(last) },
  { title: 'WORKFLOW', value: ({ workflow, undo }) => (undo ? `undo of ${workflow}` : workflow), most: 30 },
  { title: 'STEP', value: ({ step = '' }) => step, most: 24, dispensable: true },
  { title: 'NEWEST RUN', value: ({ run: id }) => id },
  { title: 'CAUSE', value: ({ code, cause }) => `${code}: ${cause}`, wraps: true },
];

export const causes = actOn({
  options: (command) => addFilterOptions(command, { without: ['status'] }),
  json: 'print the causes as JSON, with the whole message of the newest run of each',
  act: (client, _, { options }) => client.runs.causes(options as QueryOf<'getFailureCauses'>),
  print: async ({ data, cut }, { stdout, stderr }) => {
    if (data.length === 0) return stderr.line('No failed runs found.');
    const { printTable } = await import('../output/table.ts');
    printTable(stdout, causeColumns, data);
    if (cut === true) stderr.line('There are more. Give a time, or a workflow.');
    if (stdout.isTerminal)
      stderr.line(`${stderr.paint.dim('List the runs of a cause:')} baton runs ls --like ${data[0]?.run ?? 'RUN'}`);
  },
  examples: [
    ['baton runs causes', 'say what failed runs failed for, the most frequent first'],
    ['baton runs causes --from 2026-11-01 -w brief', 'say it of one workflow since a day'],
    ['baton runs ls --like RUN', 'list the runs that failed for the cause of one run'],
    ['baton runs retry --filter like=RUN', 'retry them'],
  ],
});

type LostCall = UnknownCall & { readonly lost: Omit<LostAnswers, 'calls'> };

const unknownColumns: readonly Column<LostCall>[] = [
  { title: 'SENT', value: ({ at }, { instantText }) => instantText(at) },
  { title: 'TOOL', value: ({ target = '' }) => target },
  { title: 'RUN', value: ({ run: id }) => id },
  { title: 'STEP', value: ({ step }) => step, most: 24, dispensable: true },
  { title: 'LOST BY', value: ({ lost }) => lostText(lost), most: 48, dispensable: true },
  { title: 'NEXT', value: nextText, dispensable: true },
  { title: 'ARGUMENTS', value: ({ arguments: sent = '' }) => sent, wraps: true },
];

const lostText = ({ server, worker, code }: LostCall['lost']): string =>
  `${code}${server === undefined ? ` ${worker ?? ''}` : ` ${server}`}`;

/** What a person does about it. */
function nextText({ question, retriedAs, status, check }: LostCall): string {
  if (question !== undefined) return 'answer';
  if (retriedAs !== undefined) return `retried as ${retriedAs}`;
  if (status === 'running' || status === 'queued') return 'the run goes on';
  return check === undefined ? 'look at the server' : `ask ${check}`;
}

export const unknown = actOn({
  options: (command) => addFilterOptions(command, { without: ['status', 'outcome'] }),
  json: 'print the calls as JSON, by what lost their answers',
  act: (client, _, { options }) => client.runs.unknown(options as QueryOf<'listUnknownOutcomes'>),
  print: async ({ data, cut }, { stdout, stderr }) => {
    if (data.length === 0) return stderr.line('No call has an unknown outcome.');
    const { printTable } = await import('../output/table.ts');
    const all = data.flatMap(({ calls, ...lost }) => calls.map((one) => ({ ...one, lost })));
    printTable(stdout, unknownColumns, all);
    if (cut === true) stderr.line('There are more. Give a time, or a workflow.');
    if (stdout.isTerminal) stderr.line(`${stderr.paint.dim('Look at the server, then:')} ${nextCommands(all)}`);
  },
  examples: [
    ['baton runs unknown', 'list the calls that were sent and not answered, with their arguments'],
    ['baton runs unknown --retried no', 'leave out those of runs that were continued'],
    ['baton runs ls --outcome unknown', 'list the runs'],
  ],
});

type Bucket = Histogram['data'][number];

const dayMs = 86_400_000;

/** Cells of the longest bar. */
const barLength = 24;

const runsIn = ({ counts }: Bucket): number => Object.values(counts).reduce((sum, one) => sum + one, 0);

const bucketColumns = (most: number): readonly Column<Bucket>[] => [
  { title: 'FROM', value: ({ at }) => at },
  { title: 'RUNS', value: (bucket) => `${runsIn(bucket)}${bucket.cut === true ? '+' : ''}` },
  {
    title: 'FAILED',
    value: ({ counts: { failed = 0 } }) => `${failed}`,
    colour: (paint, { counts: { failed = 0 } }) => (failed > 0 ? paint.red : paint.dim),
  },
  { title: '', value: (bucket) => '█'.repeat(Math.ceil((runsIn(bucket) / Math.max(1, most)) * barLength)) },
];

const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

export const histogram = actOn({
  options: (command) =>
    addFilterOptions(command).option('--buckets <count>', 'number of buckets, up to 200', countArgument, 24),
  json: 'print it as JSON',
  act: (client, _, { options: { buckets, ...filter } }) => {
    const { to = new Date().toISOString() } = filter;
    // A date includes its whole day, which is the last day before its end.
    const { from = isDate(to) ? to : new Date(Date.parse(to) - dayMs || 0).toISOString() } = filter;
    const query = { ...filter, from, to, buckets: `${buckets}` };
    return client.runs.histogram(query as QueryOf<'getRunHistogram'>);
  },
  print: async ({ data: buckets }, { stdout }) => {
    const { printTable } = await import('../output/table.ts');
    printTable(stdout, bucketColumns(Math.max(...buckets.map(runsIn))), buckets);
  },
  examples: [
    ['baton runs histogram', 'count the runs and failures in each hour of the last day'],
    ['baton runs histogram -w brief --from 2026-11-01T00:00:00Z', 'count those of one workflow since a time'],
  ],
});

export const show = commandOf({
  form: (command) =>
    command
      .argument(...run)
      .argument('[step]', 'path of one step: all of its arguments, attempts and answer')
      .option('-w, --web', 'open the run in a browser')
      .option('--json', 'print the run, or the step, as JSON'),
  act: async (context, [written, path], { web, json }) => {
    const { client, id } = await runOf(context, written);
    if (web === true) {
      const { openPage } = await import('../client/openPage.ts');
      return openPage(context, client, `runs/${id}`);
    }
    const run = await client.runs.get(id);
    const shown = path === undefined ? run : stepOf(run, path);
    const { stdout } = context;
    if (json === true) return stdout.line(jsonText(shown));
    if ('verb' in shown) {
      const { drawStep } = await import('../tree/stepValues.ts');
      if (run.valuesHidden) context.stderr.line(valuesHidden);
      const { arguments: _given, output: _came, ...bare } = shown;
      return drawStep(run.valuesHidden ? bare : shown, stdout).forEach((line) => stdout.line(line));
    }
    await drawWhole(context, client, run);
  },
  examples: [
    ['baton runs show last', 'show inputs, steps with arguments and answers, failures and outputs'],
    ['baton runs show RUN charge', 'show all details of one step'],
    ['baton runs show RUN --web', 'open the run in a browser'],
    ["baton runs show RUN --jq '.outputs.total'", 'filter the JSON, as jq does'],
  ],
});

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
  const [{ drawRunAnswer }, { outlineOfVersion }, { printWaitingHint }] = await Promise.all([
    import('../tree/drawRunAnswer.ts'),
    import('../watch/outlineOfVersion.ts'),
    import('../output/printWaitingHint.ts'),
  ]);
  const { stdout } = context;
  const outline = run.version == null ? undefined : await outlineOfVersion(client, run.workflow, run.version);
  for (const line of drawRunAnswer(stdout, run, { nowMs: Date.now(), outline })) stdout.line(line);
  const { questions = 0 } = run;
  if (questions > 0) printWaitingHint(context, run.id, questions);
}

export const watch = commandOf({
  form: (command) =>
    command
      .argument(...run)
      .option('--timeout <duration>', 'stop watching after this time')
      .option('--json', 'print one JSON object per event'),
  act: async (context, [written], { timeout, json }) => {
    const timeoutMs = await durationOption('--timeout', timeout);
    const { client, id } = await runOf(context, written);
    const [{ watchFromTerminal }, { outlineOfVersion }] = await Promise.all([
      import('../watch/watchFromTerminal.ts'),
      import('../watch/outlineOfVersion.ts'),
    ]);
    const { workflow, version } = await client.runs.get(id);
    const outline = version == null ? undefined : await outlineOfVersion(client, workflow, version);
    return watchFromTerminal(context, client, id, { outline, mode: 'live', json, timeoutMs });
  },
  examples: [
    ['baton runs watch RUN', 'show its steps live until it ends'],
    ['baton runs watch RUN && echo done', 'exits with 0 only if the run succeeds'],
  ],
});

/** Options of `cancel` and `retry` that select many runs. */
const addManyOptions = <Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) =>
  command
    .option('--filter <name=value>', 'all matching runs, instead of one: workflow, status, tag, text, …', repeated)
    .option('--expect <count>', 'with --filter: do not ask, and act only if this many runs match', countArgument)
    .option('-y, --yes', 'do not ask');

/**
 * True if the options selected many runs and the action is done. Rejects with `CommandError` if the selection is
 * ambiguous.
 */
async function didMany(
  context: Context,
  kind: 'cancel' | 'retry',
  written: readonly string[],
  options: Partial<ManyRunsOptions>,
): Promise<boolean> {
  const { filter } = options;
  if ((written.length === 0) === (filter === undefined))
    throw new CommandError(exitCodes.usage, 'Give ids of runs, or --filter.', {
      hint: `baton runs ${kind} RUN, or baton runs ${kind} --filter workflow=NAME`,
    });
  if (filter === undefined) return false;
  const { actOnMany } = await import('../run/manyRuns.ts');
  await actOnMany(context, kind, { ...options, filter });
  return true;
}

export const cancel = commandOf({
  form: (command) =>
    addManyOptions(command)
      .argument('[runs...]', 'ids of the runs, their beginnings, or `last`')
      .option('--preview', 'with --filter: only count the runs')
      .option('--json', 'with --filter: print the numbers as JSON')
      .option('--reason <text>', 'the reason, kept in the run’s journal'),
  act: async (context, [written], options) => {
    if (await didMany(context, 'cancel', written, options)) return;
    const { forEachRun } = await import('../run/forEachRun.ts');
    return forEachRun(context, written, async (one) => {
      const { client, id } = await runOf(context, one);
      await client.runs.cancel(id, defined({ reason: options.reason }));
      context.stderr.line(`The run is being cancelled. Watch it: baton runs watch ${id}`);
    });
  },
  examples: [
    ['baton runs cancel RUN', 'stop a run'],
    ['baton runs cancel --filter workflow=morning-brief', 'stop all runs of a workflow'],
    ['baton runs cancel RUN --reason "wrong city"', 'stop a run and record the reason'],
  ],
});

/** Options that `retry` and `rerun` share. */
const addAgainOptions = <Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) =>
  command
    .option(
      '--workflow-version <version>',
      'continue with this version of the workflow: a number, or latest',
      versionArgument,
    )
    .option('--preview', 'only show which calls would be repeated')
    .option('-w, --watch', 'show every step live until the run ends')
    .option('--idempotency-key <key>', 'a repeated request with this key returns the same run')
    .option('--json', 'print kept steps, repeated calls and the new run’s id as JSON');

export const retry = commandOf({
  form: (command) =>
    addAgainOptions(
      addManyOptions(command)
        .argument('[runs...]', 'ids of runs that failed or were cancelled, their beginnings, or `last`')
        .option(
          '--happened <step[=answer]>',
          'the call of this step, whose answer was lost, happened: it is not made again',
          repeated,
        )
        .option(
          '--not-happened <step>',
          'that call did not happen: it is made again, and no check asks first',
          repeated,
        ),
    ),
  act: async (context, [written], options) => {
    if (await didMany(context, 'retry', written, options)) return;
    const { watch, idempotencyKey, happened, notHappened } = options;
    if (written.length > 1 && [watch, idempotencyKey, happened, notHappened].some((one) => one !== undefined))
      throw new CommandError(exitCodes.usage, '--watch, --idempotency-key and --happened are for one run.', {
        hint: 'retry the runs without them',
      });
    const [{ runAgain }, { forEachRun }] = await Promise.all([
      import('../run/runAgain.ts'),
      import('../run/forEachRun.ts'),
    ]);
    return forEachRun(context, written, (one) => runAgain(context, one, 'retry', options));
  },
  examples: [
    ['baton runs retry RUN', 'start a new run that keeps finished steps'],
    ['baton runs retry RUN OTHER', 'retry several runs, one after the other'],
    [
      'baton runs retry --filter status=failed --filter from=2026-11-20T00:00:00Z',
      'retry all runs that failed since then',
    ],
    [
      'baton runs retry --filter like=RUN --workflow-version latest',
      'retry all runs of a cause with the mended version',
    ],
    ['baton runs retry RUN --preview', 'show which calls it would repeat'],
    ['baton runs retry RUN --workflow-version latest', 'continue with the corrected version of the workflow'],
    ['baton runs retry RUN --happened pay', 'go on after a call whose answer was lost, and that happened'],
  ],
});

export const rerun = commandOf({
  form: (command) =>
    addAgainOptions(
      command
        .argument('<run>', 'id of a finished run')
        .option(
          '--from <step>',
          'path of the first step to run again; without it all steps run, or with --workflow-version those that differ',
        )
        .option('-i, --input <name=value>', 'replace an input of the run; can be repeated', repeated)
        .option('-y, --yes', 'do not ask before writes are made again'),
    ),
  act: async (context, [id], options) => {
    const { runAgain } = await import('../run/runAgain.ts');
    await runAgain(context, id, 'rerun', options);
  },
  examples: [
    ['baton runs rerun RUN --preview', 'show which calls it would repeat'],
    ['baton runs rerun RUN --from charge', 'keep the outcomes before step charge'],
    ['baton runs rerun RUN -i city=Chicago', 'run everything again with another input'],
  ],
});

export const undo = commandOf({
  form: (command) =>
    command
      .argument('<run>', 'id of a finished run, its beginning, or `last`')
      .option('--preview', 'only show which calls would be made, and what stays')
      .option('-y, --yes', 'do not ask before the calls are made')
      .option('-w, --watch', 'show every step live until the run ends')
      .option('--json', 'print the calls, what stays, and the id of the run that undoes it, as JSON'),
  act: async (context, [id], options) => {
    const { undoRun } = await import('../run/undoRun.ts');
    await undoRun(context, id, options);
  },
  examples: [
    ['baton runs undo RUN --preview', 'show which calls would undo it, with their arguments, and what stays'],
    ['baton runs undo RUN --watch', 'ask, undo what the run wrote, and follow the run that does it'],
  ],
});

export const record = commandOf({
  form: (command) =>
    command
      .argument('<run>', 'id of a run that succeeded or failed')
      .argument('<file>', 'test file to write (*.test.yaml)')
      .option('-w, --workflow <file>', 'the workflow’s file; the default is NAME.workflow.yaml beside the test'),
  act: async (context, [written, file], { workflow }) => {
    const { openRecorder, workflowBeside } = await import('../recording/writeRecording.ts');
    const { client, id } = await runOf(context, written);
    const run = await client.runs.get(id);
    const recorder = await openRecorder(
      context,
      file,
      workflow === undefined
        ? { workflow: workflowBeside(file, run.workflow), hint: 'name the file of the workflow: -w FILE' }
        : { workflow },
    );
    return recorder.write(client, id);
  },
  examples: [['baton runs record RUN outage.test.yaml', 'record a failed run as a test']],
});

const evaluate = commandOf({
  form: (command) =>
    command
      .argument(...run)
      .argument('<expression>', 'a bare expression, as in `if`, or a text with ${{ … }}')
      .option(
        '--step <path>',
        'use the values that this step saw; the default are those that the outputs of the workflow see',
      )
      .option('--after <position>', 'use the run as of this position in its journal'),
  act: async (context, [written, expression], { step, after }) => {
    const { client, id } = await runOf(context, written);
    const position = after === undefined ? undefined : Number(after);
    const { value } = await client.runs.evaluate(id, { expression, ...defined({ step, after: position }) });
    context.stdout.line(jsonText(value));
    if (/^\s*(?:\$\{\{)?\s*steps\s*(?:\}\})?\s*$/.test(expression)) await nameSteps(context, client, id);
  },
  examples: [
    ["baton runs eval last 'steps.order.output.total > 100'", 'try a condition on the values of a run'],
    [
      "baton runs eval RUN 'item.price * 2' --step prices/3/price",
      'evaluate it with the values of a step in one item of a forEach',
    ],
  ],
});
// The name of the command is no name of a variable.
export { evaluate as eval };

/** `steps` alone holds only the outputs that the expression reads, which are none. */
async function nameSteps({ stderr }: Context, client: Client, id: string): Promise<void> {
  const names = (await client.runs.get(id)).steps.map(({ path }) => path).filter((path) => !path.includes('/'));
  const shown = names.slice(0, 20).map((name) => `steps.${name}`);
  if (shown.length === 0) return stderr.line('The run has no step yet.');
  stderr.line(oneLine(`Name a step: ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`));
}
