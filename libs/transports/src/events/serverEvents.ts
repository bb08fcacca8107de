/** The requests of MCP Events (SEP-3415, draft) over the sessions of servers. */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { type EventPage, readEventPage } from '@baton/protocol';
import type { CallContext } from '@baton/runner';

export interface EventQuestion {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Null: from now on. */
  readonly cursor: string | null;
  readonly maxEvents: number;
}

export interface ServerEvents {
  /** Rejects with `FailureError`. */
  poll(server: string, question: EventQuestion, context: CallContext): Promise<EventPage>;
}

interface AskedServer {
  /** Rejects with `FailureError`. */
  request(
    method: string,
    params: JsonObject,
    meta: JsonObject,
    context: CallContext,
  ): Promise<{ readonly result: unknown }>;
}

interface EventParts {
  readonly serverNamed: (name: string) => AskedServer;
  /** Throws `FailureError` where the server does not exist for the workflow. */
  readonly check: (server: string, context: CallContext) => void;
}

export const serverEvents = ({ serverNamed, check }: EventParts): ServerEvents => ({
  async poll(server, question, context) {
    check(server, context);
    const { result } = await serverNamed(server).request('events/poll', { ...question }, {}, context);
    const page = readEventPage(result);
    if (!('problem' in page)) return page;
    const message = `The server "${server}" answered events/poll with something else: ${page.problem}.`;
    throw new FailureError('invalid-result', message, { delivery: 'answered' });
  },
});
