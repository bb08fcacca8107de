/** Asks a server for the events of a trigger (SEP-3415, `events/poll`). */
import { FailureError } from '@baton/engine';
import { limits, usableSchema, validator } from '@baton/expressions';
import { type EventTrigger, defaultsOf } from '@baton/language';
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import { type EventPage, type EventType, type Occurrence, readOccurrence } from '@baton/protocol';
import type { EventQuestion } from '@baton/transports';

import type { DeployedTrigger } from '../deploy/deployedTriggers.ts';
import { dedupeKey } from '../intake/dedupeKey.ts';
import { type PollAnswer, type PollCalls, withCall } from './pollAnswer.ts';

type DeployedEvent = DeployedTrigger<EventTrigger>;

/** A server may not ask for longer. */
const pauseMsMax = 3_600_000;
/** In place of an event, where the server has lost some. Events are objects. */
const gap = 'gap';

/**
 * `cursor`: null: from now on. A cursor that the server refuses is a gap. Rejects with `FailureError`,
 * `EvaluationError` and `UnavailableError`.
 */
export async function askForEvents(
  calls: PollCalls,
  deployed: DeployedEvent,
  cursor: string | null,
  signal: AbortSignal,
): Promise<PollAnswer> {
  const { trigger } = deployed;
  const type = await eventType(calls, trigger);
  const { page, isGap } = await pageAfter(calls, deployed, type, { cursor, signal });
  if (page.events.length > limits.poll.items)
    throw new FailureError('invalid-result', `The server sent ${page.events.length} events and not at most 1,000.`);
  const events = page.events.map((one) => (isObject(one) ? one : null));
  const moved = page.cursor !== cursor && events.length > 0;
  return {
    result: {},
    items: isGap && trigger.isRunOnGap ? [gap, ...events] : events,
    state: undefined,
    // The same lost events are found again while the cursor waits: they start one run.
    keyOf: (item) => (item === gap ? dedupeKey(`a gap after ${cursor}`) : occurrenceIn(item, type).eventId),
    scopeOf: (item) => ({ event: eventIn(item, trigger) }),
    page: {
      cursor: page.cursor,
      isGap,
      hasMore: page.hasMore && moved,
      pauseMs: Math.min(page.nextPollMs ?? 0, pauseMsMax),
    },
  };
}

/** As the server lists it now. */
async function eventType({ servers }: PollCalls, { server, event }: EventTrigger): Promise<EventType> {
  const { events } = await servers.catalogue(server);
  if (events === undefined)
    throw new FailureError('server-rejected', `The server "${server}" offers no events, or BATON_EVENTS is off.`);
  const type = events.find(({ name }) => name === event);
  if (type === undefined)
    throw new FailureError('server-rejected', `The server "${server}" does not list the event any more.`);
  if (!type.delivery.includes('poll'))
    throw new FailureError('server-rejected', 'The server does not deliver this event to clients that poll.');
  return type;
}

async function pageAfter(
  calls: PollCalls,
  deployed: DeployedEvent,
  type: EventType,
  { cursor, signal }: { readonly cursor: string | null; readonly signal: AbortSignal },
): Promise<{ readonly page: EventPage; readonly isGap: boolean }> {
  const { workflow, trigger } = deployed;
  const { server, event: name, params } = trigger;
  const use = { workflow: { id: workflow, isDeployed: true }, server };
  const secrets = params.secrets.length === 0 ? {} : await calls.secrets.ofStep(params.secrets, use);
  const given = { ...defaultsOf(type.inputSchema), ...params.evaluate({ secrets }) };
  const ask = (question: Pick<EventQuestion, 'cursor'>): Promise<EventPage> =>
    withCall(calls, deployed, signal, (context) =>
      calls.servers.events.poll(server, { name, arguments: given, maxEvents: limits.poll.runs, ...question }, context),
    );
  try {
    const page = await ask({ cursor });
    // Where a server cannot replay, nothing could be lost.
    return { page, isGap: page.isTruncated && cursor !== null };
  } catch (error) {
    if (cursor === null || !isCursorRefused(error)) throw error;
    return { page: await ask({ cursor: null }), isGap: true };
  }
}

/** By the draft a server answers `truncated`; some answer with an error. */
const isCursorRefused = (error: unknown): boolean =>
  error instanceof FailureError &&
  (error.delivery === 'rejected' || error.delivery === 'answered') &&
  (error.code === 'invalid-arguments' || /cursor/i.test(error.message.slice(0, 1_000)));

/** Throws `FailureError` where it does not fit the payload schema that the server lists. */
function occurrenceIn(raw: Json, type: EventType): Occurrence {
  const read = readOccurrence(raw, type.name);
  if ('problem' in read) throw new FailureError('invalid-result', `The event is malformed: ${read.problem}.`);
  const { validate } = validator(usableSchema(type.payloadSchema).schema);
  const [error] = validate?.(read.data) ?? [];
  if (error === undefined) return read;
  const at = error.pointer === '' ? '' : ` at ${error.pointer.slice(0, 80)}`;
  throw new FailureError('invalid-result', `The event does not fit its payload schema${at}: ${error.message}`);
}

/** What runs read as `event`. */
function eventIn(item: Json, { isRunOnGap }: EventTrigger): JsonObject {
  if (item === gap) return { gap: true };
  const data = isObject(item) && isObject(item['data']) ? item['data'] : {};
  return isRunOnGap ? { ...data, gap: false } : data;
}
