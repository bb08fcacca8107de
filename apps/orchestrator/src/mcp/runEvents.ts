/**
 * Baton's runs as events: the extension MCP Events (SEP-3415, a draft; docs/decisions/0038-events-by-the-draft.md), for
 * clients that ask with `events/poll`. The cursor is a position in the events of all runs.
 */
import { ProblemError } from '@baton/api';
import { type Feed, type Principal, control, may } from '@baton/control';
import type { Question, RunEvent } from '@baton/engine';
import type { Json } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type FeedEvent, type Store, followingRuns, type ownEvents, readFeed } from '@baton/store';
import { type Server, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod';

const eventsExtension = 'io.modelcontextprotocol/events';

export interface RunEventOptions {
  readonly store: Store;
  readonly feed: Feed;
  readonly publicUrl: string | undefined;
  /** False: no events are offered. Absent: they are. */
  readonly hasEvents?: boolean;
  readonly clock: Clock;
}

const codes = { notFound: -32_011, forbidden: -32_012 };
const nextPollMs = 5_000;
const usualEvents = 50;
/** Of one answer. */
const eventsMax = 1_000;
const pageEvents = 500;
/** Read for one answer: what no client may see or has asked for counts, too. */
const pagesMax = 10;

const statuses = ['succeeded', 'failed', 'cancelled'] as const;
const Wanted = z.strictObject({
  workflow: z.string().min(1).optional().describe('A name, the start of names as in payments/*, or *. Absent: all.'),
});
const WantedEnds = Wanted.extend({
  status: z.array(z.enum(statuses)).min(1).optional().describe('How the runs have ended. Absent: in any way.'),
});
const About = z.strictObject({
  run: z.string().describe('The id of the run.'),
  workflow: z.string(),
  url: z.string().describe('The page of the run.'),
});
const ErrorShape = z.strictObject({ code: z.string(), message: z.string() });
const Ended = About.extend({ status: z.enum(statuses), error: ErrorShape.nullable() });
const Asked = About.extend({ step: z.string(), message: z.string().describe('The question.') });

interface OfferedEvent {
  readonly description: string;
  readonly input: typeof Wanted | typeof WantedEnds;
  readonly payload: z.ZodObject;
  /** Undefined: the event of a run is none of these. */
  readonly dataOf: (event: RunEvent, wanted: z.output<typeof WantedEnds>) => Readonly<Record<string, Json>> | undefined;
}

const offered: Readonly<Record<(typeof ownEvents)[number], OfferedEvent>> = {
  'run.finished': {
    description: 'A run has ended. get_run shows its outputs.',
    input: WantedEnds,
    payload: Ended,
    dataOf: (event, { status = statuses }) => {
      if (event.type !== 'run.finished' || !status.includes(event.status)) return undefined;
      const { failure } = 'failure' in event ? event : {};
      const error = failure === undefined ? null : { code: failure.code, message: failure.message };
      return { status: event.status, error };
    },
  },
  'question.asked': {
    description: 'A run asks a person. get_run shows the question with its form, answer_question answers it.',
    input: Wanted,
    payload: Asked,
    dataOf: (event) => {
      const question = questionOf(event);
      return question === undefined || !('path' in event) ? undefined : { step: event.path, message: question.message };
    },
  },
};

function questionOf(event: RunEvent): Question | undefined {
  if (event.type === 'question.asked') return event.question;
  return event.type === 'step.waiting' && event.awaiting.for === 'answer' ? event.awaiting.question : undefined;
}

const Poll = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  cursor: z.string().nullish(),
  maxEvents: z.int().min(1).optional(),
  maxAgeMs: z.number().nonnegative().optional(),
});

/** The capability that declares them. */
export const eventsCapability = ({ hasEvents = true }: RunEventOptions, principal: Principal): object =>
  hasEvents && may(principal, ['runs:read']) ? { [eventsExtension]: {} } : {};

export function serveRunEvents(server: Server, options: RunEventOptions, principal: Principal): void {
  if (options.hasEvents === false) return;
  server.setRequestHandler('events/list', { params: z.looseObject({}) }, () => ({ events: listed }));
  server.setRequestHandler('events/poll', { params: Poll }, async (asked) => {
    try {
      return await polled(options, principal, asked);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const code = error.code === 'forbidden' ? codes.forbidden : ProtocolErrorCode.InvalidParams;
      throw new ProtocolError(code, error.message);
    }
  });
}

const listed = Object.entries(offered).map(([name, { description, input, payload }]) => ({
  name,
  description,
  delivery: ['poll'],
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
  payloadSchema: z.toJSONSchema(payload),
}));

/** Rejects with `ProblemError`, `ProtocolError` and `UnavailableError`. */
async function polled(options: RunEventOptions, principal: Principal, asked: z.output<typeof Poll>) {
  const { name, arguments: given = {}, cursor: after = null, maxAgeMs = Infinity } = asked;
  const event = Object.hasOwn(offered, name) ? offered[name as keyof typeof offered] : undefined;
  if (event === undefined) throw new ProtocolError(codes.notFound, 'NotFound', { kind: 'event' });
  const read = event.input.safeParse(given);
  if (!read.success) throw new ProtocolError(ProtocolErrorCode.InvalidParams, z.prettifyError(read.error));
  const wanted: z.output<typeof WantedEnds> = read.data;
  const { feed } = options;
  const { isTruncated, ...view } = await viewFrom(options, principal, { workflow: wanted.workflow, after });
  const most = Math.min(asked.maxEvents ?? usualEvents, eventsMax);
  const sinceMs = options.clock.now() - maxAgeMs;
  const events: object[] = [];
  let [at, isTooOld, hasMore] = [view.from, false, after !== null];
  for (let pages = 0; hasMore && pages < pagesMax && events.length < most; pages += 1) {
    const page = await readFeed(options.store, { after: at, limit: pageEvents });
    // A page of large events is shorter than asked for, so only an empty one is the end.
    hasMore = page.events.length > 0;
    const found = page.events.map((one) => ({
      one,
      data: view.isShown(one.workflow) ? event.dataOf(view.shown(one.event, one.workflow), wanted) : undefined,
    }));
    const following = await followingRuns(
      options.store,
      found.flatMap(({ one, data }) => (data === undefined ? [] : [one.runId])),
    );
    for (const { one, data: own } of found) {
      const data = following.has(one.runId) ? undefined : own;
      if (data !== undefined && events.length === most) {
        hasMore = true;
        break;
      }
      at = one.position;
      if (data === undefined) continue;
      if (one.event.at < sinceMs) isTooOld = true;
      else events.push(occurrence(name, one, { ...data, ...aboutRun(options, one) }));
    }
  }
  return { events, cursor: feed.seal.seal(at), truncated: isTruncated || isTooOld, hasMore, nextPollMs };
}

/** A cursor that is none of this installation, as after a restore: events since then are lost to the client. */
async function viewFrom(
  options: RunEventOptions,
  principal: Principal,
  { workflow, after }: { readonly workflow: string | undefined; readonly after: string | null },
) {
  const from = (cursor: string | undefined) => control.listEvents(options, principal, { workflow, after: cursor });
  try {
    return { ...(await from(after ?? undefined)), isTruncated: false };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'invalid-cursor') throw error;
    return { ...(await from(undefined)), isTruncated: true };
  }
}

const aboutRun = ({ publicUrl = '' }: RunEventOptions, { runId, workflow }: FeedEvent) => ({
  run: runId,
  workflow,
  url: `${publicUrl.replace(/\/$/, '')}/runs/${runId}`,
});

const occurrence = (name: string, { runId, seq, event }: FeedEvent, data: object): object => ({
  eventId: `${runId}-${seq}`,
  name,
  timestamp: new Date(event.at).toISOString(),
  data,
});
