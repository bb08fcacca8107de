/** What is wrong with an address, without any part of its text but the scheme: it may hold a password, in any form. */
import { hostList } from './hostList.ts';

/** Not in one piece: what looks like an address with a password is taken out of logs. */
const form = 'SCHEME://HOST:PORT/NAME, with USER:PASSWORD@ before HOST';

/** The parts by their places alone: in a text that is no valid URL, a password may hold each of the separators. */
const urlParts = /^(?<scheme>[a-z][a-z0-9+.-]{0,30}:)\/\/(?<authority>[^/?#]*)(?<path>.*)$/is;

/**
 * What the text is instead of an address of one of these `protocols` (`http:`); undefined if it is one. `mayList`: it may
 * name several hosts.
 */
export function urlFault(text: string, protocols: readonly string[], { mayList = false } = {}): string | undefined {
  if (/^[a-z_]+ *=/i.test(text)) return `words such as host=…: write them as ${form}`;
  const { scheme, authority = '', path = '' } = urlParts.exec(text)?.groups ?? {};
  if (scheme === undefined)
    return `a text that does not begin with ${protocols.map((name) => `${name}//`).join(' or ')}`;
  if (!protocols.includes(scheme.toLowerCase())) return `the scheme ${scheme}`;
  // Behind the authority an "@" is that of a user and a password with one of the characters that end it.
  if (path.includes('@')) return `a user, a password or a parameter that is not encoded: write ${encodings}`;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host.includes(',')) return mayList ? faultOfHosts(text, protocols) : 'several hosts: name one';
  if (host === '') return 'no host';
  if (URL.parse(text) !== null) return undefined;
  if (/:(?!\d{1,5}$)[^\]]*$/.test(host))
    return `a port that is no number, or a password that is not encoded: write ${encodings}`;
  return 'a host, a user or a password with characters that must be percent-encoded';
}

const encodings = '@ as %40, / as %2F, : as %3A, ? as %3F, # as %23 and % as %25';

/** What is wrong with the first host of a list that is no host. */
function faultOfHosts(text: string, protocols: readonly string[]): string | undefined {
  const { hosts = [], withHost } = hostList(text) ?? {};
  for (const host of hosts) {
    const fault = withHost === undefined ? undefined : urlFault(withHost(host), protocols);
    if (fault !== undefined) return `several hosts, and for one of them ${fault}`;
  }
  return undefined;
}
