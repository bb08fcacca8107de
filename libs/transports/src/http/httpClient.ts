/**
 * The HTTP client for all outgoing requests of Baton.
 *
 * It checks addresses when it connects to them, and limits size and time of answers. It never follows a redirect
 * itself, so that the next request is checked too. It keeps connections alive, and knows whether a request was ever
 * written to a connection.
 */
import { setMaxListeners } from 'node:events';

import { Agent, buildConnector, EnvHttpProxyAgent, type Dispatcher } from 'undici';

import { addressCheck, checkedLookup, literalProblem, type AddressPolicy, type LookUpAll } from './addresses.ts';
import type { HttpAnswer } from './answer.ts';
import { HttpRequest, type RequestObserver } from './httpRequest.ts';
import type { ProxySettings } from './proxy.ts';

export interface HttpClientOptions {
  readonly addresses: AddressPolicy;
  /** The largest body, or event of a stream of events. */
  readonly bodyBytes: number;
  /** Time to connect, and until the answer begins unless the caller sets its own limit. */
  readonly timeLimitMs: number;
  /** The proxy resolves the name, so Baton does not check its address. */
  readonly proxy?: ProxySettings | undefined;
  /** Absent: the system's. */
  readonly lookup?: LookUpAll;
}

/** Per server. */
const connectionsMax = 256;

export class HttpClient {
  readonly #agent: Dispatcher;
  readonly #options: HttpClientOptions;
  readonly #check: ReturnType<typeof addressCheck>;
  /** Signals on which Node's warning about many listeners is switched off. */
  readonly #quiet = new WeakSet<AbortSignal>();

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#check = addressCheck(options.addresses);
    const agent = {
      pipelining: 1,
      connections: connectionsMax,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: buildConnector({ lookup: checkedLookup(this.#check, options.lookup), timeout: options.timeLimitMs }),
    };
    const { proxy } = options;
    this.#agent =
      proxy === undefined
        ? new Agent(agent)
        : new EnvHttpProxyAgent({ ...agent, httpProxy: proxy.http, httpsProxy: proxy.https, noProxy: proxy.except });
  }

  /** Like `fetch`. `watch`: observes how far the request got. */
  fetch(url: URL | string, init: RequestInit = {}, watch?: RequestObserver): Promise<HttpAnswer> {
    const { origin, pathname, search, href, protocol, hostname } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') {
      return Promise.reject(new TypeError(`only http and https leave here, not ${protocol}`));
    }
    const problem = literalProblem(hostname, this.#check);
    if (problem !== undefined) return Promise.reject(problem);
    const signal = init.signal ?? undefined;
    if (signal !== undefined && !this.#quiet.has(signal)) {
      this.#quiet.add(signal);
      setMaxListeners(0, signal);
    }
    return new Promise((resolve, reject) => {
      const httpRequest = new HttpRequest(href, this.#options.bodyBytes, { resolve, reject }, signal, watch);
      if (signal?.aborted === true) {
        httpRequest.handleEvent();
        return;
      }
      const { timeLimitMs } = this.#options;
      this.#agent.dispatch(
        {
          origin,
          path: `${pathname}${search}`,
          method: init.method ?? 'GET',
          headers: headersOf(init.headers),
          body: bodyOf(init.body),
          headersTimeout: watch === undefined ? timeLimitMs : 0,
        },
        httpRequest,
      );
    });
  }

  /** Aborts all requests that are still in flight. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Bodies are strings or forms. */
const bodyOf = (body: RequestInit['body']): string | null =>
  body instanceof URLSearchParams ? body.toString() : ((body ?? null) as string | null);

const headersOf = (headers: RequestInit['headers']): Record<string, string> => ({
  ...Object.fromEntries(headers instanceof Headers ? headers : new Headers(headers)),
  'accept-encoding': 'identity',
});
