/** Sends requests to one API over `fetch`, with a time limit and retries. A refusal becomes a `ProblemError`. */
import { backoffMs, chunksOf, defined } from '@baton/primitives';

import type { ProblemError } from '../problems.ts';
import { pause } from './pause.ts';
import { jsonIn, readProblem } from './readProblem.ts';
import { isUnsent, unreachable, UnreachableError } from './unreachable.ts';

export interface ConnectionOptions {
  /** Address of the API, with its path prefix if it has one. */
  readonly url: string | URL;
  /**
   * An API key or an access token, or what resolves to one for each request. Absent: a browser sends the cookie of its
   * session.
   */
  readonly key?: string | (() => Promise<string>) | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** How often a repeatable request is retried. Absent: 2. */
  readonly retries?: number;
  /** Time limit of one try. Absent: 30 s. */
  readonly timeoutMs?: number;
}

/** A list repeats the parameter for each item. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  /** Sent as JSON; use `text` and `contentType` for other bodies. */
  readonly body?: unknown;
  readonly text?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The request may be sent again although an earlier try may have arrived. */
  readonly isRepeatable?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const usualTimeoutMs = 30_000;
const pauses = { firstMs: 250, longestMs: 5_000, random: Math.random };
const answerBytesMax = 256 * 1024 * 1024;

export class Connection {
  readonly url: URL;
  readonly retries: number;
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.url = new URL(options.url);
    this.retries = options.retries ?? 2;
    this.#options = options;
  }

  /** Resolves to the JSON of the answer; null if the answer is empty. Rejects as `send` does. */
  async json(method: string, path: string, options: RequestOptions = {}): Promise<{ status: number; json: unknown }> {
    const answer = await this.send(method, path, options);
    if (answer.text === '') return { status: answer.status, json: null };
    const json = jsonIn(answer.text);
    if (json === undefined) throw this.#notBaton(answer.status, answer.headers);
    return { status: answer.status, json };
  }

  /** Resolves to an answer of any type. Rejects with `ProblemError`, `UnreachableError`, or the reason of the signal. */
  send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#again(method, options, async () => {
      const answer = await this.exchange(method, path, options);
      if (answer.status >= 200 && answer.status < 300) return answer;
      throw this.#refusal(`${method} ${path}`, answer);
    });
  }

  /** Tries once; resolves to refusals too. Rejects with `UnreachableError` or the reason of the signal. */
  async exchange(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const key = await this.#key();
    const timer = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs ?? usualTimeoutMs);
    const signal = options.signal === undefined ? timer : AbortSignal.any([timer, options.signal]);
    try {
      const response = await this.#fetch(method, path, options, { key, signal });
      return { status: response.status, headers: response.headers, text: await textOf(response) };
    } catch (error) {
      throw this.#lost(error, options);
    }
  }

  /** Opens a stream: resolves when the headers have arrived, before the body. Rejects as `send` does. */
  open(path: string, options: RequestOptions = {}): Promise<Response> {
    return this.#again('GET', options, () => this.#openOnce(path, options));
  }

  async #again<Result>(method: string, options: RequestOptions, ask: () => Promise<Result>): Promise<Result> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (tries >= this.retries || !mayRepeat(error, method, options)) throw error;
        await pause(pauseMsAfter(error, tries + 1), options.signal);
      }
    }
  }

  async #openOnce(path: string, options: RequestOptions): Promise<Response> {
    const key = await this.#key();
    const slow = new AbortController();
    const late = (): void => slow.abort(new DOMException('no answer', 'TimeoutError'));
    const timer = setTimeout(late, this.#options.timeoutMs ?? usualTimeoutMs);
    try {
      const signal = options.signal === undefined ? slow.signal : AbortSignal.any([slow.signal, options.signal]);
      const response = await this.#fetch('GET', path, options, { key, signal });
      if (response.ok) return response;
      const { status, headers } = response;
      throw this.#refusal(`GET ${path}`, { status, headers, text: await textOf(response) });
    } catch (error) {
      throw this.#lost(error, options);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Outside of a try: what it rejects with is no lost answer. */
  async #key(): Promise<string | undefined> {
    const { key } = this.#options;
    return typeof key === 'function' ? key() : key;
  }

  #fetch(
    method: string,
    path: string,
    options: RequestOptions,
    { key, signal }: { readonly key: string | undefined; readonly signal: AbortSignal },
  ): Promise<Response> {
    const body = options.body === undefined ? options.text : JSON.stringify(options.body);
    const { fetch: send = fetch } = this.#options;
    const headers = {
      accept: 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
      ...options.headers,
    };
    // A redirect would turn a POST into a GET, and might take the key along.
    const init = { method, headers, signal, redirect: 'manual', ...defined({ body }) } as const;
    return send(this.#urlOf(path, options.query), init);
  }

  #urlOf(path: string, query: Query = {}): URL {
    const base = this.url.href.endsWith('/') ? this.url.href : `${this.url.href}/`;
    const url = new URL(path.replace(/^\//, ''), base);
    for (const [name, value] of Object.entries(query)) {
      for (const one of value === undefined ? [] : [value].flat()) url.searchParams.append(name, String(one));
    }
    return url;
  }

  #lost(error: unknown, { signal }: RequestOptions): unknown {
    if (error instanceof UnreachableError || isProblem(error)) return error;
    return signal?.aborted === true ? signal.reason : unreachable(this.url.href, error);
  }

  #refusal(request: string, { status, headers, text }: Answer): Error {
    return readProblem(request, status, headers, text) ?? this.#notBaton(status, headers);
  }

  #notBaton(status: number, headers: Headers): UnreachableError {
    const location = headers.get('location');
    const type = headers.get('content-type')?.split(';')[0];
    const what = location === null ? `with ${type ?? 'nothing'}` : `by pointing to ${location.slice(0, 200)}`;
    const { href } = this.url;
    if ([502, 503, 504].includes(status))
      return new UnreachableError(href, `A proxy before ${href} answered ${status}: Baton did not.`, { why: 'away' });
    return new UnreachableError(href, `${href} is not Baton: it answered ${status} ${what}.`, { why: 'not-baton' });
  }
}

const isProblem = (error: unknown): error is ProblemError => error instanceof Error && error.name === 'ProblemError';

/** A refusal before any action may be retried; other errors only if a repetition does no harm. */
function mayRepeat(
  error: unknown,
  method: string,
  { signal, isRepeatable = method !== 'POST' }: RequestOptions,
): boolean {
  if (signal?.aborted === true) return false;
  if (error instanceof UnreachableError) return error.why === 'away' && (isRepeatable || isUnsent(error));
  if (!isProblem(error)) return false;
  if (error.code === 'rate-limited' || error.code === 'overloaded') return true;
  return isRepeatable && (error.code === 'dependency-down' || error.code === 'in-progress');
}

function pauseMsAfter(error: unknown, failures: number): number {
  const askedMs = isProblem(error) ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(askedMs, backoffMs(failures, pauses));
}

async function textOf(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(response.body)) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new Error(`the answer is larger than ${answerBytesMax} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
