/** `baton demo`: starts everything, runs a workflow on real MCP servers, stops everything. */
import { existsSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { type ServersFile, FolderInUseError } from '@baton/boot';
import { unawaited } from '@baton/primitives';

import { findClient } from '../client/createClient.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodeOfRun, exitCodes, type ExitCode } from '../exitCodes.ts';
import { firstFiles } from '../init/firstFiles.ts';
import { findTemplate, templates } from '../init/templates.ts';
import { outputLines } from '../output/printOutputs.ts';
import { plural } from '../output/text.ts';
import { allowServers } from '../trust/allowServers.ts';
import { packageName } from '../version.ts';
import { outlineOfText } from '../watch/outlineOfVersion.ts';
import { liveReporter } from '../watch/watchFromTerminal.ts';
import { watchRun } from '../watch/watchRun.ts';
import { readWorkflowFiles } from '../workflowFiles.ts';
import { type LaunchedStack, launch } from './launch.ts';

/** What the demo shows: in a clone its examples, elsewhere a template in a temporary folder. */
interface DemoSubject {
  readonly folder: string;
  readonly workflow: string;
  /** The command to suggest at the end. */
  readonly next: string;
}

const examples = 'examples';
const shownTemplate = 'digest';

async function subjectOf(): Promise<DemoSubject> {
  const workflow = 'morning-brief';
  if (existsSync(join(examples, `${workflow}.workflow.yaml`))) return { folder: examples, workflow, next: 'npm start' };
  const template = findTemplate(shownTemplate) ?? templates[0];
  const place = await mkdtemp(join(tmpdir(), 'baton-demo-'));
  // Postgres may run as another system user, who must be able to enter the folder.
  await chmod(place, 0o711);
  process.once('exit', () => rmSync(place, { recursive: true, force: true }));
  for (const { name, text } of await firstFiles(template)) {
    await mkdir(dirname(join(place, name)), { recursive: true });
    await writeFile(join(place, name), text);
  }
  // Servers and data are found from the working directory.
  process.chdir(place);
  return { folder: '.', workflow: template.workflow, next: `npx ${packageName} init ${template.name}` };
}

/** Never returns: stops everything that it started, and then the process. */
export async function demo(context: Context): Promise<never> {
  const { stderr } = context;
  const { paint } = stderr;
  const subject = await subjectOf();
  stderr.line(paint.dim('Starting Postgres and Baton …'));
  const launched = await launchSomewhere(context, subject);
  const { stack, lifecycle, notes } = launched;
  for (const note of notes) stderr.line(paint.yellow(note));
  try {
    return await lifecycle.end('the demo is over', await show(context, stack, subject));
  } catch (error) {
    const { explainError } = await import('../output/explainError.ts');
    const explained = explainError(error, stderr);
    if (explained === undefined) throw error;
    stderr.line(explained.text);
    return lifecycle.end('the demo failed', explained.exitCode);
  }
}

/** Uses the usual data folder, so that the user can look at the run later; another folder if that is in use. */
async function launchSomewhere(context: Context, { folder }: DemoSubject): Promise<LaunchedStack> {
  const { env, stderr } = context;
  // The demo uses the embedded Postgres, and none of the operator's databases.
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...around } = env;
  const given = { BATON_PORT: '0', BATON_HOST: '127.0.0.1' };
  // Any folder can look like a clone of Baton; the files of a template are Baton's own.
  const allow = async (file: ServersFile): Promise<void> =>
    folder === examples ? allowServers(context, file) : undefined;
  try {
    return await launch({ env: around, given, allow, stderr });
  } catch (error) {
    if (!(error instanceof CommandError && error.cause instanceof FolderInUseError)) throw error;
    stderr.line(stderr.paint.yellow('Baton is already running here; the demo uses a temporary folder.'));
    const place = await mkdtemp(join(tmpdir(), 'baton-demo-'));
    const launched = await launch({ env: around, given: { ...given, BATON_DATA: place }, allow, stderr });
    launched.lifecycle.onStop('folder', async () => {});
    process.once('exit', () => unawaited(rm(place, { recursive: true, force: true })));
    return launched;
  }
}

async function show(
  context: Context,
  { url, folder: data }: LaunchedStack['stack'],
  { folder, workflow, next }: DemoSubject,
): Promise<ExitCode> {
  const { stdout, stderr } = context;
  const { paint } = stderr;
  const { client } = await findClient({ url }, { ...context.env, BATON_DATA: data, BATON_API_KEY: undefined });
  const files = await readWorkflowFiles(context, [folder]);
  for (const { text } of files) await client.workflows.deploy(text);
  stderr.line(`${paint.green('✓')} ${plural(files.length, 'workflow')} checked against the live servers, and deployed`);
  stderr.line();
  const { source } = await client.workflows.get(workflow);
  const { id } = await client.runs.start(workflow);
  const outline = outlineOfText(source);
  const run = await watchRun(client, id, { reporter: liveReporter(context), outline });
  if (run === undefined) return exitCodes.failed;
  stderr.line();
  for (const line of outputLines(run.outputs, stdout)) stdout.line(line);
  stderr.line();
  if (folder === examples) {
    stderr.line(`The workflow: ${folder}/${workflow}.workflow.yaml. Its servers: mcp.json.`);
    stderr.line(`The run is stored: ${paint.bold(next)}, then ${paint.bold(`npx baton runs show ${id}`)}`);
  } else
    stderr.line(`The same in a folder of your own: ${paint.bold(next)}, then ${paint.bold(`npx ${packageName} dev`)}`);
  const { status } = run;
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
    ? exitCodeOfRun(status)
    : exitCodes.failed;
}
