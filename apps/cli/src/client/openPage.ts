import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { Client } from '@baton/api/client';

import type { Context } from '../context.ts';
import { pageAddress } from './pageAddress.ts';

/**
 * Opens an address of the page in a browser, logged in; prints it if there is no browser. Rejects like every call of
 * the client.
 */
export async function openPage(
  { stdout, stderr, loggedInAt }: Context,
  client: Client,
  path = '',
  { print = false }: { readonly print?: boolean } = {},
): Promise<void> {
  // A client of a person logs no browser in: theirs has a log-in of its own.
  const address = loggedInAt === undefined ? await pageAddress(client, path) : `${loggedInAt}/${path}`;
  if (!print) {
    if (await openInBrowser(address)) return stderr.line(`Opened ${client.url.href}${path} in your browser.`);
    const how = loggedInAt === undefined ? '; it logs in once, within 10 minutes' : '';
    stderr.line(`No browser could be started here. Open this address${how}:`);
  }
  stdout.line(address);
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** False if this machine has no program to open it. */
export async function openInBrowser(address: string): Promise<boolean> {
  const [command, ...first] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...first, address], { stdio: 'ignore', detached: true });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch {
    // The program is not installed.
    return false;
  }
}
