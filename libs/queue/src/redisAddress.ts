/**
 * How Redis is reached: at one address, through its sentinels, or as a cluster.
 *
 *   redis://:password@host:6379/3                               one (rediss: over TLS)
 *   redis+sentinel://:password@one:26379,two:26379/mymaster/3   the primary that the sentinels name
 *   redis+cluster://:password@one:7000,two:7000                 a cluster, from any of its nodes
 */
import { hostList } from '@baton/primitives';
import type { RedisOptions } from 'ioredis';

interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** How to sign in, and which primary and database. */
type SignIn = Pick<RedisOptions, 'username' | 'password' | 'tls'>;
type OfSentinels = SignIn &
  Pick<
    RedisOptions,
    'sentinels' | 'name' | 'db' | 'sentinelUsername' | 'sentinelPassword' | 'enableTLSForSentinelMode'
  >;

export type RedisAddress =
  | { readonly kind: 'one'; readonly url: string }
  | { readonly kind: 'sentinel'; readonly options: OfSentinels }
  | { readonly kind: 'cluster'; readonly nodes: readonly RedisNode[]; readonly options: SignIn };

const ports = { sentinel: 26_379, cluster: 6_379 } as const;

/** `text`: an address that the settings have accepted. */
export function readRedisAddress(text: string): RedisAddress {
  const [, tls = '', kind = ''] = /^redis(s?)(?:\+(sentinel|cluster))?:/i.exec(text) ?? [];
  if (kind !== 'sentinel' && kind !== 'cluster') return { kind: 'one', url: text };
  const { hosts = [], withHost } = hostList(text) ?? {};
  const url = new URL(withHost?.(hosts[0] ?? '') ?? text);
  const nodes = hosts.map((host): RedisNode => {
    const { hostname, port } = new URL(`redis://${host}`);
    return { host: hostname.replaceAll(/^\[|\]$/g, ''), port: Number(port) || ports[kind] };
  });
  const common = {
    ...named('username', decodeURIComponent(url.username)),
    ...named('password', decodeURIComponent(url.password)),
    ...(tls === '' ? {} : { tls: {} }),
  };
  if (kind === 'cluster') return { kind, nodes, options: common };
  const [name = '', db = '0'] = url.pathname.slice(1).split('/');
  return {
    kind,
    options: {
      ...common,
      sentinels: [...nodes],
      name: decodeURIComponent(name),
      db: Number(db),
      ...named('sentinelUsername', url.searchParams.get('sentinelUser') ?? ''),
      ...named('sentinelPassword', url.searchParams.get('sentinelPassword') ?? ''),
      ...(tls === '' ? {} : { enableTLSForSentinelMode: true }),
    },
  };
}

const named = (name: string, value: string): Record<string, string> => (value === '' ? {} : { [name]: value });
