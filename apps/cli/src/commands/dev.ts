import { stat } from 'node:fs/promises';
import { dirname, relative } from 'node:path';

import type { Client } from '@baton/api/client';
import { defined, delayText } from '@baton/primitives';

import { keyFile } from '../client/address.ts';
import { dataFolderAbove, usualDataFolder } from '../client/dataFolder.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import type { WorkflowWatch } from '../dev/workflowWatch.ts';
import { exitCodes } from '../exitCodes.ts';
import { shellWord } from '../shellWord.ts';
import type { LaunchedStack } from '../stack/launch.ts';
import { commandOf } from './defineCommand.ts';

export const define = commandOf({
  form: (command) =>
    command
      .option('--port <port>', 'port of the API; 0 for any free port (default: BATON_PORT, else 4400)')
      .option('--data <folder>', 'data folder (default: BATON_DATA, else .baton)')
      .option('--watch <folder>', 'deploy the workflows in this folder, and again when they are saved', '.')
      .option('--no-watch', 'deploy nothing: workflows are deployed with `baton deploy`'),
  act: async (context, _, { port, data, watch }) => {
    if (watch !== false) await refuseNoFolder(watch);
    const { launch } = await import('../stack/launch.ts');
    const { findServers } = await import('../dev/findServers.ts');
    const { allowServers } = await import('../trust/allowServers.ts');
    const servers = context.env['BATON_SERVERS'] === undefined ? await findServers(context, process.cwd()) : undefined;
    if (data === undefined) await tellOfBatonAbove(context);
    context.stderr.line(context.stderr.paint.dim('Starting …'));
    const launched = await launch({
      env: context.env,
      stderr: context.stderr,
      allow: (file) => allowServers(context, file),
      given: defined({ BATON_PORT: port, BATON_DATA: data, BATON_SERVERS: servers }),
    });
    const client = await adminClient(launched);
    greet(context, launched, await pageOf(launched, client));
    const workflows =
      watch === false || client === undefined ? undefined : await watchWorkflows(context, launched, client, watch);
    await watchServers(context, launched, async () => workflows?.look());
    printStopping(context, launched);
    // Runs until a signal: see `Lifecycle`.
    await new Promise(() => {});
  },
  examples: [
    ['baton dev', 'run all of Baton on this machine, until Ctrl-C'],
    ['LOG_LEVEL=info baton dev --port 8080', 'with a log, on another port'],
  ],
});

/** Before the start, which takes seconds. Rejects with `CommandError`. */
async function refuseNoFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const why = found === undefined ? 'there is no such folder' : 'it is a file';
  throw new CommandError(exitCodes.usage, `--watch ${folder} cannot be watched: ${why}.`, {
    hint: 'give the folder that the workflows are in',
  });
}

/** This start makes a data folder of its own, and commands here then no longer find the one above. */
async function tellOfBatonAbove({ env, stderr }: Context): Promise<void> {
  if ((env['BATON_DATA'] ?? '').trim() !== '') return;
  const above = await dataFolderAbove(process.cwd());
  if (above === undefined) return;
  const { bold, yellow } = stderr.paint;
  stderr.line(
    `${yellow('!')} ${dirname(above)} has a Baton already. This starts another one, with its own data in ${usualDataFolder}.`,
  );
  stderr.line(`  To start that one: ${bold(`cd ${shellWord(dirname(above))}`)}, then ${bold('baton dev')}`);
}

/** A message first, since the calls may take long. */
function printStopping({ stderr }: Context, { lifecycle, settings }: LaunchedStack): void {
  const grace = delayText(settings.SHUTDOWN_GRACE);
  lifecycle.stopping.addEventListener('abort', () => {
    stderr.line(`Stopping: running calls have ${grace} to finish. Press Ctrl-C again to stop at once.`);
  });
}

/** Undefined if the key of this installation is not available. */
async function adminClient({ stack, settings }: LaunchedStack): Promise<Client | undefined> {
  const [{ createClient }, { findApiKey }] = await Promise.all([
    import('@baton/api/client'),
    import('../client/address.ts'),
  ]);
  const kept = await findApiKey({ apiKey: settings.BATON_ADMIN_KEY }, new URL(stack.url), { BATON_DATA: stack.folder });
  return kept === undefined ? undefined : createClient({ url: stack.url, key: kept });
}

/** The address of the page, with a code that logs in once. */
async function pageOf({ stack }: LaunchedStack, client: Client | undefined): Promise<string> {
  if (client === undefined) return stack.url;
  const [{ ProblemError }, { pageAddress }] = await Promise.all([
    import('@baton/api/client'),
    import('../client/pageAddress.ts'),
  ]);
  return pageAddress(client).catch((error: unknown) => {
    // A revoked key cannot log in; the page then asks for another.
    if (error instanceof ProblemError) return stack.url;
    throw error;
  });
}

/** Explains `dev` if there is no workflow to deploy yet. */
async function watchWorkflows(
  context: Context,
  { lifecycle }: LaunchedStack,
  client: Client,
  folder: string,
): Promise<WorkflowWatch> {
  const [{ WorkflowWatch }, { commandName }] = await Promise.all([
    import('../dev/workflowWatch.ts'),
    import('../output/commandName.ts'),
  ]);
  const { stderr } = context;
  const watch = new WorkflowWatch(context, client, folder);
  lifecycle.onStop('watching', async () => watch.close());
  const count = await watch.open();
  const { bold } = stderr.paint;
  if (count === 1) stderr.line('1 workflow here, deployed again when it is saved.');
  else if (count > 1) stderr.line(`${count} workflows here, deployed again when they are saved.`);
  else
    stderr.line(
      `No *.workflow.yaml here yet; ${bold(`${commandName(context.env)} init`)} writes a first one. Saved workflows are deployed.`,
    );
  const others = await watch.withoutFile();
  if (others.length > 0) {
    const named = `${others.slice(0, 5).join(', ')}${others.length > 5 ? ', …' : ''}`;
    const are = others.length === 1 ? 'One deployed workflow has' : `${others.length} deployed workflows have`;
    stderr.line(
      `${are} no file here, and a trigger can still start ${others.length === 1 ? 'it' : 'them'}: ${named}. Delete one: baton workflows delete NAME`,
    );
  }
  return watch;
}

async function watchServers(
  context: Context,
  { stack, settings, lifecycle }: LaunchedStack,
  onReloaded: () => Promise<void>,
): Promise<void> {
  const { ServersWatch } = await import('../dev/serversWatch.ts');
  const reload = (): Promise<void> => stack.reloadServers();
  const watch = new ServersWatch({ context, path: settings.BATON_SERVERS, reload, onReloaded });
  lifecycle.onStop('servers file', async () => watch.close());
  await watch.open();
}

function greet({ stderr }: Context, { stack, settings, notes }: LaunchedStack, page: string): void {
  const { paint } = stderr;
  for (const note of notes) stderr.line(paint.yellow(note));
  const postgres = settings.DATABASE_URL === undefined ? 'Postgres included' : 'your Postgres';
  const queue = settings.REDIS_URL === undefined ? 'queue in Postgres' : 'queue on Redis';
  const data = relative(process.cwd(), stack.folder) || stack.folder;
  stderr.line(
    `${paint.green('✓')} ${paint.bold('Baton is up')} at ${paint.cyan(stack.url)}  ${paint.dim(`${postgres}, ${queue}`)}`,
  );
  stderr.line(`  Open ${paint.bold(page)}`);
  stderr.line(
    `  Connect an MCP client: ${paint.bold(`${stack.url}/mcp`)}  ${paint.dim('it logs in in the browser: docs/connect.md')}`,
  );
  if (stack.adminKey !== undefined) stderr.line(`  The admin key, shown only once: ${paint.bold(stack.adminKey)}`);
  const key = settings.BATON_ADMIN_KEY === undefined ? `, and the admin key in ${keyFile(data)}` : '';
  const found = data === '.baton' ? ', where commands in this folder and below find them. Elsewhere' : '. For commands';
  stderr.line(`  Data is in ${data}${key}${found}: BATON_DATA=${shellWord(stack.folder)}`);
  stderr.line(paint.dim(`  Metrics: ${stack.url}/metrics`));
  stderr.line(paint.dim('  Press Ctrl-C to stop; unfinished runs continue at the next start.'));
}
