/**
 * MCP over Streamable HTTP: a message is a POST, and its answer is a body or a stream of events (MCP 2025-03-26 and
 * later, transports).
 *
 * Until 2025-11-25 there may be a session, which each request names; a stream of the answer that broke is taken up again
 * at its last event; and a GET opens a stream for what the server sends by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { backoffMs, endsWithin, unawaited } from '@baton/primitives';

import { Intake } from '../link/intake.ts';
import type { Link } from '../link/link.ts';
import type { Call, Message } from '../link/messages.ts';
import { NoStreamError } from './httpFailure.ts';
import { MessagePoster, type Tokens } from './messagePoster.ts';
import type { PostDeliveries } from './postDeliveries.ts';
import type { PostDelivery } from './postDelivery.ts';
import { readAnswer, unanswered } from './readAnswer.ts';
import { isEventStream, type EventListener } from './readEvents.ts';
import { ReopeningPauses } from './reopening.ts';
import type { Fetcher } from './serverHttpClient.ts';
import { ServerStream } from './serverStream.ts';

/**
 * How long the stream of an answer may stay open when the answer has come, and how long ending the session may take.
 */
const lingerMs = 5_000;
const goodbyeMs = 1_000;
/** How often the stream of an answer is taken up again without success. */
const resumptionsMax = 3;
const usualPauses = { firstMs: 1_000, longestMs: 30_000 };

export interface HttpLinkOptions {
  /** The server's name and address, for messages. */
  readonly peer: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly grant?: Tokens | undefined;
}

export class HttpLink implements Link {
  onmessage: Link['onmessage'];
  onlost: Link['onlost'];
  onnoise: Link['onnoise'];
  onsuspect: Link['onsuspect'];
  onclose: Link['onclose'];
  readonly account: PostDeliveries;
  readonly #url: URL;
  readonly #poster: MessagePoster;
  readonly #intake = new Intake(this, (id) => this.#answered(id));
  /** Requests that are answered and still hold a connection. */
  readonly #lingering = new Set<PostDelivery>();
  #closing: Promise<void> | undefined;

  constructor(options: HttpLinkOptions, fetcher: Fetcher) {
    this.#url = options.url;
    this.#poster = new MessagePoster(fetcher, options);
    this.account = this.#poster.deliveries;
  }

  get hasSession(): boolean {
    return this.#poster.sessionId !== undefined;
  }

  get protocolVersion(): string | undefined {
    return this.#poster.protocolVersion;
  }

  set protocolVersion(version: string | undefined) {
    this.#poster.protocolVersion = version;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: Message): Promise<void> {
    return this.#poster.tell(this.#url, message);
  }

  post(id: number, request: Call, headers?: Readonly<Record<string, string>>): boolean {
    if (this.#closing !== undefined) return false;
    this.#endLingering();
    const delivery = this.account.open(id);
    this.#ask(id, request, delivery, headers).catch((error: unknown) => {
      if (this.account.settle(id) !== undefined)
        this.onlost?.(id, this.#poster.failure(error, delivery, this.hasSession));
    });
    return true;
  }

  listen(): void {
    const stream = new ServerStream({
      open: (lastEventId) => this.#poster.get(this.#url, lastEventIdHeader(lastEventId)),
      take: (text) => this.#intake.take(text),
      onSuspect: () => this.onsuspect?.(),
      signal: this.#poster.signal,
    });
    unawaited(stream.follow());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.hasSession) {
      await endsWithin(this.#poster.endSession(this.#url, AbortSignal.timeout(goodbyeMs)), goodbyeMs);
    }
    this.#poster.close();
    this.onclose?.();
  }

  /** Resolves when the request is answered. Rejects if no answer comes. */
  async #ask(id: number, request: Call, delivery: PostDelivery, headers?: Readonly<Record<string, string>>) {
    const answer = await this.#poster.post(this.#url, { id, ...request }, delivery, headers);
    if (request.method === 'initialize' && answer.ok)
      this.#poster.sessionId = answer.headers.get('mcp-session-id') ?? undefined;
    const position = new StreamPosition();
    const reading = readAnswer(answer, { intake: this.#intake, id, events: position });
    const isAnswered = await (isEventStream(answer)
      ? reading.catch((error: unknown) => broken(error, position))
      : reading);
    if (isAnswered || (await this.#isResumed(id, delivery, position))) return;
    throw delivery.error ?? unanswered(answer);
  }

  /** Takes the stream of an answer up again, after its last event: true when the answer has come. */
  async #isResumed(id: number, { abort: { signal } }: PostDelivery, position: StreamPosition): Promise<boolean> {
    for (let failures = 0; position.id !== undefined && failures < resumptionsMax;) {
      await sleep(position.pauseMs(failures), undefined, { signal, ref: false });
      // The answer came on another stream.
      if (this.account.of(id) === undefined) return true;
      try {
        const answer = await this.#poster.get(this.#url, lastEventIdHeader(position.id), signal);
        if (!answer.ok || !isEventStream(answer)) throw new NoStreamError(answer.status, await answer.text());
        failures = 0;
        if (await readAnswer(answer, { intake: this.#intake, id, events: position })) return true;
      } catch (error) {
        if (signal.aborted) throw error;
        failures += 1;
      }
    }
    return false;
  }

  #answered(id: number): void {
    const delivery = this.account.settle(id);
    if (delivery === undefined) return;
    delivery.answeredAt = performance.now();
    if (delivery.isOpen) this.#lingering.add(delivery);
  }

  /** Ends streams that a server keeps open after their answer, oldest first. */
  #endLingering(): void {
    const since = performance.now() - lingerMs;
    for (const delivery of this.#lingering) {
      if (delivery.isOpen && delivery.answeredAt > since) return;
      this.#lingering.delete(delivery);
      if (delivery.isOpen) delivery.abort.abort();
    }
  }
}

/** How far the stream of an answer was read, and when it may be taken up again. */
class StreamPosition implements EventListener {
  /** Of the last event that has one; undefined: the stream cannot be taken up again. */
  id: string | undefined;
  readonly #pauses = new ReopeningPauses();
  #retryMs: number | undefined;

  readonly onEvent: EventListener['onEvent'] = ({ id, data }) => {
    this.id = id ?? this.id;
    if (data !== '') this.#pauses.heard();
  };

  readonly onRetry = (ms: number): void => {
    this.#retryMs = ms;
  };

  pauseMs(failures: number): number {
    return this.#pauses.next(this.#retryMs ?? backoffMs(failures + 1, usualPauses));
  }
}

/** A stream that broke may be taken up again, if its events have ids. */
function broken(error: unknown, { id }: StreamPosition): false {
  if (id === undefined) throw error;
  return false;
}

const lastEventIdHeader = (id: string | undefined): Readonly<Record<string, string>> =>
  id === undefined ? {} : { 'last-event-id': id };
