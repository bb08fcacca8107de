/** For tests: a reader of server-sent events, as browsers read them. */
import { readSse } from '@baton/primitives';

interface ReadEvent {
  readonly id: number;
  /** The id as it came. */
  readonly position: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Stream {
  readonly status: number;
  /** The next event; undefined at the end of the stream. Rejects where the connection broke. */
  next(): Promise<ReadEvent | undefined>;
  /** All that is left. */
  rest(): Promise<ReadEvent[]>;
  /** Leaves. */
  leave(): void;
}

export async function openStream(
  url: string,
  { key, headers = {} }: { readonly key?: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<Stream> {
  const gone = new AbortController();
  const answer = await fetch(url, {
    headers: { ...(key && { authorization: `Bearer ${key}` }), accept: 'text/event-stream', ...headers },
    signal: gone.signal,
  });
  const events = eventsIn(answer);
  const next = async (): Promise<ReadEvent | undefined> => (await events.next()).value;
  return {
    status: answer.status,
    next,
    rest: () => Array.fromAsync({ [Symbol.asyncIterator]: () => events }),
    leave: () => gone.abort(),
  };
}

async function* eventsIn(answer: Response): AsyncGenerator<ReadEvent, undefined> {
  for await (const { id = '', data } of readSse(answer.body ?? new ReadableStream())) {
    yield { id: Number(id), position: id, data: JSON.parse(data) as ReadEvent['data'] };
  }
  return undefined;
}
