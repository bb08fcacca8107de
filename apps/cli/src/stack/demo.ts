/** `baton demo`: starts everything, runs a workflow on real MCP servers, stops everything. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { FolderInUseError } from '@baton/boot';

import { plural } from '../check/checkedFile.ts';
import { createClient } from '../client/createClient.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodeOfRun, exitCodes } from '../exitCodes.ts';
import type { ExitCode } from '../exitCodes.ts';
import { outputLines } from '../output/printOutputs.ts';
import { outlineOfText } from '../watch/outlineOfVersion.ts';
import { liveReporter } from '../watch/watchFromTerminal.ts';
import { watchRun } from '../watch/watchRun.ts';
import { readWorkflowFiles } from '../workflowFiles.ts';
import type { LaunchedStack } from './launch.ts';
import { launch } from './launch.ts';

const folder = 'examples';
const workflow = 'morning-brief';

/** Never returns: stops everything that it started, and then the process. */
export async function demo(context: Context): Promise<never> {
  const { stderr } = context;
  const { paint } = stderr;
  stderr.line(paint.dim('Starting Postgres, an orchestrator and a worker …'));
  const launched = await launchSomewhere(context);
  const { stack, lifecycle, notes } = launched;
  for (const note of notes) stderr.line(paint.yellow(note));
  try {
    return await lifecycle.end('the demo is over', await show(context, stack));
  } catch (error) {
    const { explainError } = await import('../output/explainError.ts');
    const explained = explainError(error, paint);
    if (explained === undefined) throw error;
    stderr.line(explained.text);
    return lifecycle.end('the demo failed', explained.exitCode);
  }
}

/** Uses the usual data folder, so that the user can look at the run later; another folder if that is in use. */
async function launchSomewhere({ env, stderr }: Context): Promise<LaunchedStack> {
  // The demo uses what is included, and none of the operator's databases.
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...around } = env;
  const given = { BATON_PORT: '0', BATON_HOST: '127.0.0.1' };
  try {
    return await launch({ env: around, given, stderr });
  } catch (error) {
    if (!(error instanceof CommandError && error.cause instanceof FolderInUseError)) throw error;
    stderr.line(stderr.paint.yellow('Baton is already running here; the demo uses a temporary folder.'));
    const place = await mkdtemp(join(tmpdir(), 'baton-demo-'));
    const launched = await launch({ env: around, given: { ...given, BATON_DATA: place }, stderr });
    launched.lifecycle.onStop('folder', async () => {});
    process.once('exit', () => void rm(place, { recursive: true, force: true }));
    return launched;
  }
}

async function show(context: Context, { url, folder: data }: LaunchedStack['stack']): Promise<ExitCode> {
  const { stdout, stderr } = context;
  const { paint } = stderr;
  const client = await createClient({ url }, { ...context.env, BATON_DATA: data, BATON_API_KEY: undefined });
  const files = await readWorkflowFiles(context, [folder]);
  for (const { text } of files) await client.workflows.deploy(text);
  stderr.line(
    `${paint.green('✓')} ${plural(files.length, 'workflow')} from ${folder}/ checked against the live servers, and deployed`,
  );
  stderr.line();
  const { source } = await client.workflows.get(workflow);
  const { id } = await client.runs.start(workflow);
  const outline = outlineOfText(source);
  const run = await watchRun(client, id, { reporter: liveReporter(context), outline });
  if (run === undefined) return exitCodes.failed;
  stderr.line();
  for (const line of outputLines(run.outputs, stdout)) stdout.line(line);
  stderr.line();
  stderr.line(`The workflow: ${folder}/${workflow}.workflow.yaml. Its servers: mcp.json.`);
  stderr.line(`The run is stored: ${paint.bold('npm start')}, then ${paint.bold(`npx baton runs show ${id}`)}`);
  const { status } = run;
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
    ? exitCodeOfRun(status)
    : exitCodes.failed;
}
