import type { Client, Tool } from '@baton/api/client';
import { didYouMean } from '@baton/expressions';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

/** A tool of a server. Rejects with `CommandError` that names the nearest one. */
export async function toolNamed(client: Client, server: string, name: string): Promise<Tool> {
  const { data: tools } = await client.servers.tools(server);
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const hint = didYouMean(
    name,
    tools.map((tool) => tool.name),
  );
  throw new CommandError(exitCodes.notFound, `The server "${server}" has no tool "${name.slice(0, 80)}".`, {
    hint: hint ?? `list what it offers with \`baton servers tools ${server}\``,
  });
}
