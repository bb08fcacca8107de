/** Finds the call that a question is about, with its arguments as stored in the journal: secrets are masked. */
import { isObject } from '@baton/primitives';

import type { Question } from '../schemas/question.ts';
import type { Client } from './createClient.ts';

export interface AskedCall {
  /** `server/tool`. */
  readonly target: string;
  readonly arguments: unknown;
}

const approvalSuffix = '.approval';
/** The page size: the maximum. */
const eventsMax = '200';

/** Resolves to null if the question is not about a call. Rejects like every call of the client. */
export async function askedCallOf(
  client: Pick<Client, 'runs'>,
  { runId, step }: Pick<Question, 'runId' | 'step'>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<AskedCall | null> {
  if (step.endsWith(approvalSuffix))
    return requestedCall(client, runId, step.slice(0, -approvalSuffix.length), options);
  const { steps } = await client.runs.get(runId, options);
  const own = steps.find(({ path, verb }) => path === step && verb === 'tool');
  return own?.target === undefined ? null : { target: own.target, arguments: own.arguments };
}

/** Finds a call of the gateway: the journal contains its request before it is approved and its step begins. */
async function requestedCall(
  client: Pick<Client, 'runs'>,
  runId: string,
  path: string,
  options: { readonly signal?: AbortSignal },
): Promise<AskedCall | null> {
  const event = await requestOf(client, runId, path, options);
  const target = event?.['target'];
  if (!isObject(target) || typeof target['server'] !== 'string' || typeof target['tool'] !== 'string') return null;
  const given = event?.['arguments'];
  return {
    target: `${target['server']}/${target['tool']}`,
    arguments: isObject(given) && 'json' in given ? given['json'] : given,
  };
}

/** Reads page by page: a session may have many earlier calls. */
async function requestOf(
  client: Pick<Client, 'runs'>,
  runId: string,
  path: string,
  options: { readonly signal?: AbortSignal },
) {
  let cursor: string | undefined;
  do {
    const page = await client.runs.events(runId, { limit: eventsMax, ...(cursor && { cursor }) }, options);
    const event = page.data.find((one) => one.type === 'call.requested' && one['path'] === path);
    if (event !== undefined) return event;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return undefined;
}
