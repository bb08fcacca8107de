import { type Client, ProblemError } from '@baton/api/client';

import { CommandError } from '../../commandError.ts';
import { exitCodes } from '../../exitCodes.ts';
import { durationOption } from '../../inputs/arguments.ts';
import { oneLine } from '../../output/text.ts';
import { commandOf } from '../defineCommand.ts';

export const define = commandOf({
  form: (command) =>
    command
      .argument('<server>', 'name of the server, as in mcp.json')
      .option('--no-wait', 'print the address and do not wait')
      .option('--timeout <duration>', 'stop waiting after this time; the default is 10m'),
  act: async (context, [server], { wait, timeout }) => {
    const timeoutMs = await durationOption('--timeout', timeout);
    const client = await context.client();
    const { stdout, stderr } = context;
    const login = await client.servers.login(server);
    if (!('url' in login)) return stderr.line(oneLine(`${server} is connected: no login is needed.`));
    stderr.line('Open this address in a browser and allow access:');
    stdout.line(oneLine(login.url));
    if (!wait) return;
    await answering(client, server, timeoutMs ?? waitMs);
    stderr.line(oneLine(`${server} answers.`));
  },
  examples: [
    ['baton servers login github', 'print the login address and wait for the login'],
    ['baton servers login github --no-wait', 'print the address; the login works without this command'],
  ],
});

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
    await client.servers.test(server).catch((error: unknown) => {
      // A person with a login of their own may need no right over servers.
      if (error instanceof ProblemError && error.status === 403) return client.servers.tools(server);
      throw error;
    });
    return undefined;
  } catch (error) {
    // The server refuses requests until a person has agreed.
    if (error instanceof ProblemError && error.status === 502) return error.message;
    throw error;
  }
}
