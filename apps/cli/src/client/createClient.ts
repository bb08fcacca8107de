import { type Client, createClient as clientOf } from '@baton/api/client';

import type { Environment } from '../environment.ts';
import { type AddressOptions, findApiKey, findUrl, givenKey } from './address.ts';
import { SavedLogin } from './savedLogin.ts';

export interface FoundClient {
  readonly client: Client;
  /** The log-in that it uses; undefined: it has a key, or none. */
  readonly login: SavedLogin | undefined;
}

/**
 * Creates a client for the API that the command line, the environment or this machine names: with the key that they give,
 * else with the log-in of this account there, else with the key in the data folder. Rejects with `CommandError`.
 */
export async function findClient(options: AddressOptions, env: Environment): Promise<FoundClient> {
  const url = await findUrl(options, env);
  const login = givenKey(options, env) === undefined ? await SavedLogin.of(url, env) : undefined;
  const key = login === undefined ? await findApiKey(options, url, env) : () => login.token();
  // No automatic retries: a person sees the error and decides.
  return { client: clientOf({ url, key, retries: 0 }), login };
}
