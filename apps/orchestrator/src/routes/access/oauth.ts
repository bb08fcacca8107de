/** The authorization server over HTTP, the metadata of what it protects, and the clients that people connected. */
import type { IncomingMessage } from 'node:http';

import { routes } from '@baton/api';
import { control, type OAuthClients, scopesOf, type TokenResource, tokenResources } from '@baton/control';
import { consentCookie, paths } from '@baton/oauth';
import { parseCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { AppParts } from '../../appParts.ts';
import { issuerOf, metadataPath } from '../../http/bearer.ts';
import type { App } from '../../http/edge.ts';
import { route, serveAsIs, serveList } from '../../http/route.ts';

export interface OAuthRouteOptions extends Pick<AppParts, 'publicUrl' | 'store' | 'config' | 'tokenIssuer'> {
  readonly basePath: string;
  readonly clients: OAuthClients;
  readonly tokens: Parameters<typeof control.disconnectClient>[0]['tokens'];
}

const serverMetadata = '/.well-known/oauth-authorization-server';
const openIdMetadata = '/.well-known/openid-configuration';

export function oauthRoutes(app: App, options: OAuthRouteOptions): void {
  const { publicUrl, basePath, tokenIssuer } = options;
  void app.register(async (raw: App) => {
    raw.addHook('onRoute', (added) => {
      added.config = { access: 'public', takesAnyBody: true, ...added.config };
    });
    // The library reads bodies itself.
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_request, _body, done) => done(null));
    const answer = (request: FastifyRequest, reply: FastifyReply): Promise<void> => pass(options, request, reply);
    // Clients look for the metadata of an issuer with a path there, too (RFC 8414, section 3.1).
    for (const url of new Set([
      serverMetadata,
      openIdMetadata,
      `${serverMetadata}${basePath}`,
      `${openIdMetadata}${basePath}`,
    ]))
      raw.get(url, answer);
    raw.get(paths.authorization, answer);
    raw.get(`${paths.authorization}/:uid`, answer);
    raw.get(paths.jwks, answer);
    for (const url of [paths.authorization, paths.token, paths.revocation]) raw.post(url, answer);
    raw.post(paths.registration, async (request, reply) => {
      await options.clients.admitRegistration(request.ip);
      return answer(request, reply);
    });
    raw.post(paths.device, async (request, reply) => {
      options.clients.admitDevice(request.ip);
      return answer(request, reply);
    });
    for (const resource of tokenResources)
      for (const url of new Set([`${metadataPath}${resource}`, `${metadataPath}${basePath}${resource}`]))
        raw.get(url, async (request) => protectedResource(issuerOf(request, publicUrl), resource, tokenIssuer));
  });
}

/** Metadata of a resource (RFC 9728, section 2). Many clients take the first server. */
const protectedResource = (issuer: string, resource: TokenResource, other: OAuthRouteOptions['tokenIssuer']) => ({
  resource: `${issuer}${resource}`,
  authorization_servers: [...(other === undefined ? [] : [other.issuer]), issuer],
  scopes_supported: scopesOf(resource),
  bearer_methods_supported: ['header'],
  resource_name: resource === '/mcp/gateway' ? 'Baton: the gateway' : 'Baton',
});

async function pass(
  { clients, publicUrl, basePath }: OAuthRouteOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { raw, protocol, host, ip: address } = request;
  raw.url = passedUrl(raw, basePath);
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.hijack();
  await clients.at(issuerOf(request, publicUrl)).answer(raw, reply.raw, { protocol, host, address });
}

/** A client that names no scopes asks for all (RFC 6749, section 3.3): the person decides. */
function passedUrl({ url = '' }: IncomingMessage, basePath: string): string {
  const [path = '', ...rest] = url.split('?');
  const query = rest.join('?');
  const plain = [serverMetadata, openIdMetadata].find((one) => path === `${one}${basePath}`) ?? path;
  const parameters = new URLSearchParams(query);
  if (path !== paths.authorization || parameters.has('scope')) return query === '' ? plain : `${plain}?${query}`;
  const resource = tokenResources.findLast((one) => parameters.get('resource')?.endsWith(one) === true);
  if (resource !== undefined) parameters.set('scope', scopesOf(resource).join(' '));
  return `${plain}?${parameters.toString()}`;
}

export function clientRoutes(app: App, options: OAuthRouteOptions): void {
  const browserOf = (request: FastifyRequest) => ({
    issuer: issuerOf(request, options.publicUrl),
    cookie: parseCookie(request.headers.cookie ?? '')[consentCookie],
    address: request.ip,
  });
  serveList(app, control.listClients, options, {
    list: 'clients',
    isPlace: (text) => text !== '',
    shown: (one) => one,
  });
  serveAsIs(app, control.disconnectClient, options);
  route(app, routes.getConsent, async (request) =>
    control.getConsent(options, request.principal, { ...request.params, ...browserOf(request) }),
  );
  route(app, routes.decideConsent, async (request) =>
    control.decideConsent(options, request.principal, { ...request.params, ...request.body, ...browserOf(request) }),
  );
}
