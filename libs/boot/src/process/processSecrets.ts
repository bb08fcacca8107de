/** Secrets that a process knows from its start: no log holds them, and they are removed from what servers say. */
import { hostList } from '@baton/primitives';
import { credentialsIn } from '@baton/protocol';

import type { Settings } from '../settings/settings.ts';

/** Handed on to servers that are started as processes, which may print them. */
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

/**
 * The settings marked as secret, and passwords within addresses, those of proxies in `env` too. Keys of 32 bytes are known
 * as they were written.
 */
export function secretsIn(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>> = {},
): readonly string[] {
  const { BATON_ADMIN_KEY, BATON_API_KEY, BATON_DEVICE_TOKEN, BATON_OIDC_CLIENT_SECRET } = settings;
  const { BATON_SECRET_KEY, BATON_SECRET_KEY_BEFORE } = settings;
  const given = [BATON_ADMIN_KEY, BATON_API_KEY, BATON_DEVICE_TOKEN, BATON_OIDC_CLIENT_SECRET];
  const texts = given.filter((text) => text !== undefined);
  const keys = [BATON_SECRET_KEY, BATON_SECRET_KEY_BEFORE].flatMap((key) => key?.toString('base64') ?? []);
  const { DATABASE_URL, BATON_DIRECT_URL, REDIS_URL, OTEL_EXPORTER_OTLP_ENDPOINT } = settings;
  const ofPlaces = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].flatMap((name) => env[name] ?? []);
  const proxies = proxyVariables.map((name) => env[name]);
  const { hosts: [redis = ''] = [], withHost } = hostList(REDIS_URL ?? '') ?? {};
  const addresses = [DATABASE_URL, BATON_DIRECT_URL, withHost?.(redis), OTEL_EXPORTER_OTLP_ENDPOINT, ...proxies].filter(
    (text) => text !== undefined,
  );
  return [...texts, ...keys, ...ofPlaces, ...addresses.flatMap((address) => credentialsIn('address', address))];
}
