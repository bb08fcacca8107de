/** The streams of a server with events: `events/stream` of the draft (SEP-3415), over Streamable HTTP. */
import type { ServerResponse } from 'node:http';

/** One event, as a frame of a stream. */
export interface StreamFrame {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Told {
  readonly log: readonly { readonly eventId: string; readonly data: unknown }[];
  readonly lost: number;
  readonly onStream: ((frame: StreamFrame) => readonly object[]) | undefined;
}

interface OpenStream {
  readonly id: number;
  readonly response: ServerResponse;
  /** How much of the log was sent. */
  at: number;
}

export class EventStreamsOpen {
  readonly #told: () => Told;
  readonly #open = new Set<OpenStream>();
  /** The cursors with which streams were asked for. */
  readonly asked: (string | null)[] = [];

  constructor(told: () => Told) {
    this.#told = told;
  }

  get size(): number {
    return this.#open.size;
  }

  open(response: ServerResponse, { id, cursor }: { readonly id: number; readonly cursor: string | null }): void {
    const { log, lost } = this.#told();
    this.asked.push(cursor);
    const from = cursor === null ? log.length : Number(cursor);
    const stream: OpenStream = { id, response, at: Math.max(from, lost) };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.on('close', () => this.#open.delete(stream));
    this.#open.add(stream);
    this.#send(stream, 'active', { cursor: `${stream.at}`, truncated: from < lost });
    this.tell();
  }

  /** Sends each stream what it has not got of the log. */
  tell(): void {
    const { log, onStream } = this.#told();
    for (const stream of this.#open)
      for (; stream.at < log.length; stream.at += 1) {
        const sent = log[stream.at] ?? {};
        const event = { ...sent, name: 'issue.opened', timestamp: '2026-11-27T12:00:00Z' };
        const frame = { method: 'event', params: { ...event, cursor: `${stream.at + 1}` } };
        for (const one of onStream?.(frame) ?? [frame.params]) this.#send(stream, frame.method, one);
      }
  }

  /** Says something else on each stream: `notifications/events/METHOD`. */
  say(method: string, params: object): void {
    for (const stream of this.#open) this.#send(stream, method, params);
  }

  /** Ends each connection in the middle. */
  break(): void {
    for (const { response } of this.#open) response.destroy();
  }

  #send({ id, response }: OpenStream, method: string, params: object): void {
    const more = { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': id } };
    const message = { jsonrpc: '2.0', method: `notifications/events/${method}`, params: more };
    response.write(`data: ${JSON.stringify(message)}\n\n`);
  }
}
