/**
 * The streams of events that this process holds (SEP-3415, `events/stream`), one for each trigger. What comes on a stream
 * is written in its order; where that is not possible the stream is left, and the next question opens it again at the
 * cursor that was written last.
 */
import { limits } from '@baton/expressions';
import { type Json, unawaited } from '@baton/primitives';
import type { StreamNews } from '@baton/protocol';
import type { EventStream } from '@baton/transports';

/** What has come since the last time. */
interface StreamedEvents {
  readonly events: readonly Json[];
  /** Null: the server gave none. */
  readonly cursor: string | null;
  readonly isGap: boolean;
}

interface EventStreamsOptions {
  /** False: it is not written, and the stream is left. Rejects where the database or the server is away. */
  readonly take: (name: string, streamed: StreamedEvents) => Promise<boolean>;
  /** The server has ended the stream, and said why. */
  readonly onFarewell: (name: string, reason: string) => Promise<void>;
  readonly onTrouble: (name: string, error: unknown) => void;
  /** A stream is over, however it ended. */
  readonly onOver: () => void;
}

/** Of what waits to be written; with more the stream is left. */
const waitingMax = 10_000;
const waitingCharacters = 32 * 1024 * 1024;

interface Held {
  /** What the trigger listens for. */
  readonly basis: string;
  readonly stream: EventStream;
  waiting: StreamNews[];
  characters: number;
  /** That is written, as far as this process knows. */
  cursor: string | null;
  /** The answer of the question is written. */
  isReady: boolean;
  isWriting: boolean;
  /** The server sends no more. */
  over: { readonly reason: string | undefined } | undefined;
}

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #held = new Map<string, Held>();
  readonly #writing = new Set<Promise<void>>();

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  isOpen(name: string, basis: string): boolean {
    return this.#held.get(name)?.basis === basis;
  }

  /** In place of the one before. What comes on it waits for `flow`. Rejects as `connect` does. */
  async open(
    name: string,
    basis: string,
    connect: (onNews: (news: StreamNews) => void) => Promise<EventStream>,
  ): Promise<EventStream> {
    this.leave(name);
    let hear = (news: StreamNews): unknown => early.push(news);
    const early: StreamNews[] = [];
    const stream = await connect((news) => hear(news));
    // Another question was faster.
    this.leave(name);
    const held: Held = {
      basis,
      stream,
      waiting: [],
      characters: 0,
      cursor: stream.cursor,
      isReady: false,
      isWriting: false,
      over: undefined,
    };
    this.#held.set(name, held);
    hear = (news) => this.#hear(name, held, news);
    for (const news of early) hear(news);
    const end = async (): Promise<void> => {
      held.over = { reason: await stream.ended };
      this.#write(name, held);
    };
    unawaited(end());
    return stream;
  }

  /** The answer of the question is written, so that what comes after it can be. */
  flow(name: string): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    held.isReady = true;
    this.#write(name, held);
  }

  leave(name: string): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    this.#held.delete(name);
    held.stream.close();
    this.#options.onOver();
  }

  leaveAll(): void {
    for (const name of this.#held.keys()) this.leave(name);
  }

  /** Resolves when nothing is being written. */
  async close(): Promise<void> {
    this.leaveAll();
    await Promise.all(this.#writing);
  }

  #hear(name: string, held: Held, news: StreamNews): void {
    if (this.#held.get(name) !== held) return;
    held.waiting.push(news);
    held.characters += news.kind === 'event' ? JSON.stringify(news.event).length : 0;
    if (held.waiting.length > waitingMax || held.characters > waitingCharacters) this.leave(name);
    else this.#write(name, held);
  }

  #write(name: string, held: Held): void {
    if (!held.isReady || held.isWriting || this.#held.get(name) !== held) return;
    held.isWriting = true;
    const work = this.#writeAll(name, held)
      .catch((error: unknown) => {
        this.#options.onTrouble(name, error);
        this.#leaveThis(name, held);
      })
      .finally(() => {
        held.isWriting = false;
        this.#writing.delete(work);
        // The end came while the last was written.
        if (held.over !== undefined) this.#write(name, held);
      });
    this.#writing.add(work);
  }

  async #writeAll(name: string, held: Held): Promise<void> {
    const { take, onFarewell } = this.#options;
    while (this.#held.get(name) === held) {
      const batch = held.waiting.splice(0, limits.poll.runs);
      if (batch.length === 0) break;
      if (held.waiting.length === 0) held.characters = 0;
      const streamed = streamedIn(batch);
      const { events, cursor, isGap } = streamed;
      if (events.length === 0 && !isGap && (cursor === null || cursor === held.cursor)) continue;
      if (!(await take(name, streamed))) return this.#leaveThis(name, held);
      held.cursor = cursor ?? held.cursor;
    }
    if (held.over === undefined || this.#held.get(name) !== held) return;
    if (held.over.reason !== undefined) await onFarewell(name, held.over.reason);
    this.#leaveThis(name, held);
  }

  #leaveThis(name: string, held: Held): void {
    if (this.#held.get(name) === held) this.leave(name);
  }
}

function streamedIn(batch: readonly StreamNews[]): StreamedEvents {
  const cursors = batch.flatMap((news) => ('cursor' in news && news.cursor !== null ? [news.cursor] : []));
  return {
    events: batch.flatMap((news) => (news.kind === 'event' ? [news.event] : [])),
    cursor: cursors.at(-1) ?? null,
    isGap: batch.some((news) => news.kind === 'active' && news.isTruncated),
  };
}
