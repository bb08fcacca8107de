/** Names at the gateway: `alias__tool`, `alias__prompt`, `alias+uri`. */
import { cleanText } from '@baton/primitives';

const between = '__';

export const offeredName = (server: string, name: string): string => `${server}${between}${name}`;

/** A URI with a scheme of its own, `files+file:///notes.txt`; also for templates. */
export const offeredUri = (server: string, uri: string): string => `${server}+${uri}`;

/** Tries the longest server name first, because one name may be the beginning of another. */
const longestFirst = (servers: readonly string[]): readonly string[] => servers.toSorted((a, b) => b.length - a.length);

export function namedAt(
  servers: readonly string[],
  offered: string,
): { readonly server: string; readonly name: string } | undefined {
  const server = longestFirst(servers).find((one) => offered.startsWith(`${one}${between}`));
  return server === undefined ? undefined : { server, name: offered.slice(server.length + between.length) };
}

/**
 * Whether the offered name leads back to this server. Beside a server `a__b`, a server `a` that offers `b__c` would
 * describe a tool of the other in its own words.
 */
export const leadsBack = (servers: readonly string[], server: string, name: string): boolean =>
  namedAt(servers, offeredName(server, name))?.server === server;

/**
 * Whether a name can be shown as it is. One with control characters or with what turns the direction of writing would
 * be drawn as another in the client's terminal, and some models refuse a list that has one.
 */
export const isPlain = (name: string): boolean => name === cleanText(name) && !/[\n\t]/.test(name);

export function uriAt(
  servers: readonly string[],
  offered: string,
): { readonly server: string; readonly uri: string } | undefined {
  const server = longestFirst(servers).find((one) => offered.startsWith(`${one}+`));
  return server === undefined ? undefined : { server, uri: offered.slice(server.length + 1) };
}
