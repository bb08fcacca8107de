import { fileURLToPath } from 'node:url';

import { type AddressOptions, findUrl } from '../client/address.ts';
import { isAway } from '../client/isAway.ts';
import type { Context } from '../context.ts';

const docsFolder = new URL('../../../../docs/', import.meta.url);

/**
 * The address of an entry of the docs: at the Baton that the options or this machine name, else its file in this
 * installation. Rejects with `CommandError` for an address that is none.
 */
export async function entryAddresses({ env }: Context, options: AddressOptions): Promise<(entry: string) => string> {
  try {
    const url = await findUrl(options, env);
    const base = `${url.origin}${url.pathname.replace(/\/$/, '')}`;
    return (entry) => `${base}/docs/${entry}`;
  } catch (error) {
    if (!isAway(error)) throw error;
    return (entry) => fileURLToPath(docsFolder) + entry.replace('#', '.md#');
  }
}
