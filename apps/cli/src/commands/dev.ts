import { relative } from 'node:path';

import type { Command } from 'commander';

import type { Context } from '../context.ts';
import type { LaunchedStack } from '../stack/launch.ts';
import { addExamples } from './examples.ts';

interface DevOptions {
  readonly port?: string;
  readonly data?: string;
}

export function define(command: Command, context: Context): void {
  command
    .option('--port <port>', 'port of the API; 0 for any free port (default: BATON_PORT, else 4400)')
    .option('--data <folder>', 'data folder (default: BATON_DATA, else .baton)')
    .action(async ({ port, data }: DevOptions) => {
      const { launch } = await import('../stack/launch.ts');
      context.stderr.line(context.stderr.paint.dim('Starting …'));
      const launched = await launch({
        env: context.env,
        stderr: context.stderr,
        given: {
          ...(port === undefined ? {} : { BATON_PORT: port }),
          ...(data === undefined ? {} : { BATON_DATA: data }),
        },
      });
      greet(context, launched, await pageOf(launched));
      sayThatItEnds(context, launched);
      // Until a signal comes: see `Lifecycle`.
      await new Promise(() => {});
    });
  addExamples(command, [
    ['baton dev', 'run all of Baton on this machine, until Ctrl-C'],
    ['LOG_LEVEL=info baton dev --port 8080', 'with a log, on another port'],
  ]);
}

/** Nothing would be heard of it for as long as the calls take. */
function sayThatItEnds({ stderr }: Context, { lifecycle, settings }: LaunchedStack): void {
  const seconds = Math.ceil(settings.SHUTDOWN_GRACE / 1_000);
  lifecycle.stopping.addEventListener('abort', () => {
    stderr.line(`Stopping: running calls have ${seconds} s to finish. Press Ctrl-C again to stop at once.`);
  });
}

/** Where the page is, with a code that logs in once where the key of this installation is at hand. */
async function pageOf({ stack, settings }: LaunchedStack): Promise<string> {
  const [{ createClient, ProblemError }, { findApiKey }, { pageAddress }] = await Promise.all([
    import('@baton/api/client'),
    import('../client/address.ts'),
    import('../client/pageAddress.ts'),
  ]);
  const kept = await findApiKey({ apiKey: settings.BATON_ADMIN_KEY }, new URL(stack.url), { BATON_DATA: stack.folder });
  if (kept === undefined) return stack.url;
  return pageAddress(createClient({ url: stack.url, key: kept })).catch((error: unknown) => {
    // A key that was revoked logs nobody in; the page asks for another one.
    if (error instanceof ProblemError) return stack.url;
    throw error;
  });
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
  if (stack.adminKey !== undefined) stderr.line(`  The admin key, shown only once: ${paint.bold(stack.adminKey)}`);
  stderr.line(`  Data and key are in ${data}, where the command line on this machine finds them.`);
  stderr.line(
    `  Next: ${paint.bold('npx baton deploy examples')}, then ${paint.bold('npx baton run morning-brief --watch')}`,
  );
  stderr.line(paint.dim(`  Metrics: ${stack.url}/metrics, and for the worker ${stack.workerMetrics}`));
  stderr.line(paint.dim('  Press Ctrl-C to stop; unfinished runs continue at the next start.'));
}
