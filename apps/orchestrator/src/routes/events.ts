/** A run's journal: page by page, or as it grows. */
import type { Logger } from '@baton/boot';
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import { getRun, readPage } from '@baton/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';

import type { App } from '../http/edge.ts';
import { Cursor, Cursors, Limit, limitUsual, wholeNumber } from '../http/parameters.ts';
import { ProblemError } from '../http/problem.ts';
import type { Keyring } from '../keys/keyring.ts';
import { reaches } from '../keys/reach.ts';
import type { Pages } from '../live/pages.ts';
import { streamEvents } from '../live/sse.ts';
import type { Watches } from '../live/watches.ts';
import { pageOf } from '../shapes/values.ts';
import { ById, noRun, readingRuns } from './runs.ts';

/** Readers of live events on this process. */
const readersMax = 5_000;

const positionMax = 2 ** 31 - 1;
const Position = wholeNumber(0, positionMax);

const Event = z
  .looseObject({
    seq: z.int().meta({ description: 'Position in the journal, from 1.' }),
    type: z.string().meta({ description: 'What happened; the other members go with it.' }),
    at: z.number().meta({ description: 'Epoch milliseconds.' }),
  })
  .meta({ id: 'RunEvent' });

const Headers = z.looseObject({
  accept: z.string().optional().meta({ description: '`text/event-stream`: as they happen.' }),
  'last-event-id': z.string().optional().meta({ description: 'Goes before `after`: where a stream broke off.' }),
});

const Query = z.strictObject({
  after: Position.optional().meta({ description: 'Only events after this position.' }),
  limit: Limit,
  cursor: Cursor,
});

export interface EventOptions {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly pages: Pages;
  readonly watches: Watches;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  readonly readers: Readers;
  readonly onCut: () => void;
}

/** How many follow live. */
export class Readers {
  count = 0;
}

export function eventRoutes(app: App, options: EventOptions): void {
  app.get(
    '/v1/runs/:id/events',
    {
      config: { access: readingRuns },
      schema: {
        tags: ['Runs'],
        summary: 'The journal of a run',
        description:
          'As JSON in pages; as `text/event-stream` as it grows, each event with `id:` = its position, ending after the last event of a finished run.',
        params: ById,
        querystring: Query,
        headers: Headers,
        response: {
          200: {
            description: 'A page of it; or all that follows, as a stream.',
            content: {
              'application/json': { schema: pageOf(Event) },
              'text/event-stream': { schema: z.string() },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const run = await getRun(options.store, id);
      if (run === undefined || !reaches(request.principal, run.workflow)) throw noRun(id);
      const { after = 0, limit = limitUsual, cursor } = request.query;
      if (wantsStream(request.headers.accept)) {
        await stream(options, request, reply, {
          runId: id,
          after: resumeAt(request, after),
          isOver: run.endedAt !== undefined,
        });
        return reply;
      }
      return page(options.store, { runId: id, after, limit, cursor });
    },
  );
}

const wantsStream = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes('text/event-stream') ?? false;

/** What a browser sends by itself when it comes back; what is no position of ours is passed over. */
function resumeAt({ headers }: Pick<FastifyRequest, 'headers'>, after: number): number {
  const last = headers['last-event-id'];
  const parsed = Position.safeParse(last);
  return parsed.success ? parsed.data : after;
}

interface Asked {
  readonly runId: string;
  readonly after: number;
  readonly limit: number;
  readonly cursor: string | undefined;
}

async function page(store: Store, { runId, after, limit, cursor }: Asked) {
  const cursors = new Cursors('events', { runId });
  const from = cursors.read(cursor, (text) => Position.safeParse(text).success);
  const events = await readPage(store, runId, { after: from === undefined ? after : Number(from), limit: limit + 1 });
  const shown = events.slice(0, limit);
  const last = shown.at(-1)?.seq;
  return {
    data: shown.map(({ seq, event }) => ({ seq, ...event })),
    ...(events.length > limit && last !== undefined ? { nextCursor: cursors.write(String(last)) } : {}),
  };
}

interface Followed {
  readonly runId: string;
  readonly after: number;
  readonly isOver: boolean;
}

async function stream(
  { keyring, readers, log, ...parts }: EventOptions,
  { principal, id }: Pick<FastifyRequest, 'principal' | 'id'>,
  reply: Pick<FastifyReply, 'hijack' | 'raw' | 'getHeaders'>,
  followed: Followed,
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
