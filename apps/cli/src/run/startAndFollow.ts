/** `baton run`: finds the workflow, reads its inputs, starts a run, and follows it if wanted. */
import { type AcceptedRun, type Client, ProblemError } from '@baton/api/client';
import { type JsonObject, type JsonSchema, defined } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { durationOption, namePattern, targetOf } from '../inputs/arguments.ts';
import { readInputs, refuseMissing } from '../inputs/readInputs.ts';
import { jsonText } from '../output/json.ts';
import type { Recorder } from '../recording/writeRecording.ts';
import type { WorkflowOutline } from '../tree/outline.ts';
import type { InlineWorkflow } from './inlineWorkflow.ts';

export interface RunOptions {
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly watch?: true;
  readonly wait?: true;
  readonly timeout?: string;
  readonly tag?: readonly string[];
  readonly idempotencyKey?: string;
  readonly record?: string;
  readonly json?: true;
}

interface RunTarget {
  /** The body of `POST /v1/runs`. */
  readonly workflow: string | JsonObject;
  readonly version?: number;
  readonly inputs: JsonSchema | undefined;
  /** Read only if it is drawn. */
  readonly outline: (started: AcceptedRun) => Promise<WorkflowOutline | undefined>;
}

export async function startAndFollow(context: Context, written: string, options: RunOptions): Promise<void> {
  const timeoutMs = await durationOption('--timeout', options.timeout);
  const mode = followModeOf(options);
  if (timeoutMs !== undefined && mode === undefined) {
    throw new CommandError(exitCodes.usage, '--timeout needs --watch or --wait.');
  }
  const inline = await inlineIn(context, written, options);
  if (inline === 'refused') return refuse(context);
  const recorder = await recorderFor(context, written, options);
  const client = await context.client();
  const target = inline === undefined ? await deployedTarget(context, client, written) : inlineTarget(inline);
  const inputs = await readInputs(context, { file: options.inputs, pairs: options.input ?? [] }, target.inputs);
  refuseMissing(inputs, target.inputs);
  const { version } = target;
  const more = {
    ...defined({ version }),
    ...(options.tag === undefined ? {} : { tags: [...options.tag] }),
    idempotencyKey: options.idempotencyKey,
  };
  const refusalOf = async (error: unknown): Promise<undefined> => {
    if (inline === undefined) throw error;
    const { printRefusal } = await import('./inlineWorkflow.ts');
    if (!(await printRefusal(context, client, inline.file, error))) throw error;
  };
  const started = await client.runs.start(target.workflow, inputs, more).catch(refusalOf);
  if (started === undefined) return refuse(context);
  if (mode === undefined) return printStarted(context, started, options.json === true);
  const { watchFromTerminal } = await import('../watch/watchFromTerminal.ts');
  const outline = mode === 'live' ? await target.outline(started) : undefined;
  const outlineOfFailed = () => target.outline(started);
  const settings = { outline, outlineOfFailed, mode, json: options.json, timeoutMs } as const;
  context.exitCode = await watchFromTerminal(context, client, started.id, settings);
  if (context.exitCode === exitCodes.done || context.exitCode === exitCodes.failed) {
    const recorded = (await recorder?.write(client, started.id)) ?? exitCodes.done;
    if (context.exitCode === exitCodes.done) context.exitCode = recorded;
  }
}

/** Undefined if the command ends when the run has started. */
function followModeOf({ watch, wait, record }: RunOptions): 'live' | 'wait' | undefined {
  if (watch === true) return 'live';
  return wait === true || record !== undefined ? 'wait' : undefined;
}

async function inlineIn(
  context: Context,
  written: string,
  { inputs }: RunOptions,
): Promise<InlineWorkflow | 'refused' | undefined> {
  if (namePattern.test(written)) return undefined;
  if (written === '-' && inputs === '-') {
    throw new CommandError(exitCodes.usage, 'The workflow and its inputs cannot both come from stdin.');
  }
  const { readInlineWorkflow } = await import('./inlineWorkflow.ts');
  return readInlineWorkflow(context, written);
}

/** Rejects with `CommandError` if a test could not be written. */
async function recorderFor(context: Context, written: string, { record }: RunOptions): Promise<Recorder | undefined> {
  if (record === undefined) return undefined;
  const { openRecorder, workflowBeside } = await import('../recording/writeRecording.ts');
  const [, id] = namePattern.exec(written) ?? [];
  return openRecorder(context, record, { workflow: id === undefined ? written : workflowBeside(record, id) });
}

function inlineTarget({ workflow, inputs, outline }: InlineWorkflow): RunTarget {
  return { workflow, inputs, outline: async () => outline };
}

async function deployedTarget({ stderr }: Context, client: Client, written: string): Promise<RunTarget> {
  const { workflow, version } = targetOf(written);
  const shown = await client.workflows.version(workflow, version).catch((error: unknown) => {
    throw error instanceof ProblemError && error.status === 404 ? notDeployed(workflow, error) : error;
  });
  if (version === undefined) {
    const { noteFileBeside } = await import('./fileBeside.ts');
    await noteFileBeside(stderr, { workflow, version: shown.version, source: shown.source });
  }
  return {
    workflow,
    ...defined({ version }),
    inputs: shown.inputs,
    outline: async () => {
      const { outlineOfText } = await import('../watch/outlineOfVersion.ts');
      return outlineOfText(shown.source);
    },
  };
}

const notDeployed = (workflow: string, cause: ProblemError): CommandError =>
  new CommandError(exitCodes.notFound, cause.message, {
    cause,
    hint: `deploy it with \`baton deploy FILE\`, or run a file: \`baton run ./${workflow}.workflow.yaml\``,
  });

function printStarted({ stdout, stderr }: Context, started: AcceptedRun, asJson: boolean): void {
  stdout.line(asJson ? jsonText({ ...started }) : started.id);
  if (stderr.isTerminal) stderr.line(stderr.paint.dim(`Watch it: baton runs watch ${started.id}`));
}

function refuse(context: Context): void {
  context.exitCode = exitCodes.usage;
}
