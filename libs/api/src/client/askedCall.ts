/** The call that a question is about, with its arguments as the journal has them: secrets are masked. */
import { isObject } from '@baton/primitives';

import type { Question } from '../schemas/question.ts';
import type { Client } from './createClient.ts';

export interface AskedCall {
  /** `server/tool`. */
  readonly target: string;
  readonly arguments: unknown;
}

const approvalSuffix = '.approval';
/** The largest page. */
const eventsMax = '200';

/** Null: the question is about no call. Rejects like every call of the client. */
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

/** The journal holds a call of the gateway from its request on; its step begins once it is approved. */
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

/** A session may have many calls before this one. */
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
