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
