/** How clients of OAuth find out where they get a token, and for what (RFC 9728, RFC 6750). */
import type { Problem } from '@baton/api';
import { type TokenResource, tokenResources } from '@baton/control';
import type { FastifyRequest } from 'fastify';

import { basePathOf, ownOrigins } from './publicUrl.ts';

type AddressedRequest = Pick<FastifyRequest, 'protocol' | 'host'>;

/** Origin and path prefix under which the client of the request reaches Baton. */
export function issuerOf(request: AddressedRequest, publicUrl: string | undefined): string {
  const own = ownOrigins(request, publicUrl);
  const isPublic = publicUrl !== undefined && URL.parse(publicUrl)?.host === request.host;
  return `${own.at(-1) ?? ''}${isPublic ? basePathOf(publicUrl) : ''}`;
}

/** For which address a request needs a token: of the route, however its path was written. */
export const resourceOf = ({ routeOptions: { url } }: Pick<FastifyRequest, 'routeOptions'>): TokenResource =>
  tokenResources.find((resource) => resource === url) ?? '/v1';

export const metadataPath = '/.well-known/oauth-protected-resource';

/** The challenge of a problem, with the address of the metadata of what was asked for. */
export function withMetadata(problem: Problem, resource: TokenResource, issuer: string): Problem {
  const challenge = problem.headers['www-authenticate'];
  if (challenge === undefined) return problem;
  const metadata = `resource_metadata="${issuer}${metadataPath}${resource}"`;
  const headers = { ...problem.headers, 'www-authenticate': `${challenge}, ${metadata}` };
  // A thrown problem has its detail as the message of an error, which is not copied with it.
  const { code, status, title, detail, errors } = problem;
  return { code, status, title, detail, errors, headers };
}
