import { type Client, ProblemError } from '@baton/api/client';
import type { Command } from 'commander';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { durationOption } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly wait: boolean;
  readonly timeout?: string;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server, as in mcp.json')
    .option('--no-wait', 'print the address and do not wait')
    .option('--timeout <duration>', 'stop waiting after this time; the default is 10m')
    .action(async (server: string, options: Options) => login(context, command, server, options));
  addExamples(command, [
    ['baton servers login github', 'print the login address and wait for the login'],
    ['baton servers login github --no-wait', 'print the address; the login works without this command'],
  ]);
}

async function login(context: Context, command: Command, server: string, options: Options): Promise<void> {
  const timeoutMs = await durationOption('--timeout', options.timeout);
  const client = await context.client(command.optsWithGlobals());
  const { oneLine } = await import('../../output/text.ts');
  const { stdout, stderr } = context;
  const login = await client.servers.login(server);
  if (!('url' in login)) return stderr.line(oneLine(`${server} is connected: no login is needed.`));
  stderr.line('Open this address in a browser and allow access:');
  stdout.line(oneLine(login.url));
  if (!options.wait) return;
  await answering(client, server, timeoutMs ?? waitMs);
  stderr.line(oneLine(`${server} answers.`));
}

const waitMs = 600_000;
const pauseMs = 2_000;

/** Rejects with `CommandError` if the server still refuses Baton when the time is up. */
async function answering(client: Client, server: string, timeoutMs: number): Promise<void> {
  const { setTimeout: pause } = await import('node:timers/promises');
  const until = performance.now() + timeoutMs;
  for (;;) {
    const problem = await refusal(client, server);
    if (problem === undefined) return;
    if (performance.now() + pauseMs > until) {
      throw new CommandError(exitCodes.timedOut, `The login was not finished in time. ${problem}`, {
        hint: `the address is still valid; or start again with \`baton servers login ${server}\``,
      });
    }
    await pause(pauseMs);
  }
}

/** The failure of a request without a token; undefined if the server answers. */
async function refusal(client: Client, server: string): Promise<string | undefined> {
  try {
    await client.servers.test(server);
    return undefined;
  } catch (error) {
    // The server refuses requests until a person has agreed.
    if (error instanceof ProblemError && error.status === 502) return error.message;
    throw error;
  }
}
