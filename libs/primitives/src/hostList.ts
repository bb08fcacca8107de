/** Addresses that may name several hosts, `scheme://user:password@one:1,two:2/name?a=b`: with two, they are no URL. */

export interface HostList {
  /** Each with its port, where it has one: `one:1`, `[::1]:2`. A single empty text where the address has no host. */
  readonly hosts: readonly string[];
  /** The address with this host in place of all. */
  readonly withHost: (host: string) => string;
}

/** The parts by their places alone; what is before the last "@" of the authority is a user and a password. */
const parts = /^(?<before>[a-z][a-z0-9+.-]{0,30}:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<after>.*)$/is;

/** Undefined for a text that is no address. */
export function hostList(text: string): HostList | undefined {
  const { before, hosts, after } = parts.exec(text)?.groups ?? {};
  if (before === undefined || hosts === undefined || after === undefined) return undefined;
  return { hosts: hosts.split(','), withHost: (host) => `${before}${host}${after}` };
}
