/** One connection to one API, over fetch. Every request ends in time; a refusal is a `ProblemError`. */
import type { Json, JsonObject } from '@baton/language';

import { ProblemError, UnreachableError } from './problem.ts';
import { unreachable } from './unreachable.ts';

export interface ClientOptions {
  readonly url: URL;
  readonly apiKey?: string | undefined;
}

/** A list: the parameter once for each. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  /** JSON; or text with the type that `contentType` says. */
  readonly body?: Json;
  readonly text?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const timeoutMs = 30_000;
/** More than the largest answer that a person could read. */
const answerBytesMax = 256 * 1024 * 1024;

export class Client {
  readonly url: URL;
  readonly #apiKey: string | undefined;

  constructor({ url, apiKey }: ClientOptions) {
    this.url = url;
    this.#apiKey = apiKey;
  }

  /** The JSON that answers. Rejects with `ProblemError`, `UnreachableError`, or the reason of the signal. */
  async call(method: string, path: string, options: RequestOptions = {}): Promise<{ status: number; json: Json }> {
    const answer = await this.send(method, path, options);
    if (answer.text === '') return { status: answer.status, json: null };
    const json = jsonOf(answer);
    if (json === undefined) throw this.#noBaton(answer);
    return { status: answer.status, json };
  }

  async get(path: string, query?: Query): Promise<Json> {
    return (await this.call('GET', path, query === undefined ? {} : { query })).json;
  }

  /** The whole answer, whatever its type. Rejects as `call` does. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const answer = await this.exchange(method, path, options);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw this.#refusal(`${method} ${path}`, answer);
  }

  /** The whole answer, a refusal too. Rejects with `UnreachableError` or the reason of the signal. */
  async exchange(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const timer = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
    const signal = options.signal === undefined ? timer : AbortSignal.any([timer, options.signal]);
    try {
      const response = await this.#fetch(method, path, options, signal);
      return { status: response.status, headers: response.headers, text: await textOf(response) };
    } catch (error) {
      throw this.#lost(error, options);
    }
  }

  /** An answer that goes on: its head is here, its body is still to come. Rejects as `call` does. */
  async open(path: string, options: RequestOptions = {}): Promise<Response> {
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(new DOMException('no answer', 'TimeoutError')), timeoutMs);
    try {
      const signal = options.signal === undefined ? slow.signal : AbortSignal.any([slow.signal, options.signal]);
      const response = await this.#fetch('GET', path, options, signal);
      if (response.ok) return response;
      const { status, headers } = response;
      throw this.#refusal(`GET ${path}`, { status, headers, text: await textOf(response) });
    } catch (error) {
      throw this.#lost(error, options);
    } finally {
      clearTimeout(timer);
    }
  }

  #fetch(method: string, path: string, options: RequestOptions, signal: AbortSignal): Promise<Response> {
    const body = options.body === undefined ? options.text : JSON.stringify(options.body);
    const headers = {
      accept: 'application/json',
      ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
      ...(body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
      ...options.headers,
    };
    const url = this.#urlOf(path, options.query);
    // A redirect would turn a POST into a GET, and might take the key along.
    return fetch(url, { method, headers, signal, redirect: 'manual', ...(body === undefined ? {} : { body }) });
  }

  #urlOf(path: string, query: Query = {}): URL {
    const base = this.url.href.endsWith('/') ? this.url.href : `${this.url.href}/`;
    const url = new URL(path.replace(/^\//, ''), base);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      for (const one of Array.isArray(value) ? (value as readonly string[]) : [value])
        url.searchParams.append(name, String(one));
    }
    return url;
  }

  #lost(error: unknown, { signal }: RequestOptions): unknown {
    if (error instanceof ProblemError || error instanceof UnreachableError) return error;
    return signal?.aborted === true ? signal.reason : unreachable(this.url, error);
  }

  #refusal(request: string, answer: Answer): Error {
    const json = jsonOf(answer);
    const isBaton = json !== null && typeof json === 'object' && !Array.isArray(json);
    if (!isBaton) return this.#noBaton(answer);
    const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return new ProblemError(
      request,
      answer.status,
      json as JsonObject,
      retryAfter >= 0 ? retryAfter * 1_000 : undefined,
    );
  }

  #noBaton({ status, headers }: Answer): UnreachableError {
    const location = headers.get('location');
    const type = headers.get('content-type')?.split(';')[0];
    const what = location === null ? `with ${type ?? 'nothing'}` : `by pointing to ${location.slice(0, 200)}`;
    return new UnreachableError(this.url.href, `${this.url.href} is not Baton: it answered ${status} ${what}.`, {
      hint: 'name the address of the Baton API with --url or BATON_URL',
    });
  }
}

function jsonOf({ text }: Answer): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new Error(`the answer is larger than ${answerBytesMax} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
