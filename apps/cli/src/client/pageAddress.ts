import type { Client } from '@baton/api/client';

/** The address of the page, or of `path` in it, with a code that logs in once within ten minutes. Rejects as every call does. */
export async function pageAddress(client: Client, path = ''): Promise<string> {
  const { code } = await client.sessions.createCode();
  const url = new URL(client.url);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  url.pathname += path;
  url.hash = `code=${code}`;
  return url.href;
}
