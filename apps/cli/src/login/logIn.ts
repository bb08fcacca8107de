/** Logs this account in at a Baton server, in the browser of this machine or of another one. */
import { CommandLogin, type LoginTokens, ProviderFault } from '@baton/oauth/login';
import { within } from '@baton/primitives';

import { serverOf } from '../client/address.ts';
import { withLock } from '../client/fileLock.ts';
import { keptLogin, loginFileOf, readLogin, writeLogin } from '../client/loginFile.ts';
import { openInBrowser } from '../client/openPage.ts';
import { isLoopback } from '../client/runningAddress.ts';
import { lockOf } from '../client/savedLogin.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { oneLine } from '../output/text.ts';
import { openLoopback } from './loopback.ts';

/** How long a person has. */
const waitMs = 10 * 60_000;

interface LogInOptions {
  /** In the browser of another machine. */
  readonly device: boolean;
  /** Starts no browser. */
  readonly print: boolean;
}

/** Resolves to the server, as `serverOf` has it. Rejects with `CommandError`. */
export async function logIn(context: Context, url: URL, { device, print }: LogInOptions): Promise<string> {
  const server = serverOf(url);
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new CommandError(exitCodes.usage, 'The address of a server has no user, no query and no fragment.');
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new CommandError(
      exitCodes.usage,
      `A log-in at another machine needs https: ${server} would send it in the clear.`,
    );
  const file = loginFileOf(context.env, server);
  const { login, tokens } = await explained(async () => {
    const login = await CommandLogin.at(server);
    const act = device || hasNoBrowser(context) ? byDevice(context, login) : byBrowser(context, login, print);
    return { login, tokens: await act };
  });
  await withLock(lockOf(file), async () => {
    await endBefore(file, server, login);
    await writeLogin(file, keptLogin(server, tokens));
  });
  return server;
}

/** Whether a person would not see a browser that this machine starts. */
function hasNoBrowser({ env }: Context): boolean {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  if (has('SSH_CONNECTION') || has('SSH_TTY')) return true;
  return process.platform === 'linux' && !has('DISPLAY') && !has('WAYLAND_DISPLAY');
}

async function byBrowser({ stderr }: Context, login: CommandLogin, print: boolean): Promise<LoginTokens> {
  const loopback = await openLoopback();
  try {
    const { goOn, state, finish } = await login.begin(loopback.redirectUri);
    const back = loopback.comesBack(state);
    const isOpened = !print && (await openInBrowser(goOn.href));
    stderr.line(
      isOpened
        ? 'Go on in your browser. If it shows nothing, open:'
        : 'Open this address in a browser of this machine:',
    );
    stderr.line(oneLine(goOn.href));
    const { query, say } = await within(back, waitMs, {
      onLate: () => {
        throw tooLate();
      },
    });
    try {
      const tokens = await finish(query);
      await say('You are logged in', 'Go back to the terminal. This page can be closed.');
      return tokens;
    } catch (error) {
      await say('You are not logged in', 'The terminal says why. This page can be closed.');
      throw error;
    }
  } finally {
    loopback.close();
  }
}

async function byDevice({ stderr }: Context, login: CommandLogin): Promise<LoginTokens> {
  const { code, page, finish } = await login.beginDevice();
  stderr.line(oneLine(`Open ${page.href} in the browser of any machine, and type the code ${code}`));
  const over = AbortSignal.timeout(waitMs);
  return finish(over).catch((error: unknown) => {
    throw over.aborted ? tooLate() : error;
  });
}

const tooLate = (): CommandError =>
  new CommandError(exitCodes.timedOut, 'No decision was made in the browser within ten minutes.', {
    hint: 'begin again: `baton login`',
  });

/** Faults of the server, in the words of the command. */
async function explained<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { kind, message } = error;
    if (kind === 'away') throw new CommandError(exitCodes.unreachable, message, { cause: error });
    if (kind === 'wrong') throw new CommandError(exitCodes.notAllowed, message, { cause: error });
    throw new CommandError(exitCodes.notAllowed, 'The log-in was refused in the browser, or has ended.', {
      cause: error,
    });
  }
}

/** A log-in that is replaced is of no use any more. */
async function endBefore(file: string, server: string, login: CommandLogin): Promise<void> {
  try {
    const before = await readLogin(file, server);
    if (before !== undefined) await login.revoke(before.refresh);
  } catch (error) {
    // It ends by itself; a file that others wrote is replaced.
    if (!(error instanceof ProviderFault || error instanceof CommandError)) throw error;
  }
}
