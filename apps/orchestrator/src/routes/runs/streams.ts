/** Shared by both event streams: counting readers, headers, and what ends a stream. */
import type { Logger } from '@baton/boot';
import type { Keyring, OpenStreams } from '@baton/control';
import { type Clock, UnavailableError } from '@baton/runner';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type StreamOptions, streamEvents } from '../../http/sse.ts';

export interface StreamParts {
  readonly keyring: Pick<Keyring, 'isGood'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  readonly readers: OpenStreams;
  readonly onCut: () => void;
}

export const wantsStream = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes('text/event-stream') ?? false;

type StreamSource<Position> = Pick<StreamOptions<Position>, 'after' | 'isOver' | 'read' | 'watch'>;

/** Resolves when the stream has ended. Rejects with `ProblemError` before it has begun. */
export async function stream<Position>(
  { keyring, readers, log, ...parts }: StreamParts,
  { principal, id }: Pick<FastifyRequest, 'principal' | 'id'>,
  reply: Pick<FastifyReply, 'hijack' | 'raw' | 'getHeaders'>,
  followed: StreamSource<Position>,
): Promise<void> {
  const leave = readers.enter(principal);
  reply.hijack();
  reply.raw.writeHead(200, {
    ...plainHeaders(reply.getHeaders()),
    'content-type': 'text/event-stream; charset=utf-8',
    // Tells proxies not to buffer.
    'x-accel-buffering': 'no',
  });
  try {
    await streamEvents(reply.raw, { ...parts, ...followed, shouldContinue: () => keyring.isGood(principal) });
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    // The stream was cut: the reader reconnects and continues after its last event.
    log.info({ requestId: id, err: error }, 'a stream of events was cut, because Postgres is not available');
  } finally {
    leave();
  }
}

const plainHeaders = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
