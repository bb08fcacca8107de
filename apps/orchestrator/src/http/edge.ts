/**
 * The edge: what every request passes through before it gets anywhere, and every answer on its way out.
 *
 * Nothing is believed of a request: not its host, its origin, its size, its encoding, nor its JSON. A route that does not
 * say who may use it is for admins.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Access } from '@baton/api';
import { ProblemError } from '@baton/api';
import type { Logger } from '@baton/boot';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastify } from 'fastify';
import type * as z from 'zod';

import type { Keyring } from '../keys/keyring.ts';
import { unauthenticated } from '../keys/keyring.ts';
import type { LoginSessions } from '../keys/loginSessions.ts';
import type { Principal } from '../keys/scopes.ts';
import { may } from '../keys/scopes.ts';
import { Addresses, authorityIn, pathIn } from './addresses.ts';
import { answerProblem, commonHeaders } from './answerProblem.ts';
import { asProblem } from './asProblem.ts';
import { answerClientError, answerTunnel } from './clientError.ts';
import { edgeLimits } from './edgeLimits.ts';
import type { CheckHost } from './hosts.ts';
import type { SessionCookie } from './sessionCookie.ts';
import { parseStrictJson } from './strictJson.ts';
import type { RequestPart } from './validation.ts';
import { validated } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Not there on public routes. */
    principal: Principal;
  }
}

export type App = FastifyInstance;

/** Counts requests. */
export interface RequestRates {
  /** Rejects with `ProblemError` for one too many. */
  check(request: FastifyRequest, by: 'key' | 'address'): Promise<void>;
}

export interface EdgeOptions {
  readonly log: Logger;
  readonly keyring: Keyring;
  readonly sessions: LoginSessions;
  readonly cookie: SessionCookie;
  readonly checkHost: CheckHost;
  readonly rates: RequestRates;
  /** Proxies, as addresses or CIDR, that are believed about whom they pass a request on for (`X-Forwarded-For`). */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Path under which others reach everything; a proxy may take it off, or leave it on. */
  readonly basePath: string;
  /** Told of every request that was answered. `route` is the pattern, not the address. */
  readonly onAnswer: (route: string, method: string, status: number, ms: number) => void;
}

export function createEdge(options: EdgeOptions): App {
  const { log, checkHost, rates, cookie, trustedProxies = [], basePath, onAnswer } = options;
  const app = fastify({
    trustProxy: [...trustedProxies],
    bodyLimit: edgeLimits.bodyBytes,
    requestTimeout: edgeLimits.requestMs,
    // On a machine that has much to do, everything takes longer: no reason not to start.
    pluginTimeout: 0,
    // Without a host there is an answer too: ours.
    http: { headersTimeout: edgeLimits.headMs, maxHeaderSize: edgeLimits.headerBytes, requireHostHeader: false },
    routerOptions: { maxParamLength: edgeLimits.parameterCharacters },
    rewriteUrl: ({ url = '/' }: IncomingMessage) => withoutBase(url, basePath),
    genReqId: () => randomUUID(),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => void answerProblem(asProblem(error), request, reply),
  });
  app.server.maxConnections = edgeLimits.connections;
  app.server.on('connect', (_request: IncomingMessage, socket: Duplex) => answerTunnel(socket));
  // What else a client expects is its own affair (RFC 9110, section 10.1.1).
  app.server.on('checkExpectation', (...asked: unknown[]) => app.server.emit('request', ...asked));
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (value) => ({
    value: validated(schema, value, (httpPart ?? 'body') as RequestPart),
  }));
  app.removeAllContentTypeParsers();
  // Many clients name a type for what they do not send: no body is no body.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    body.length === 0 ? undefined : parseStrictJson(body),
  );
  app.decorateRequest('principal');
  const addresses = new Addresses(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id));
    checkForm(request, checkHost);
    const access = request.is404 ? accessAround(request.url) : request.routeOptions.config.access;
    const isKnown = access !== 'public' && (request.headers.authorization ?? cookie.in(request)) !== undefined;
    if (!isKnown) await rates.check(request, 'address');
    if (access !== 'public') await admit(request, reply, access, options);
    if (isKnown) await rates.check(request, 'key');
    if (request.is404) throw addresses.problem(request.url, request.method);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { url = 'none' } = request.routeOptions;
    onAnswer(url, request.method, reply.statusCode, reply.elapsedTime);
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    if (problem.status === 500) log.error({ err: error, requestId: request.id }, 'a request met a bug');
    return answerProblem(problem, request, reply);
  });
  return app;
}

/** `/baton/runs` is `/runs`, as if it came through a proxy that takes the path off. */
function withoutBase(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  return rest.startsWith('/') ? rest : /^(\?|$)/.test(rest) ? `/${rest}` : url;
}

function checkForm({ headers, raw: { rawHeaders }, url }: FastifyRequest, checkHost: CheckHost): void {
  checkOnce(rawHeaders);
  const host = authorityIn(url);
  if (headers.host === undefined) throw new ProblemError('malformed-request', 'A request names its host.');
  checkHost(host === undefined ? headers : { ...headers, host });
  if (url.length > edgeLimits.urlCharacters) {
    throw new ProblemError('uri-too-long', `An address may have ${edgeLimits.urlCharacters} characters.`);
  }
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': coding = 'chunked' } = headers;
  if (encoding !== 'identity' || coding.toLowerCase() !== 'chunked') {
    throw new ProblemError('unsupported-media-type', 'A body must not be compressed.');
  }
  checkCharset(headers['content-type']);
}

/** A body is read as UTF-8 only, whatever kind it is of. */
function checkCharset(contentType = ''): void {
  for (const [, charset = ''] of contentType.matchAll(/;\s*charset\b\s*(?:=\s*"?([^";\s]*))?/gi)) {
    if (!/^utf-?8$/i.test(charset)) throw new ProblemError('unsupported-media-type', 'A body must be UTF-8.');
  }
}

/** Node goes by the first of them. A proxy that passed the request on may have gone by the last. */
function checkOnce(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!single.has(name)) continue;
    if (seen.has(name)) throw new ProblemError('malformed-request', `The header ${name} stands twice.`);
    seen.add(name);
  }
}

const single: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type']);

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  access: Exclude<Access, 'public'> = [],
  { keyring, ...bySession }: Pick<EdgeOptions, 'keyring' | 'sessions' | 'cookie' | 'rates'>,
): Promise<void> {
  const { authorization } = request.headers;
  const token = authorization === undefined ? bySession.cookie.in(request) : undefined;
  const admitted =
    token === undefined
      ? keyring.authenticate(authorization, request.ip)
      : admitSession(token, request, reply, bySession);
  const principal = admitted instanceof Promise ? await admitted : admitted;
  if (!may(principal, access)) {
    const wanted = access.length === 0 ? ['admin'] : [access].flat();
    throw new ProblemError('forbidden', `This needs a key with the scope ${wanted.join(' or ')}.`);
  }
  request.principal = principal;
}

async function admitSession(
  token: string,
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, cookie, rates }: Pick<EdgeOptions, 'sessions' | 'cookie' | 'rates'>,
): Promise<Principal> {
  cookie.checkOrigin(request);
  const admitted = await sessions.admit(token);
  if (admitted === undefined) {
    // A session that has ended is no guess; what comes without a good one counts for its address all the same.
    await rates.check(request, 'address');
    throw unauthenticated();
  }
  if (admitted.isRenewed) reply.header('set-cookie', cookie.of(request, token));
  return admitted.principal;
}

/** Outside of the API any client may learn that an address does not exist; inside, only one with a key. */
const accessAround = (url: string): Access => (/^\/v1(\/|$)/.test(pathIn(url)) ? 'any-key' : 'public');
