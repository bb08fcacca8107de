/** Pages of lists. */

export interface PageInput {
  readonly limit: number;
  /** The place where the previous page ended. */
  readonly after?: string | undefined;
}

export interface ListPage<Item> {
  readonly data: readonly Item[];
  /** The place where it ends; undefined if no page follows. */
  readonly next?: string | undefined;
}

/** A page of a list that is in memory, whose items have ids. */
export function pageIn<Item extends { readonly id: string }>(
  all: readonly Item[],
  { limit, after }: PageInput,
): ListPage<Item> {
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const data = all.slice(from, from + limit);
  return { data, next: from + limit < all.length ? data.at(-1)?.id : undefined };
}
