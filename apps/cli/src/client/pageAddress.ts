import type { Client } from '@baton/api/client';

/**
 * The address of the page, or of `path` in it, with a login code that works once within ten minutes. Rejects like every
 * call of the client.
 */
export async function pageAddress(client: Client, path = ''): Promise<string> {
  const { code } = await client.sessions.createCode();
  return addressWith(client, code, path);
}

/** The address of `path` in the page, with a code that logs in. */
export function addressWith(client: Client, code: string, path = ''): string {
  const url = new URL(client.url);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  url.pathname += path;
  url.hash = `code=${code}`;
  return url.href;
}
