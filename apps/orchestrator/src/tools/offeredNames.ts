/**
 * Names at the gateway: `alias__tool`, `alias__prompt`, `alias+uri`.
 *
 * Providers of models take `[a-zA-Z0-9_-]{1,64}` and refuse the whole list for one other name. Such a name gets a short
 * form: what of it can stand there, and a digest of the whole. It is the same as long as server and tool are called so.
 */
import { createHash } from 'node:crypto';

const between = '__';
const charactersMax = 64;
const digestCharacters = 8;

/** A tool or prompt of a server. */
interface NamedOffer {
  readonly server: string;
  readonly name: string;
}

/** `servers`: all at this address. */
export function offeredName(servers: readonly string[], server: string, name: string): string {
  const whole = `${server}${between}${name}`;
  const isTaken = /^[a-zA-Z0-9_-]{1,64}$/.test(whole) && !isShortened(whole);
  return isTaken && wholeNameAt(servers, whole)?.server === server ? whole : shortened(server, name);
}

/** Two hyphens before the digest: no other name is offered that ends so. */
const isShortened = (offered: string): boolean => /--[0-9a-f]{8}$/.test(offered);

function shortened(server: string, name: string): string {
  const digest = createHash('sha256').update(`${server}\n${name}`).digest('hex').slice(0, digestCharacters);
  return `${plain(`${server}${between}${name}`).slice(0, charactersMax - digestCharacters - 2)}--${digest}`;
}

/** Letters lose their marks, and other characters become an underscore. */
const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9_-]+/g, '_');

/** The servers that may offer something under this name. */
export function serversFor(servers: readonly string[], offered: string): readonly string[] {
  if (!isShortened(offered)) {
    const at = wholeNameAt(servers, offered);
    return at === undefined ? [] : [at.server];
  }
  const start = offered.slice(0, -digestCharacters - 2);
  return servers.filter((server) => start.startsWith(plain(`${server}${between}`).slice(0, start.length)));
}

/** What an agent that knows the name of the server and of the tool would call. */
export function wholeNameAt(servers: readonly string[], offered: string): NamedOffer | undefined {
  const server = longestFirst(servers).find((one) => offered.startsWith(`${one}${between}`));
  return server === undefined ? undefined : { server, name: offered.slice(server.length + between.length) };
}

/** Tries the longest server name first, because one name may be the beginning of another. */
const longestFirst = (servers: readonly string[]): readonly string[] => servers.toSorted((a, b) => b.length - a.length);

/** A URI with a scheme of its own, `files+file:///notes.txt`; also for templates. */
export const offeredUri = (server: string, uri: string): string => `${server}+${uri}`;

export function uriAt(
  servers: readonly string[],
  offered: string,
): { readonly server: string; readonly uri: string } | undefined {
  const server = longestFirst(servers).find((one) => offered.startsWith(`${one}+`));
  return server === undefined ? undefined : { server, uri: offered.slice(server.length + 1) };
}
