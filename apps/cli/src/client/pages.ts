/** Lists: cursor pages, read one after the other for as long as somebody wants more. */
import type { Json } from '@baton/language';

import type { Client, Query } from './client.ts';
import { UnreachableError } from './problem.ts';

const pageMax = 100;

export interface ListOptions {
  readonly query?: Query;
  /** At most so many; absent: all there are. */
  readonly limit?: number;
}

/** `Item` is what the contract says of the list; members that it does not name are kept. */
async function* list<Item>(client: Client, path: string, { query, limit }: ListOptions = {}): AsyncGenerator<Item> {
  let cursor: string | undefined;
  let left = limit ?? Number.POSITIVE_INFINITY;
  do {
    const size = limit === undefined ? {} : { limit: Math.min(left, pageMax) };
    const page = pageOf(client, await client.get(path, { ...query, ...size, cursor }));
    for (const item of page.data.slice(0, left)) yield item as Item;
    left -= page.data.length;
    // An empty page with a cursor to the same place would be read for ever.
    cursor = page.nextCursor === cursor ? undefined : page.nextCursor;
  } while (cursor !== undefined && left > 0);
}

export async function collect<Item>(client: Client, path: string, options: ListOptions = {}): Promise<Item[]> {
  return Array.fromAsync(list<Item>(client, path, options));
}

function pageOf({ url }: Client, json: Json): { data: readonly unknown[]; nextCursor?: string } {
  const { data, nextCursor } = (json ?? {}) as { data?: unknown; nextCursor?: unknown };
  if (!Array.isArray(data))
    throw new UnreachableError(url.href, `${url.href} answered with something that is no list.`);
  return typeof nextCursor === 'string' ? { data, nextCursor } : { data };
}
