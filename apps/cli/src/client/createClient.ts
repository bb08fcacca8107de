import { type Client, createClient as clientOf } from '@baton/api/client';

import { type AddressOptions, type Environment, findApiKey, findUrl } from './address.ts';

/** Creates a client for the API that the command line, the environment or this machine names. Throws `CommandError`. */
export async function createClient(options: AddressOptions, env: Environment): Promise<Client> {
  const url = await findUrl(options, env);
  // No automatic retries: a person sees the error and decides.
  return clientOf({ url, key: await findApiKey(options, url, env), retries: 0 });
}
