import type { Client } from '@baton/api/client';

import type { Context } from '../context.ts';
import { pageAddress } from './pageAddress.ts';

/**
 * Opens an address of the page in a browser, logged in; prints it if there is no browser. Rejects like every call of
 * the client.
 */
export async function openPage(
  { stdout, stderr }: Context,
  client: Client,
  path = '',
  { print = false }: { readonly print?: boolean } = {},
): Promise<void> {
  const address = await pageAddress(client, path);
  if (!print) {
    const { openInBrowser } = await import('./openInBrowser.ts');
    if (await openInBrowser(address)) return stderr.line(`Opened ${client.url.href}${path} in your browser.`);
    stderr.line('No browser could be started here. Open this address; it logs in once, within 10 minutes:');
  }
  stdout.line(address);
}
