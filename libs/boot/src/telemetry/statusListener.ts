/**
 * A small HTTP server with `/healthz`, `/readyz` and `/metrics`, for a process that has no other. It needs no keys: it
 * listens where the operator says, and shows nothing that helps a stranger.
 */
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';

import { isLoopbackHost } from '@baton/primitives';

import { cannotListen } from '../failure/cannotListen.ts';
import type { Metrics } from './metrics.ts';
import type { ReadyReport } from './readiness.ts';

export interface StatusListenerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly metrics: Metrics;
  /** `down`: it cannot work now. */
  readonly ready: () => Promise<{ readonly status: ReadyReport['status'] }>;
}

export interface StatusListener {
  /** Without a path. */
  readonly url: string;
  close(): Promise<void>;
}

/** Rejects with `StartError` where nothing can listen there. */
export async function openStatusListener(options: StatusListenerOptions): Promise<StatusListener> {
  const { host, port } = options;
  // A request without a host is answered too: see `isLedHere`.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    answer(request, response, options).catch(() => response.writeHead(500).end());
  });
  server.listen(port, host);
  await once(server, 'listening').catch(cannotListen({ host, port }, 'BATON_METRICS'));
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { host, metrics, ready }: StatusListenerOptions,
): Promise<void> {
  const send = (status: number, type: string, body: string, headers: Record<string, string> = {}): void => {
    response
      .writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers })
      .end(request.method === 'HEAD' ? '' : body);
  };
  const json = (status: number, body: object, headers?: Record<string, string>): void =>
    send(status, 'application/json', JSON.stringify(body), headers);
  if (isLedHere(request, host)) return json(403, { status: 403, title: 'Meant for another host, or sent by a page' });
  // Balancers ask with OPTIONS, unless they are told otherwise.
  if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? '')) {
    return json(405, { status: 405, title: 'Method not allowed' }, { allow: 'GET, HEAD, OPTIONS' });
  }
  const [path] = (request.url ?? '/').split('?');
  if (path === '/healthz') return json(200, { status: 'ok' });
  if (path === '/metrics') return send(200, metrics.contentType, await metrics.text());
  if (path !== '/readyz') return json(404, { status: 404, title: 'Not found' });
  const state = await ready();
  return state.status === 'down' ? json(503, state, { 'retry-after': '1' }) : json(200, state);
}

/**
 * Whether a page of another site makes the request, or a name that was made to point here leads it here (DNS rebinding). A
 * browser always names a host; balancers do not.
 */
function isLedHere({ headers }: IncomingMessage, listensOn: string): boolean {
  if (headers.origin !== undefined) return true;
  // Where remote clients are allowed, they may use any name of the machine.
  if (!isLoopbackHost(listensOn) || headers.host === undefined) return false;
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(headers.host ?? '') ?? [];
  return !isLoopbackHost(bracketed ?? plain ?? '');
}
