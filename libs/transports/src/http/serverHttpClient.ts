/**
 * The HTTP client for one server. The operator's policy applies to the addresses in `mcp.json` (the server's own
 * address, its `issuer`, its `origins`): it may allow this machine and private networks. The public policy, with https
 * only, applies to addresses that the server names (metadata, authorization servers, endpoints): a server must not lead
 * Baton to other ports of this machine.
 */
import type { HttpServerConfig } from '@baton/protocol';

import { BlockedAddressError } from './addresses.ts';
import type { HttpAnswer } from './answer.ts';
import type { HttpClient } from './httpClient.ts';

export type Fetcher = Pick<HttpClient, 'fetch'>;

export interface HttpClients {
  /** For addresses from `mcp.json`. */
  readonly named: HttpClient;
  /** For hosts that `mcp.json` lists for a built-in server: they may not lead to this machine by their name. */
  readonly listed: HttpClient;
  /** For all others. */
  readonly discovered: HttpClient;
}

export class ServerHttpClient implements Fetcher {
  readonly #clients: HttpClients;
  readonly #server: string;
  readonly #origins: ReadonlySet<string>;

  /** `config`: with values in place of references. */
  constructor(clients: HttpClients, { name, url, policy }: HttpServerConfig) {
    const { auth, origins } = policy;
    const issuer = auth === undefined || auth.grant === 'code' ? [] : [auth.issuer];
    const named = [url, ...issuer, ...origins].flatMap((text) => URL.parse(text)?.origin ?? []);
    this.#clients = clients;
    this.#server = name;
    this.#origins = new Set(named);
  }

  async fetch(...request: Parameters<HttpClient['fetch']>): Promise<HttpAnswer> {
    const { origin, protocol } = new URL(request[0]);
    const { named, discovered } = this.#clients;
    if (this.#origins.has(origin)) return named.fetch(...request);
    if (protocol !== 'https:') throw this.#blocked(origin, 'it is not https');
    try {
      return await discovered.fetch(...request);
    } catch (error) {
      if (error instanceof BlockedAddressError) throw this.#blocked(origin, error.message, error);
      throw error;
    }
  }

  #blocked(origin: string, why: string, cause?: Error): BlockedAddressError {
    const way = `if it belongs to the server, add "${origin}" to "baton": { "origins": […] } of "${this.#server}"`;
    return new BlockedAddressError(`${origin} is named by the server and not in mcp.json: ${why}; ${way}`, { cause });
  }
}
