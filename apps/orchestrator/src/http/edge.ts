/**
 * The edge: checks that every request and every answer passes.
 *
 * It trusts nothing in a request: not the host, the origin, the size, the encoding, nor the JSON. A route that declares
 * no access is for admins.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import { type Access, type Problem, ProblemError, routes } from '@baton/api';
import type { Logger } from '@baton/boot';
import {
  type AccessTokens,
  type Keyring,
  unauthenticated,
  type LoginSessions,
  type Principal,
  checkScopes,
} from '@baton/control';
import { cleanText } from '@baton/primitives';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type * as z from 'zod';

import { Addresses, authorityIn, pathIn } from './addresses.ts';
import { answerProblem, commonHeaders } from './answerProblem.ts';
import { asProblem } from './asProblem.ts';
import { issuerOf, resourceOf, withMetadata } from './bearer.ts';
import { answerClientError, answerTunnel } from './clientError.ts';
import { edgeLimits } from './edgeLimits.ts';
import { fencedProblem, mayPassFence } from './fenced.ts';
import type { CheckHost } from './hosts.ts';
import { parseStrictJson } from './json/strictJson.ts';
import { namedAddress } from './namedAddress.ts';
import type { SessionCookie } from './sessionCookie.ts';
import { type RequestPart, validated } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Its bodies may be in any charset. */
    takesAnyBody?: boolean;
  }
  interface FastifyRequest {
    /** Absent on public routes. */
    principal: Principal;
  }
}

export type App = FastifyInstance;

/** Counts requests. */
export interface RequestRates {
  /** Rejects with `ProblemError` if there were too many. */
  check(request: FastifyRequest, by: 'key' | 'address'): Promise<void>;
}

export interface EdgeOptions {
  readonly log: Logger;
  readonly keyring: Keyring;
  readonly sessions: LoginSessions;
  readonly cookie: SessionCookie;
  /** Of clients that people connected with OAuth. */
  readonly tokens: Pick<AccessTokens, 'admit'>;
  readonly publicUrl: string | undefined;
  readonly checkHost: CheckHost;
  readonly rates: RequestRates;
  /** A sentence while nothing may be begun or changed. */
  readonly fence: () => string | undefined;
  /** Trusted proxies, as addresses or CIDR (`X-Forwarded-For`). */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The path prefix under which clients reach everything; a proxy may strip it or keep it. */
  readonly basePath: string;
  /** Called for every answered request. `route` is the pattern, not the address. */
  readonly onAnswer: (route: string, method: string, status: number, ms: number) => void;
}

export function createEdge(options: EdgeOptions): App {
  const { log, checkHost, fence, rates, cookie, publicUrl, trustedProxies = [], basePath, onAnswer } = options;
  const app = fastify({
    trustProxy: [...trustedProxies],
    bodyLimit: edgeLimits.bodyBytes,
    requestTimeout: edgeLimits.requestMs,
    // A request on a connection that is still open is served, and asks the client to close it.
    return503OnClosing: false,
    // A busy machine needs longer to start; this is no reason to fail.
    pluginTimeout: 0,
    // A request without a host gets our own answer too.
    http: { headersTimeout: edgeLimits.headMs, maxHeaderSize: edgeLimits.headerBytes, requireHostHeader: false },
    routerOptions: { maxParamLength: edgeLimits.parameterCharacters },
    rewriteUrl: ({ url = '/' }: IncomingMessage) => namedAddress(withoutBase(url, basePath)),
    genReqId: () => randomUUID(),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      void answerProblem(asProblem(error), request, reply);
    },
  });
  app.server.maxConnections = edgeLimits.connections;
  app.server.on('connect', (_request: IncomingMessage, socket: Duplex) => answerTunnel(socket));
  // Ignores other expectations (RFC 9110, section 10.1.1).
  app.server.on('checkExpectation', (...asked: unknown[]) => app.server.emit('request', ...asked));
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (value) => ({
    value: validated(schema, value, (httpPart ?? 'body') as RequestPart),
  }));
  app.removeAllContentTypeParsers();
  // Many clients send a content type without a body; no body is no body.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined;
    try {
      return parseStrictJson(body);
    } catch (error) {
      refusedBodies.set(request, body);
      throw error;
    }
  });
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
    const fenced = fence();
    if (fenced !== undefined && !mayPassFence(request)) throw fencedProblem(fenced);
    if (request.is404 && !isPageVisit(request)) throw addresses.problem(request.url, request.method);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { url = 'none' } = request.routeOptions;
    onAnswer(url, request.method, reply.statusCode, reply.elapsedTime);
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = asProblem(isOfWrongType(error) ? wrongType(request) : error);
    if (problem.status === 500) log.error({ err: error, requestId: request.id }, 'a bug occurred during a request');
    else logRefusal(log, request, problem);
    return answerProblem(withMetadata(problem, resourceOf(request), issuerOf(request, publicUrl)), request, reply);
  });
  return app;
}

/** One line for each refused request; without a key, on which anyone may try, only for who looks for it. */
function logRefusal(log: Logger, request: FastifyRequest, { status, code, title, logged }: Problem): void {
  const { url: route = 'none' } = request.routeOptions;
  const fields = { requestId: request.id, method: request.method, route, status, problem: code, ...logged };
  const isKnown = (request.principal as object | undefined) !== undefined;
  log[isKnown ? 'info' : 'debug'](fields, `a request was refused: ${title}`);
}

/** Treats `/baton/runs` as `/runs`, like a proxy that strips the prefix. */
function withoutBase(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return /^(\?|$)/.test(rest) ? `/${rest}` : url;
}

/**
 * Balancers ask these without a Host header (HAProxy in HTTP/1.0, unless it is told otherwise). A browser, which an attacker
 * could lead here, always sends one.
 */
const healthPaths: ReadonlySet<string> = new Set([routes.isAlive.path, routes.isReady.path]);

function checkForm({ headers, raw, url, routeOptions }: FastifyRequest, checkHost: CheckHost): void {
  checkOnce(raw.rawHeaders);
  const host = authorityIn(url);
  if (headers.host !== undefined) checkHost(host === undefined ? headers : { ...headers, host });
  else if (!healthPaths.has(pathIn(url))) throw new ProblemError('malformed-request', 'The Host header is missing.');
  if (url.length > edgeLimits.urlCharacters) {
    throw new ProblemError('uri-too-long', `An address may have ${edgeLimits.urlCharacters} characters.`);
  }
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': coding = 'chunked' } = headers;
  if (encoding !== 'identity' || coding.toLowerCase() !== 'chunked') {
    throw new ProblemError('unsupported-media-type', 'A body must not be compressed.');
  }
  if (routeOptions.config.takesAnyBody !== true) checkCharset(headers['content-type']);
}

/** Bodies are read as UTF-8, unless their address takes any. */
function checkCharset(contentType = ''): void {
  for (const [, charset = ''] of contentType.matchAll(/;\s*charset\b\s*(?:=\s*"?([^";\s]*))?/gi)) {
    if (!/^utf-?8$/i.test(charset)) throw new ProblemError('unsupported-media-type', 'A body must be UTF-8.');
  }
}

/** Bodies that were read and are refused, for a route whose answer names the call. */
export const refusedBodies = new WeakMap<FastifyRequest, Buffer>();

const isOfWrongType = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';

/** Names the types that this address takes. */
function wrongType({ headers: { 'content-type': type = '' }, server }: FastifyRequest): ProblemError {
  const taken = bodyTypes.filter((one) => server.hasContentTypeParser(one)).join(' or ');
  const given = type === '' ? 'no type' : `the type "${cleanText(type, 80)}"`;
  return new ProblemError('unsupported-media-type', `The body has ${given}; expected ${taken}.`);
}

const bodyTypes = ['application/json', 'application/yaml'];

/** Node uses the first of them; a proxy before us may have used the last. */
function checkOnce(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!single.has(name)) continue;
    if (seen.has(name)) throw new ProblemError('malformed-request', `The header ${name} occurs twice.`);
    seen.add(name);
  }
}

const single: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type']);

/** Undefined at once if the request has no access token. */
function clientOf(
  request: FastifyRequest,
  tokens: EdgeOptions['tokens'],
  publicUrl: string | undefined,
): Promise<Principal | undefined> | undefined {
  const resource = resourceOf(request);
  return tokens.admit(request.headers.authorization, {
    resource,
    address: `${issuerOf(request, publicUrl)}${resource}`,
    from: request.ip,
  });
}

type Admission = Pick<EdgeOptions, 'keyring' | 'tokens' | 'publicUrl' | 'sessions' | 'cookie' | 'rates'>;

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  access: Exclude<Access, 'public'> = [],
  { keyring, tokens, publicUrl, ...bySession }: Admission,
): Promise<void> {
  const { authorization } = request.headers;
  const session = authorization === undefined ? bySession.cookie.in(request) : undefined;
  const admitted =
    session === undefined
      ? ((await clientOf(request, tokens, publicUrl)) ?? keyring.authenticate(authorization, request.ip))
      : admitSession(session, request, reply, bySession);
  const principal = admitted instanceof Promise ? await admitted : admitted;
  checkScopes(principal, access);
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
    // An expired session is not a guess of a key, but the request counts for its address.
    await rates.check(request, 'address');
    throw unauthenticated();
  }
  if (admitted.isRenewed) reply.header('set-cookie', cookie.of(request, token));
  return admitted.principal;
}

/** A person opened the address in a browser: the page says that nothing is there. */
const isPageVisit = ({ method, headers: { accept = '' }, url }: FastifyRequest): boolean =>
  method === 'GET' && accept.includes('text/html') && accessAround(url) === 'public';

/** Outside the API any client may learn that an address does not exist; inside, only one with a key. */
const accessAround = (url: string): Access => (/^\/v1(\/|$)/.test(pathIn(url)) ? 'any-key' : 'public');
