/** Decides whether the API may listen on an address that other machines can reach. */
import { StartError } from '@baton/boot';
import { isLoopbackHost } from '@baton/primitives';
import { type Database, listApiKeys } from '@baton/store';

import type { AppParts } from './appParts.ts';

/**
 * Whether only programs of this machine reach the API, so that they read its metrics without a key. What comes through
 * a proxy on this machine may come from anywhere.
 */
export const isForThisMachine = ({
  host,
  publicUrl,
  trustedProxies = [],
}: Pick<AppParts, 'host' | 'publicUrl' | 'trustedProxies'>): boolean =>
  isLoopbackHost(host) && publicUrl === undefined && trustedProxies.length === 0;

export interface ExposureOptions {
  /** The host to listen on. */
  readonly host: string;
  /** BATON_ADMIN_KEY. */
  readonly adminKey: string | undefined;
  readonly publicUrl: string | undefined;
}

/**
 * Returns warnings for the operator. Rejects with `StartError` if other machines could reach the API and its only key
 * would be a new one, printed into a log. Rejects with `UnavailableError`.
 */
export async function checkExposure(
  database: Database,
  { host, adminKey, publicUrl }: ExposureOptions,
): Promise<readonly string[]> {
  if (isLoopbackHost(host)) return [];
  const keys = adminKey === undefined ? await listApiKeys(database) : [];
  const hasKey = adminKey !== undefined || keys.some(({ revokedAt }) => revokedAt === undefined);
  if (!hasKey) {
    throw new StartError(
      `others can reach ${host}: set BATON_ADMIN_KEY to a key of at least 32 characters first (\`openssl rand -base64 32\` prints one), or listen on 127.0.0.1`,
    );
  }
  if (publicUrl?.startsWith('https:') === true) return [];
  return [
    `the API on ${host} is plain HTTP, and keys cross the network as they are: put a proxy with TLS before it, and set BATON_PUBLIC_URL to its https address`,
  ];
}
