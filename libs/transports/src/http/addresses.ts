/**
 * Decides which addresses Baton may connect to. It checks the address of the connection itself, when the connection is
 * made: a name may resolve to another address between a check and its use.
 */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

export interface AddressPolicy {
  /** Allows 127.0.0.0/8 and ::1, servers on this machine. */
  readonly loopback: boolean;
  /** Networks that are always allowed, as CIDR: `10.1.0.0/16`. */
  readonly networks: readonly string[];
}

export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

type ParsedAddress = ReturnType<typeof ipaddr.process>;

/** Returns a function that says why an address is blocked; undefined if it is allowed. Throws on an invalid network. */
export function addressCheck(policy: AddressPolicy): (address: string) => string | undefined {
  const networks = policy.networks.map((network) => ipaddr.parseCIDR(network));
  const isIn = (address: ParsedAddress): boolean =>
    networks.some(([base, bits]) => base.kind() === address.kind() && address.match([base, bits] as never));
  return (text) => {
    if (!ipaddr.isValid(text)) return `"${text}" is no IP address`;
    // `process` converts an IPv4-mapped IPv6 address back to IPv4.
    const address = ipaddr.process(text);
    const range: string = address.range();
    if (range === 'unicast' || (range === 'loopback' && policy.loopback) || isIn(address)) return undefined;
    return `${text} is a ${range} address`;
  };
}

/** What a subscriber has: an IPv4 address, or an IPv6 network of 64 bits. What is no address stays as it is. */
export function networkOf(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).join(':')}::/64` : address.toString();
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Finds all addresses of a name, as `dns.lookup` does. */
export type LookUpAll = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** A `dns.lookup` that fails if any address of the name is blocked. */
export function checkedLookup(check: (address: string) => string | undefined, lookup: LookUpAll = systemLookup) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const refused = addresses.map(({ address }) => check(address)).find((reason) => reason !== undefined);
      if (refused !== undefined) return callback(blocked(hostname, refused), []);
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

/** Checks a host that needs no lookup: an IP address, or `localhost` (RFC 6761). */
export function literalProblem(
  hostname: string,
  check: (address: string) => string | undefined,
): BlockedAddressError | undefined {
  const isHere = /^(.+\.)?localhost\.?$/i.test(hostname);
  const bare = isHere ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '');
  const reason = isIP(bare) === 0 ? undefined : check(bare);
  return reason === undefined ? undefined : blocked(hostname, reason);
}

const blocked = (hostname: string, reason: string): BlockedAddressError =>
  new BlockedAddressError(`${hostname} may not be connected to: ${reason}`);
