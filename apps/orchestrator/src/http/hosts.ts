/**
 * Decides which hosts a request may name, and which pages may send one. It refuses browsers that came by a name of an
 * attacker (DNS rebinding) or from a page of another site, before anything else happens.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

import { ProblemError } from '@baton/api';
import { isLoopbackHost } from '@baton/primitives';

export interface HostOptions {
  /** The host to listen on: a name or an address. */
  readonly host: string;
  /** The public address of the API. */
  readonly publicUrl?: string | undefined;
  /** The address that workers and the CLI use. */
  readonly innerUrl?: string | undefined;
}

/** Throws `ProblemError`. */
export type CheckHost = (headers: IncomingHttpHeaders) => void;

export function hostCheck({ host, publicUrl, innerUrl }: HostOptions): CheckHost {
  const names = new Set(['localhost', host.toLowerCase()]);
  const hosts = new Set([publicUrl, innerUrl].map((url) => url && URL.parse(url)?.host));
  const publicOrigin = publicUrl === undefined ? undefined : URL.parse(publicUrl)?.origin;
  const isOurs = (written: string): boolean => {
    if (hosts.has(written.toLowerCase())) return true;
    const name = nameIn(written);
    // An attacker can point a name at this machine, but cannot fake an address.
    return name !== undefined && (names.has(name) || isIP(name) !== 0);
  };
  return (headers) => {
    const { host: requestHost, origin } = headers;
    if (requestHost === undefined || !isOurs(requestHost)) throw refusedHost(requestHost);
    if (origin === undefined) {
      const isForeign = headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate';
      if (isForeign) throw refusedOrigin();
      return;
    }
    const from = URL.parse(origin);
    const isSame = from !== null && (from.host === requestHost.toLowerCase() || origin === publicOrigin);
    const isLocal =
      from !== null && isLoopbackHost(nameIn(from.host) ?? '') && isLoopbackHost(nameIn(requestHost) ?? '');
    if (!isSame && !isLocal) throw refusedOrigin();
  };
}

/** Without the port; IPv6 without its brackets. */
function nameIn(host: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}

const refusedHost = (host: string | undefined): ProblemError =>
  new ProblemError(
    'host-refused',
    `Nothing is served here under ${JSON.stringify((host ?? '').slice(0, 80))}. Use the address that is listened on, or set BATON_PUBLIC_URL.`,
  );

const refusedOrigin = (): ProblemError =>
  new ProblemError('origin-refused', 'A page of another site sent this request. Set BATON_PUBLIC_URL if it is yours.');
