import type { Client } from '@baton/api/client';
import { ProblemError } from '@baton/api/client';
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
    .option('--no-wait', 'only print the address')
    .option('--timeout <duration>', 'stop waiting after so long; otherwise 10m')
    .action(async (server: string, options: Options) => login(context, command, server, options));
  addExamples(command, [
    ['baton servers login github', 'prints the address where somebody agrees, and waits until the server answers'],
    ['baton servers login github --no-wait', 'only the address: the login goes on without this command'],
  ]);
}

async function login(context: Context, command: Command, server: string, options: Options): Promise<void> {
  const timeoutMs = await durationOption('--timeout', options.timeout);
  const client = await context.client(command.optsWithGlobals());
  const { oneLine } = await import('../../output/text.ts');
  const { stdout, stderr } = context;
  const login = await client.servers.login(server);
  if (!('url' in login)) return stderr.line(oneLine(`Nobody has to log in to ${server}: it is connected.`));
  stderr.line('Open this address in a browser, and agree:');
  stdout.line(oneLine(login.url));
  if (!options.wait) return;
  await answering(client, server, timeoutMs ?? waitMs);
  stderr.line(oneLine(`${server} answers.`));
}

const waitMs = 600_000;
const pauseMs = 2_000;

/** Rejects with `CommandError` where the server still turns everybody away when the time is up. */
async function answering(client: Client, server: string, timeoutMs: number): Promise<void> {
  const { setTimeout: pause } = await import('node:timers/promises');
  const until = performance.now() + timeoutMs;
  for (;;) {
    const problem = await refusal(client, server);
    if (problem === undefined) return;
    if (performance.now() + pauseMs > until) {
      throw new CommandError(exitCodes.timedOut, `Nobody has agreed in time. ${problem}`, {
        hint: `the address still counts; begin again with \`baton servers login ${server}\``,
      });
    }
    await pause(pauseMs);
  }
}

/** What the server says to somebody without a token; undefined: it answers. */
async function refusal(client: Client, server: string): Promise<string | undefined> {
  try {
    await client.servers.test(server);
    return undefined;
  } catch (error) {
    // Turned away, which it is until somebody has agreed.
    if (error instanceof ProblemError && error.status === 502) return error.message;
    throw error;
  }
}
