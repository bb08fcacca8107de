/** What follows from BATON_PUBLIC_URL, the address by which browsers reach Baton. */
import type { FastifyRequest } from 'fastify';

/**
 * The origins of Baton's own pages: the one that the browser sees (through a trusted proxy, if there is one), and that
 * of BATON_PUBLIC_URL if the request came by that host.
 */
export function ownOrigins(
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
  publicUrl: string | undefined,
): string[] {
  const requestUrl = URL.parse(`${protocol}://${host}`);
  const configuredUrl = publicUrl === undefined ? null : URL.parse(publicUrl);
  return [requestUrl, configuredUrl?.host === requestUrl?.host ? configuredUrl : null].flatMap((url) =>
    url === null ? [] : [url.origin],
  );
}

/** The path prefix of Baton from BATON_PUBLIC_URL: `/baton`, or empty at the root. */
export const basePathOf = (publicUrl: string | undefined): string =>
  (publicUrl === undefined ? '' : (URL.parse(publicUrl)?.pathname ?? '')).replace(/\/+$/, '');
