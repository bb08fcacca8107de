import type { AddressOptions, Environment } from './address.ts';
import { findApiKey, findUrl } from './address.ts';
import { Client } from './client.ts';

/** For the API that the command line, the environment or this machine names. Throws `CommandError`. */
export async function createClient(options: AddressOptions, env: Environment): Promise<Client> {
  const url = findUrl(options, env);
  return new Client({ url, apiKey: await findApiKey(options, url, env) });
}
