/** Finds out what tools and workflows exist: asks a running Baton, else the servers of `mcp.json`. */
import { ProblemError } from '@baton/api/client';

import { isAway } from '../client/isAway.ts';
import { projectFolder } from '../client/projectFolder.ts';
import type { Context } from '../context.ts';
import { allowServers } from '../trust/allowServers.ts';
import { version } from '../version.ts';
import { type Knowledge, fromBaton, fromServersFile, languageOnly } from './serverKnowledge.ts';

export interface KnowledgeOptions {
  /** Whether to ask servers. */
  readonly asks: boolean;
  /** Where to look for `mcp.json`; absent: in the working directory. */
  readonly folder?: string | undefined;
  /** Also in a terminal: an editor has it. */
  readonly neverAsks?: boolean;
}

/** Rejects with `CommandError` where the user has not allowed the servers. */
export async function knowledgeFor(
  context: Context,
  { asks, folder, neverAsks = false }: KnowledgeOptions,
): Promise<Knowledge> {
  if (!asks) return languageOnly;
  const running = await fromRunningBaton(context);
  if (running !== undefined) return running;
  const path = context.env['BATON_SERVERS'];
  return fromServersFile({
    ...(path === undefined || path === '' ? {} : { path }),
    folder: await projectFolder(context.env, folder),
    environment: context.env,
    version,
    allow: (file) => allowServers(context, file, { neverAsks }),
  });
}

/** Undefined if no Baton runs here, or it does not answer, or it refuses. */
async function fromRunningBaton(context: Context): Promise<Knowledge | undefined> {
  try {
    return await fromBaton(await context.client());
  } catch (error) {
    if (isAway(error) || error instanceof ProblemError) return undefined;
    throw error;
  }
}
