/** The requests of MCP Events (SEP-3415, draft) over the sessions of servers. */
import type { JsonObject } from '@baton/primitives';
import {
  type EventPage,
  type EventSubscription,
  type StreamNews,
  readEventPage,
  readSubscription,
} from '@baton/protocol';
import type { CallContext } from '@baton/runner';

import { asAnswered } from '../failure/asAnswered.ts';
import type { ServerNamed } from './calls.ts';
import { type AskForStream, type EventStream, openEventStream } from './eventStream.ts';

interface EventQuestion {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Null: from now on. */
  readonly cursor: string | null;
  readonly maxEvents: number;
}

/** Which subscription. */
interface EventKey extends Pick<EventQuestion, 'name' | 'arguments'> {
  readonly url: string;
}

type StreamQuestion = Omit<EventQuestion, 'maxEvents'>;

interface EventSubscribing extends EventKey, Pick<EventQuestion, 'cursor'> {
  readonly secret: string;
  readonly ttlMs: number;
}

export interface ServerEvents {
  /** The server posts events to the address. Rejects with `FailureError`. */
  subscribe(server: string, subscribing: EventSubscribing, context: CallContext): Promise<EventSubscription>;
  /** Rejects with `FailureError`. */
  unsubscribe(server: string, key: EventKey, context: CallContext): Promise<void>;
  /** The context is for the opening: after that the stream stays. Rejects with `FailureError`. */
  stream(
    server: string,
    question: StreamQuestion,
    context: CallContext,
    onNews: (news: StreamNews) => void,
  ): Promise<EventStream>;
  /** Rejects with `FailureError`. */
  poll(server: string, question: EventQuestion, context: CallContext): Promise<EventPage>;
}

interface EventParts {
  readonly serverNamed: ServerNamed;
  /** Throws `FailureError` where the server does not exist for the workflow. */
  readonly check: (server: string, context: CallContext) => void;
}

export const serverEvents = ({ serverNamed, check }: EventParts): ServerEvents => ({
  async poll(server, question, context) {
    check(server, context);
    const { result } = await serverNamed(server, context.person).request('events/poll', { ...question }, {}, context);
    return asAnswered(server, 'events/poll', readEventPage(result));
  },
  async stream(server, question, context, onNews) {
    check(server, context);
    const ask: AskForStream = (how) =>
      serverNamed(server, context.person).stream({ method: 'events/stream', params: { ...question }, ...how }, context);
    return openEventStream(ask, context.signal, onNews);
  },
  async subscribe(server, { name, arguments: given, url, secret, cursor, ttlMs }, context) {
    check(server, context);
    const params = { name, arguments: given, delivery: { mode: 'webhook', url, secret }, cursor, ttlMs };
    const { result } = await serverNamed(server, context.person).request('events/subscribe', params, {}, context);
    return asAnswered(server, 'events/subscribe', readSubscription(result));
  },
  async unsubscribe(server, { name, arguments: given, url }, context) {
    check(server, context);
    await serverNamed(server, context.person).request(
      'events/unsubscribe',
      { name, arguments: given, delivery: { url } },
      {},
      context,
    );
  },
});
