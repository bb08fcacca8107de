/**
 * Calls of the built-in server `http`: one HTTP request each, to a host that `mcp.json` lists.
 *
 * A status that only says no is a failure of the tool. Where it is not certain whether the request was carried out (no
 * answer, 5xx, 408), the outcome is unknown, as for every server over HTTP (`httpFailure.ts`).
 */
import { TextDecoder } from 'node:util';

import { FailureError } from '@baton/engine';
import { parseExactly } from '@baton/primitives';
import { isListedHost } from '@baton/protocol';

import { wordsOfBody } from '../failure/serverWords.ts';
import { literalProblem } from '../http/addresses.ts';
import type { HttpAnswer } from '../http/answer.ts';
import { httpFailure, StatusError } from '../http/httpFailure.ts';
import { TooLargeError } from '../http/httpRequest.ts';
import type { PostDelivery } from '../http/postDelivery.ts';
import type { Fetcher, HttpClients } from '../http/serverHttpClient.ts';
import type { Answer } from '../link/messages.ts';
import { type BuiltinTools, RefusedCall, refusal, wordsOf } from './builtinTools.ts';
import { type HttpAnswerValue, type HttpArguments, httpToolOf, listedHttpTools } from './httpTools.ts';

interface HttpCallsOptions {
  /** The server's name in `mcp.json`. */
  readonly server: string;
  readonly hosts: readonly string[];
  readonly clients: Pick<HttpClients, 'named' | 'listed'>;
}

interface PlannedRequest {
  readonly method: string;
  readonly url: URL;
  /** The entry of `hosts` that lists it: messages show this, since an address may hold a secret in any spelling. */
  readonly host: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** The largest body of an answer. */
const bodyBytes = 16 * 1024 * 1024;
const redirectsMax = 5;
/** Redirects after which the request is sent as it was (RFC 9110, 15.4.8 and 15.4.9). */
const keepsMethod: ReadonlySet<number> = new Set([307, 308]);
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** The request was carried out, and what it led to is at another address (RFC 9110, 15.4.4). */
const seeOther = 303;
/** They belong to the connection. */
const ownHeaders: ReadonlySet<string> = new Set(
  'host content-length transfer-encoding connection keep-alive proxy-connection upgrade te trailer expect'.split(' '),
);
/** What another origin learns of a request that is led to it. */
const sharedHeaders: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent']);

export class HttpCalls implements BuiltinTools {
  readonly tools = listedHttpTools;
  readonly #options: HttpCallsOptions;

  constructor(options: HttpCallsOptions) {
    this.#options = options;
  }

  /** Rejects with `FailureError` where no answer came, or one that leaves open whether the request was carried out. */
  async call(name: string, written: unknown, delivery: PostDelivery): Promise<Answer> {
    const tool = httpToolOf(name);
    if (tool === undefined) return refusal(`There is no tool "${name}".`);
    const parsed = tool.takes.safeParse(written);
    if (!parsed.success) return refusal(wordsOf(parsed.error));
    try {
      const request = this.#planned(tool.method, parsed.data);
      const answer = await this.#follow(request, parsed.data.expect, delivery);
      return await answered(answer, request, parsed.data.expect);
    } catch (error) {
      if (error instanceof RefusedCall) return refusal(error.message);
      throw this.#failure(error, delivery);
    }
  }

  /** The words of the system about an address name it, in small letters; of an address that was not reached only the code. */
  #failure(error: unknown, { isSent, retryAfterMs }: PostDelivery): FailureError {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    const shown = isSent || error instanceof FailureError ? error : new Error(code ?? 'it could not be connected to');
    return httpFailure(shown, { peer: `"${this.#options.server}"`, isSent, hasSession: false, retryAfterMs });
  }

  #planned(
    method: string,
    { url: text, query = {}, headers = {}, json, body, idempotencyKey }: HttpArguments,
  ): PlannedRequest {
    const { url, host } = this.#listed(text);
    for (const [name, value] of Object.entries(query))
      for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
    if (json !== undefined && body !== undefined) throw new RefusedCall('Of "json" and "body" only one can be sent.');
    const all = headersOf(headers, idempotencyKey);
    if (json !== undefined && !all.has('content-type')) all.set('content-type', 'application/json');
    return { method, url, host, headers: all, body: json === undefined ? body : JSON.stringify(json) };
  }

  /** Throws `RefusedCall` for an address that may not be called. */
  #listed(text: string, base?: URL): Pick<PlannedRequest, 'url' | 'host'> {
    const { server, hosts } = this.#options;
    const url = URL.parse(text, base?.href);
    if (url === null) throw new RefusedCall('"url" is no absolute address, such as https://api.example.com/v1.');
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new RefusedCall('"url" begins with neither http: nor https:.');
    if (url.username !== '' || url.password !== '')
      throw new RefusedCall('"url" must not hold credentials; a header "authorization" can.');
    const host = hosts.find((pattern) => isListedHost(url, pattern));
    if (host !== undefined) return { url, host };
    const listed = hosts.map((pattern) => `"${pattern}"`).join(', ');
    throw new RefusedCall(
      `"${server}" may not call the host of "url". In mcp.json its "baton": { "hosts": [${listed}] } lists what it may.`,
    );
  }

  async #follow(
    request: PlannedRequest,
    expect: readonly number[] | undefined,
    delivery: PostDelivery,
  ): Promise<HttpAnswer> {
    let at = request;
    for (let followed = 0; ; followed++) {
      const { method, url, headers, body } = at;
      const { signal } = delivery.abort;
      const init = { method, headers, signal, ...(body === undefined ? {} : { body }) };
      const answer = await this.#clientFor(url).fetch(url, init, delivery);
      const { status } = answer;
      const location =
        redirects.has(status) && expect?.includes(status) !== true ? answer.headers.get('location') : null;
      if (location === null) return answer;
      await answer.text();
      if (followed >= redirectsMax) throw new StatusError(status, 'more than five redirects');
      if (isRead(at) || keepsMethod.has(status)) at = this.#redirected(at, location, status);
      else if (status !== seeOther) throw leftOpen(method, status);
      else return this.#result(at, location, status, delivery);
    }
  }

  /**
   * What a write that was carried out leads to, which is read. Rejects with `FailureError`: no failure of that reading
   * may say that the write was not made.
   */
  async #result(from: PlannedRequest, location: string, status: number, delivery: PostDelivery): Promise<HttpAnswer> {
    try {
      const reading = { ...this.#redirected(from, location, status), method: 'GET', body: undefined };
      const answer = await this.#follow(reading, undefined, delivery);
      if (answer.ok) return answer;
      throw new StatusError(answer.status, await answer.text());
    } catch (error) {
      const { message } = error instanceof StatusError ? error : this.#failure(error, delivery);
      throw new FailureError(
        'invalid-result',
        `The ${from.method} was answered ${status}: it was carried out. What it leads to could not be read: ${message}`,
        { delivery: 'answered', cause: error, details: { status } },
      );
    }
  }

  /** Throws `StatusError` for a redirect that is not followed. */
  #redirected(from: PlannedRequest, location: string, status: number): PlannedRequest {
    let to: Pick<PlannedRequest, 'url' | 'host'>;
    try {
      to = this.#listed(location, from.url);
    } catch (error) {
      throw new StatusError(status, `a redirect that is not followed: ${(error as Error).message}`);
    }
    const isSame = to.url.origin === from.url.origin;
    if (keepsMethod.has(status) && !isRead(from) && !isSame)
      throw new StatusError(status, 'a redirect to another origin, which is not sent what this one was sent');
    const headers = isSame ? from.headers : new Headers([...from.headers].filter(([name]) => sharedHeaders.has(name)));
    return { ...from, ...to, headers };
  }

  /** A host that is listed as an address of this machine may lead to it; a name may not. */
  #clientFor({ hostname }: URL): Fetcher {
    const { named, listed } = this.#options.clients;
    return literalProblem(hostname, (address) => address) === undefined ? listed : named;
  }
}

const isRead = ({ method }: PlannedRequest): boolean => method === 'GET' || method === 'HEAD';

/** After a form, 302 says that it was taken; after an address without its last slash, that nothing was done. */
const leftOpen = (method: string, status: number): FailureError =>
  new FailureError(
    'invalid-result',
    `The ${method} was answered ${status}, a redirect that leaves open whether it was carried out, and is not followed. "expect": [${status}] takes it as the answer.`,
    { delivery: 'unknown', details: { status } },
  );

function headersOf(written: Readonly<Record<string, string>>, idempotencyKey: string | undefined): Headers {
  const own = Object.keys(written).find((name) => ownHeaders.has(name.toLowerCase()));
  if (own !== undefined) throw new RefusedCall(`The header "${own}" is set by Baton.`);
  let headers: Headers;
  try {
    headers = new Headers(written);
  } catch (error) {
    throw new RefusedCall(`A header cannot be sent: ${(error as Error).message}`);
  }
  try {
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  } catch {
    throw new RefusedCall('"idempotencyKey" cannot be sent as a header: visible ASCII characters can.');
  }
  return headers;
}

/** Rejects with `StatusError` where the status leaves open whether the request was carried out. */
async function answered(
  answer: HttpAnswer,
  { method, host }: PlannedRequest,
  expect?: readonly number[],
): Promise<Answer> {
  const { status } = answer;
  const isExpected = expect === undefined ? answer.ok : expect.includes(status);
  if (!isExpected && isOpen(status)) throw new StatusError(status, await answer.text());
  const body = await bodyOf(answer);
  const structuredContent: HttpAnswerValue = { status, headers: joined(answer.headers), body };
  if (isExpected) return { result: { content: [], structuredContent } };
  const words = body === null ? '' : wordsOfBody(typeof body === 'string' ? body : JSON.stringify(body));
  const text = `${method} at ${host} was answered ${status}${words === '' ? '' : `: ${words}`}`;
  return { result: { content: [{ type: 'text', text }], structuredContent, isError: true } };
}

/** Those of one name, such as `set-cookie`, together. */
function joined(headers: Headers): Record<string, string> {
  const all: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of headers) all[name] = all[name] === undefined ? value : `${all[name]}, ${value}`;
  return all;
}

/** The server may have begun, or wants to be asked again later. */
const isOpen = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/** Rejects with `FailureError` where the answer is no text: the request was carried out, and its answer cannot be kept. */
async function bodyOf(answer: HttpAnswer): Promise<unknown> {
  const named = answer.headers.get('content-type') ?? '';
  let text: string;
  try {
    text = await answer.jsonText(decoderFor(named));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FailureError(
      'invalid-result',
      `The answer with status ${answer.status} is no text of ${charsetIn(named) ?? 'UTF-8'}.`,
      {
        delivery: 'answered',
        details: { status: answer.status },
      },
    );
  }
  if (Buffer.byteLength(text) > bodyBytes) throw new TooLargeError(bodyBytes);
  if (text === '') return null;
  if (!/[/+]json\b/i.test(named)) return text;
  try {
    // RFC 8259, 8.1: a byte order mark may be passed over.
    return parseExactly(text.replace(/^\uFEFF/, ''));
  } catch {
    return text;
  }
}

/** RFC 9110, 8.3.1. */
const charsetIn = (contentType: string): string | undefined => /;\s*charset="?([\w.:+-]{1,40})/i.exec(contentType)?.[1];

/** Undefined: the text is UTF-8, or what it says to be is unknown. */
function decoderFor(contentType: string): TextDecoder | undefined {
  const charset = charsetIn(contentType);
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}
