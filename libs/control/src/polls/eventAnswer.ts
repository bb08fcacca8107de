/**
 * Asks a server for the events of a trigger (SEP-3415): has it post them where it can, else opens a stream, else polls.
 */
import { FailureError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type EventTrigger, defaultsOf } from '@baton/language';
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import { type EventPage, type EventType, type Occurrence, readOccurrence, unfitIn } from '@baton/protocol';

import { dedupeKey } from '../intake/dedupeKey.ts';
import { personIn } from '../keys/personBehind.ts';
import { type DeployedEvent, pollNameOf } from './deployedPoll.ts';
import { type PollAnswer, type PollCalls, checkCount, withCall } from './pollAnswer.ts';

/** A server may not ask for longer. */
const pauseMsMax = 3_600_000;
/** How long a subscription is asked for, and how soon it may be renewed. */
const subscriptionMs = 3_600_000;
const refreshMsMin = limits.poll.everyMsMin;
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
  const type = await eventType(calls, deployed);
  const given = await argumentsOf(calls, deployed, type);
  const asking = { given, cursor, signal };
  const told = (await subscribedBy(calls, deployed, type, asking)) ?? (await streamedBy(calls, deployed, type, asking));
  const lost = lostAfter(cursor);
  if (told !== undefined) return answerOf(trigger, type, lost, { events: [], ...told, hasMore: false });
  if (!type.delivery.includes('poll')) throw untold(type);
  const ask = (after: string | null): Promise<EventPage> =>
    withCall(calls, deployed, signal, (context) => {
      const question = { name: type.name, arguments: given, cursor: after, maxEvents: limits.poll.runs };
      return calls.servers.events.poll(trigger.server, question, context);
    });
  const { answer: page, isGap } = await afterCursor(cursor, ask);
  checkCount(page.events.length, 'events');
  const pauseMs = Math.max(trigger.everyMs, Math.min(page.nextPollMs ?? 0, pauseMsMax));
  const hasMore = page.hasMore && page.cursor !== cursor && page.events.length > 0;
  return answerOf(trigger, type, lost, { events: page.events, cursor: page.cursor, isGap, hasMore, pauseMs });
}

interface Answered extends NonNullable<PollAnswer['page']> {
  readonly events: readonly Json[];
}

/** The events come by themselves. */
type Told = Omit<Answered, 'events' | 'hasMore'>;

/** Which events are lost where some are: they are found again while the cursor waits. */
export const lostAfter = (cursor: string | null): string => `after ${cursor}`;

/** `lost`: which events are lost, where some are: one run is started for the same. */
export function answerOf(
  trigger: EventTrigger,
  type: EventType,
  lost: string,
  { events: sent, ...page }: Answered,
): PollAnswer {
  const events = sent.map((one) => (isObject(one) ? one : null));
  return {
    result: {},
    items: page.isGap && trigger.isRunOnGap ? [gap, ...events] : events,
    state: undefined,
    keyOf: (item) => (item === gap ? dedupeKey(`a gap ${lost}`) : occurrenceIn(item, type).eventId),
    scopeOf: (item) => ({ event: eventIn(item, trigger) }),
    page,
  };
}

/** As the server lists it now. */
export async function eventType({ servers }: PollCalls, deployed: DeployedEvent): Promise<EventType> {
  const { server, event } = deployed.trigger;
  const { events } = await servers.catalogue(server, undefined, personIn(deployed.deployedBy));
  if (events === undefined)
    throw new FailureError('server-rejected', `The server "${server}" offers no events, or BATON_EVENTS is off.`);
  const type = events.find(({ name }) => name === event);
  if (type === undefined)
    throw new FailureError('server-rejected', `The server "${server}" does not list the event any more.`);
  return type;
}

async function argumentsOf(
  { secrets }: PollCalls,
  { workflow, trigger: { server, params } }: DeployedEvent,
  { inputSchema }: EventType,
): Promise<JsonObject> {
  const use = { workflow: { id: workflow, isDeployed: true }, server };
  const revealed = params.secrets.length === 0 ? {} : await secrets.ofStep(params.secrets, use);
  return { ...defaultsOf(inputSchema), ...params.evaluate({ secrets: revealed }) };
}

/** Asks with the cursor, and where the server refuses it from now on. */
async function afterCursor<Answer extends { readonly isTruncated: boolean }>(
  cursor: string | null,
  ask: (cursor: string | null) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly isGap: boolean }> {
  try {
    const answer = await ask(cursor);
    // Where a server cannot replay, nothing could be lost.
    return { answer, isGap: answer.isTruncated && cursor !== null };
  } catch (error) {
    if (cursor === null || !isCursorRefused(error)) throw error;
    return { answer: await ask(null), isGap: true };
  }
}

interface Asking {
  readonly given: JsonObject;
  readonly cursor: string | null;
  readonly signal: AbortSignal;
}

/**
 * Subscribes, or subscribes anew before the subscription ends. Undefined: the server has to be asked otherwise, because it
 * posts no events, or has nowhere to post them.
 */
async function subscribedBy(
  calls: PollCalls,
  deployed: DeployedEvent,
  { name, delivery }: EventType,
  { given, cursor, signal }: Asking,
): Promise<Told | undefined> {
  const { hooks, servers, clock } = calls;
  const isOnlyPosted = !delivery.includes('poll') && !delivery.includes('push');
  if (!delivery.includes('webhook') || hooks === undefined || !(isOnlyPosted || hooks.isSecure)) return undefined;
  const { server } = deployed.trigger;
  const { url, secret } = hooks.of(deployed);
  const key = { name, arguments: given, url };
  try {
    const { answer, isGap } = await afterCursor(cursor, (after) =>
      withCall(calls, deployed, signal, (context) =>
        servers.events.subscribe(server, { ...key, secret, cursor: after, ttlMs: subscriptionMs }, context),
      ),
    );
    hooks.subscribed(deployed, (until) =>
      withCall(calls, deployed, until, (context) => servers.events.unsubscribe(server, key, context)),
    );
    const leftMs = (answer.refreshBefore ?? Infinity) - clock.now();
    const pauseMs = Math.max(refreshMsMin, Math.min(leftMs, subscriptionMs) / 2);
    return { cursor: answer.cursor, isGap, pauseMs };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    if (!isOnlyPosted && isRefused(error)) return undefined;
    throw new FailureError(error.code, error.message.replaceAll(secret, '•••'), { delivery: error.delivery });
  }
}

/** Opens a stream, and holds it. Undefined: the server has to be asked, because it streams no events. */
async function streamedBy(
  calls: PollCalls,
  deployed: DeployedEvent,
  { name, delivery }: EventType,
  { given, cursor, signal }: Asking,
): Promise<Told | undefined> {
  if (!delivery.includes('push')) return undefined;
  const { streams, servers } = calls;
  const { server, basis, everyMs } = deployed.trigger;
  const openAfter = (after: string | null) =>
    streams.open(pollNameOf(deployed), basis, (onNews) =>
      withCall(calls, deployed, signal, (context) =>
        servers.events.stream(server, { name, arguments: given, cursor: after }, context, onNews),
      ),
    );
  try {
    const { answer, isGap } = await afterCursor(cursor, openAfter);
    // What it says on the stream comes after this answer. When the stream is over, the next one waits for its time.
    return { cursor: answer.cursor, isGap, pauseMs: everyMs };
  } catch (error) {
    if (delivery.includes('poll') && error instanceof FailureError && isRefused(error)) return undefined;
    throw error;
  }
}

function untold({ delivery }: EventType): FailureError {
  const why = delivery.includes('webhook')
    ? 'posts this event, and has no address: set BATON_PUBLIC_URL'
    : 'offers this event in no way that Baton knows';
  return new FailureError('server-rejected', `The server ${why}.`);
}

const isRefused = ({ delivery }: FailureError): boolean => delivery === 'rejected' || delivery === 'answered';

/** By the draft a server answers `truncated`; some answer with an error. */
const isCursorRefused = (error: unknown): boolean =>
  error instanceof FailureError &&
  isRefused(error) &&
  (error.code === 'invalid-arguments' || /cursor/i.test(error.message.slice(0, 1_000)));

/** Throws `FailureError` where it does not fit the payload schema that the server lists. */
function occurrenceIn(raw: Json, type: EventType): Occurrence {
  const read = readOccurrence(raw, type.name);
  if ('problem' in read) throw new FailureError('invalid-result', `The event is malformed: ${read.problem}.`);
  const problem = unfitIn(read.data, type.payloadSchema);
  if (problem === undefined) return read;
  throw new FailureError('invalid-result', `The event does not fit its payload schema${problem}.`);
}

/** What runs read as `event`. */
function eventIn(item: Json, { isRunOnGap }: EventTrigger): JsonObject {
  if (item === gap) return { gap: true };
  const data = isObject(item) && isObject(item['data']) ? item['data'] : {};
  return isRunOnGap ? { ...data, gap: false } : data;
}
