/** Watches a run for a command: in the right form, until Ctrl-C or a time limit, with an exit code. */
import { type Client, type Run, ProblemError, UnreachableError } from '@baton/api/client';
import type { RunEvent } from '@baton/engine';
import { durationText } from '@baton/primitives';

import type { Context } from '../context.ts';
import { type ExitCode, exitCodeOfRun, exitCodes } from '../exitCodes.ts';
import { explainError } from '../output/explainError.ts';
import { jsonText } from '../output/json.ts';
import { printOutputs, valuesHidden } from '../output/printOutputs.ts';
import { printWaitingHint } from '../output/printWaitingHint.ts';
import { drawFailures } from '../tree/failures.ts';
import type { WorkflowOutline } from '../tree/outline.ts';
import { headOfRunAnswer, stepOfRunAnswer } from '../tree/runHead.ts';
import { Interrupts } from './interrupts.ts';
import { isQuestion } from './isQuestion.ts';
import { LineReporter } from './lineReporter.ts';
import type { QuestionPrompts } from './questionPrompts.ts';
import { type Reporter, jsonReporter, silentReporter } from './reporter.ts';
import { TreeReporter } from './treeReporter.ts';
import type { WatchedRun } from './watchedRun.ts';
import { watchRun } from './watchRun.ts';

export interface WatchSettings {
  readonly outline?: WorkflowOutline | undefined;
  /** Read only if the run failed and no outline was given: for the places of failures. */
  readonly outlineOfFailed?: () => Promise<WorkflowOutline | undefined>;
  /** `live`: reports events. `wait`: reports only the end. */
  readonly mode: 'live' | 'wait';
  /** Events, or the finished run, as JSON on stdout. */
  readonly json?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  /** Prints the ended run to stdout; absent: its outputs, or all of it as JSON. */
  readonly print?: (run: Run) => void;
}

export async function watchFromTerminal(
  context: Context,
  client: Client,
  runId: string,
  { outline, outlineOfFailed, mode, json = false, timeoutMs, print = usual(context, mode, json) }: WatchSettings,
): Promise<ExitCode> {
  const reporter = reporterFor(context, mode, json);
  const left = new AbortController();
  const late = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const interrupts = new Interrupts({
    context,
    pause: () => reporter.pause(),
    resume: () => reporter.resume(),
    leave: () => left.abort(),
    cancel: async () => {
      await client.runs.cancel(runId).catch((error: unknown) => sayThatItFailed(context, reporter, error));
    },
  });
  const answersHere = mode === 'live' && !json && context.isInteractive;
  const prompts = answersHere ? await promptsFor(context, client, runId, reporter) : undefined;
  const end = (view: WatchedRun): void => {
    // Removes a question before the last picture is drawn.
    interrupts.end();
    prompts?.end();
    reporter.end(view);
  };
  try {
    const signal = AbortSignal.any([left.signal, ...late]);
    const take =
      prompts === undefined
        ? hintFor(context, runId, reporter, { mode, json })
        : (event: RunEvent) => prompts.take(event);
    const run = await watchRun(client, runId, { reporter: told(reporter, end, take), outline, signal });
    if (run === undefined && left.signal.aborted) return printHowToContinue(context, runId, undefined);
    if (run === undefined) {
      const { questions = 0 } = await client.runs.get(runId);
      const exitCode = printHowToContinue(context, runId, timeoutMs);
      if (questions > 0) printWaitingHint(context, runId, questions);
      return exitCode;
    }
    print(run);
    const { status, steps } = run;
    // In the other modes the reporter has shown it.
    if (mode === 'wait' && !json && status === 'failed') {
      const file = outline ?? (await outlineOfFailed?.());
      const [, ...lines] = drawFailures(headOfRunAnswer(run), steps.map(stepOfRunAnswer), context.stderr, file);
      for (const line of lines) context.stderr.line(line);
    }
    return status === 'failed' || status === 'cancelled' ? exitCodeOfRun(status) : exitCodes.done;
  } finally {
    interrupts.end();
    prompts?.end();
  }
}

async function promptsFor(
  context: Context,
  client: Client,
  runId: string,
  reporter: Reporter,
): Promise<QuestionPrompts> {
  const { QuestionPrompts: Prompts } = await import('./questionPrompts.ts');
  const pause = (): void => reporter.pause();
  const resume = (): void => reporter.resume();
  return new Prompts({ context, client, runId, pause, resume });
}

function usual({ stdout, stderr }: Context, mode: WatchSettings['mode'], json: boolean): (run: Run) => void {
  if (!json) return (run) => (run.valuesHidden ? stderr.line(valuesHidden) : printOutputs(stdout, run.outputs));
  // The reporter has shown its events.
  return mode === 'live' ? () => {} : (run) => stdout.line(jsonText(run));
}

/** A tree on a terminal, a line per event elsewhere. */
export function liveReporter(context: Context): Reporter {
  return context.stderr.isTerminal ? new TreeReporter(context.stderr) : new LineReporter(context.stderr);
}

/** A person who watches and cannot be asked here, because stdin is no terminal, is told how to answer. */
function hintFor(
  context: Context,
  runId: string,
  reporter: Reporter,
  { mode, json }: { readonly mode: WatchSettings['mode']; readonly json: boolean },
): (event: RunEvent) => void {
  // Elsewhere the line of the event says it.
  if (mode !== 'live' || json || !context.stderr.isTerminal) return () => {};
  return (event) => {
    if (!isQuestion(event)) return;
    reporter.pause();
    printWaitingHint(context, runId, 1);
    reporter.resume();
  };
}

const told = (reporter: Reporter, end: Reporter['end'], take: (event: RunEvent) => void): Reporter => ({
  event: (followed, view) => {
    reporter.event(followed, view);
    take(followed.event);
  },
  connection: (connection, view) => reporter.connection(connection, view),
  pause: () => reporter.pause(),
  resume: () => reporter.resume(),
  end,
});

function reporterFor(context: Context, mode: WatchSettings['mode'], json: boolean): Reporter {
  if (mode === 'wait') return silentReporter;
  return json ? jsonReporter(context.stdout) : liveReporter(context);
}

/** The run may have ended meanwhile; continue to watch in both cases. */
function sayThatItFailed({ stderr }: Context, reporter: Reporter, error: unknown): void {
  if (!(error instanceof ProblemError) && !(error instanceof UnreachableError)) throw error;
  reporter.pause();
  stderr.line(explainError(error, stderr)?.text);
  reporter.resume();
}

function printHowToContinue({ stderr }: Context, runId: string, timeoutMs: number | undefined): ExitCode {
  const { paint } = stderr;
  const why = timeoutMs === undefined ? '' : `It has not ended after ${durationText(timeoutMs)}. `;
  stderr.line(`${why}The run continues. ${paint.dim('Watch it:')} baton runs watch ${runId}`);
  stderr.line(`${paint.dim('or cancel it:')} baton runs cancel ${runId}`);
  return timeoutMs === undefined ? exitCodes.interrupted : exitCodes.timedOut;
}
