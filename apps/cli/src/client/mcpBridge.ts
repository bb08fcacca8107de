import { bridgeStdio } from '@baton/transports';

import type { Context } from '../context.ts';
import { findApiKey, findUrl } from './address.ts';

/** Serves an MCP endpoint of the installation on stdin and stdout. `path`: from the API's address, without a slash. */
export async function serveOnStdio(
  context: Context,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { address } = context;
  const env = await context.apiEnvironment();
  const base = await findUrl(address, env);
  const key = await findApiKey(address, base, env);
  const url = new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  await bridgeStdio({
    url,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    input: context.stdin,
    // stdout carries only the protocol.
    output: context.stdout.stream,
    onTrouble: (error) => context.stderr.line(error.message),
  });
}
