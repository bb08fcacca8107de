/** What both streams of events have in common: how many read, what goes before, and what cuts them off. */
import type { Logger } from '@baton/boot';
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';

import { ProblemError } from '../http/problem.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { StreamOptions } from '../live/sse.ts';
import { streamEvents } from '../live/sse.ts';

/** Readers of live events on this process. */
const readersMax = 5_000;

/** How many follow live. */
export class Readers {
  count = 0;
}

export interface StreamParts {
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  readonly readers: Readers;
  readonly onCut: () => void;
}

export const StreamHeaders = z.looseObject({
  accept: z.string().optional().meta({ description: '`text/event-stream`: as they happen.' }),
  'last-event-id': z.string().optional().meta({ description: 'Goes before `after`: where a stream broke off.' }),
});

/** What is answered, as the document has it. */
export const pageOrStream = <Page extends z.ZodType>(page: Page, description: string) => ({
  description,
  content: { 'application/json': { schema: page }, 'text/event-stream': { schema: z.string() } },
});

export const wantsStream = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes('text/event-stream') ?? false;

type Followed<Position> = Pick<StreamOptions<Position>, 'after' | 'isOver' | 'read' | 'watch'>;

/** Resolves when the stream has ended. Rejects with `ProblemError` before it has begun. */
export async function stream<Position>(
  { keyring, readers, log, ...parts }: StreamParts,
  { principal, id }: Pick<FastifyRequest, 'principal' | 'id'>,
  reply: Pick<FastifyReply, 'hijack' | 'raw' | 'getHeaders'>,
  followed: Followed<Position>,
): Promise<void> {
  if (readers.count >= readersMax) {
    throw new ProblemError('overloaded', 'Too many follow runs just now.', { headers: { 'retry-after': '5' } });
  }
  reply.hijack();
  reply.raw.writeHead(200, {
    ...plainHeaders(reply.getHeaders()),
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies that collect answers would make it anything but live.
    'x-accel-buffering': 'no',
  });
  readers.count += 1;
  try {
    await streamEvents(reply.raw, { ...parts, ...followed, mayGoOn: () => keyring.isGood(principal) });
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    // It was cut: the reader comes back, and goes on from its last event.
    log.info({ requestId: id, err: error }, 'a stream of events was cut, for Postgres is away');
  } finally {
    readers.count -= 1;
  }
}

const plainHeaders = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
