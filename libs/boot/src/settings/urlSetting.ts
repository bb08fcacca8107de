/**
 * Settings that are addresses. Their text may hold a password, well written or not, and no pattern finds each password in
 * a text that is no URL: so the text is never shown, only what is wrong with it.
 */
import { hostList, urlFault } from '@baton/primitives';
import * as z from 'zod';

import { readDatabaseUrl } from './databaseUrl.ts';

/** `found`: what `SettingsError` says in place of the value. */
export const urlSetting = (what: string, ...protocols: readonly string[]) =>
  z.string().superRefine((text, context) => {
    const found = urlFault(text, protocols);
    if (found === undefined) return;
    context.addIssue({ code: 'custom', message: `a ${what} URL (${protocols.join(', ')})`, params: { found } });
  });

/** An issuer of OpenID Connect or OAuth. Without TLS only this machine is asked: an answer on the way could be another's. */
export const issuerSetting = (what: string) =>
  z.string().superRefine((text, context) => {
    const found = urlFault(text, ['https:', 'http:']) ?? issuerFault(new URL(text));
    if (found === undefined) return;
    context.addIssue({ code: 'custom', message: `the address of ${what} (https:)`, params: { found } });
  });

function issuerFault({ protocol, hostname, username, search, hash }: URL): string | undefined {
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  if (protocol === 'http:' && !isHere) return 'http: on another machine';
  if (username !== '') return 'a user in it';
  return search === '' && hash === '' ? undefined : 'parameters: an issuer has none';
}

const redisProtocols = [
  'redis:',
  'rediss:',
  'redis+sentinel:',
  'rediss+sentinel:',
  'redis+cluster:',
  'rediss+cluster:',
];

/** The address of a Redis, of the sentinels of one, or of nodes of a cluster: see `readRedisAddress` of libs/queue. */
export const redisUrlSetting = () =>
  z.string().superRefine((text, context) => {
    const found = redisFault(text);
    if (found === undefined) return;
    const message = 'a Redis URL (redis:, rediss:, or one of them with +sentinel or +cluster)';
    context.addIssue({ code: 'custom', message, params: { found } });
  });

function redisFault(text: string): string | undefined {
  const [scheme = ''] = /^[a-z+]+(?=:)/i.exec(text.toLowerCase()) ?? [];
  const mayList = scheme.includes('+');
  const fault = urlFault(text, redisProtocols, { mayList });
  if (fault !== undefined || !mayList) return fault === 'several hosts: name one' ? severalRedis : fault;
  const { hosts: [first = ''] = [], withHost } = hostList(text) ?? {};
  const { pathname } = new URL(withHost?.(first) ?? text);
  if (scheme.endsWith('sentinel') && !/^\/[^/]+(?:\/\d{1,4})?$/.test(pathname))
    return 'no name of a primary: write it as redis+sentinel://HOST:26379,HOST:26379/NAME, or NAME/DATABASE';
  return scheme.endsWith('cluster') && pathname.length > 1 ? 'a database: a cluster has only one' : undefined;
}

const severalRedis = 'several hosts: write redis+sentinel://HOST,HOST/NAME, or redis+cluster://HOST,HOST';

/** The address of a Postgres, in any form that libpq takes: see `readDatabaseUrl`. */
export const databaseUrlSetting = () =>
  z.string().transform((text, context) => {
    const read = readDatabaseUrl(text);
    if ('url' in read) return read.url;
    const message = 'a Postgres URL (postgres:, postgresql:), or words such as host=db dbname=baton';
    context.addIssue({ code: 'custom', message, params: { found: read.found } });
    return z.NEVER;
  });

/** Of a valid address: scheme, hosts, ports and path. */
export function shownUrl(text: string): string {
  const { hosts: [first = '', ...more] = [], withHost } = hostList(text) ?? {};
  const parsed = URL.parse(withHost?.(first) ?? text);
  if (parsed === null) return '***';
  const { protocol, host, pathname, searchParams } = parsed;
  const listed = searchParams.get('host')?.split(',') ?? [];
  const ports = searchParams.get('port')?.split(',') ?? [];
  const portAt = (at: number): string => (ports[at] ?? (ports.length === 1 ? ports[0] : undefined)) || '';
  // A socket is a path.
  const hosts = listed.map((name, at) =>
    [encodeURIComponent(name), portAt(at)].filter((part) => part !== '').join(':'),
  );
  return `${protocol}//${(hosts.length > 0 ? hosts : [host, ...more]).join(',')}${pathname}`;
}
