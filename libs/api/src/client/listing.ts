/** Reads lists: one page, or all items page after page. */
import type { OperationName } from '../operations.ts';
import { type AnswerTo, type CallOptions, type QueryOf, call } from './call.ts';
import type { Connection } from './connection.ts';

interface PageLike {
  readonly data: readonly unknown[];
  readonly nextCursor?: string | undefined;
}

/** Operations that answer with pages. */
type ListName = { [Name in OperationName]: AnswerTo<Name> extends PageLike ? Name : never }[OperationName];

type ItemOf<Name extends ListName> = AnswerTo<Name> extends { readonly data: readonly (infer Item)[] } ? Item : never;

const pageMax = 100;

export interface AllOptions extends CallOptions {
  /** The maximum of items; absent: all. */
  readonly limit?: number | undefined;
}

export type Params = Readonly<Record<string, string | number>>;

/** Reads one page. Pass its `nextCursor` as `cursor` to get the next. */
export const pageOf = <Name extends ListName>(
  connection: Connection,
  name: Name,
  query: QueryOf<Name> | undefined,
  { params, ...options }: CallOptions & { readonly params?: Params } = {},
): Promise<AnswerTo<Name>> => call(connection, name, { ...(params && { params }), query, ...options });

/** The filters of a list: how many items are read, and from where on, is not among them. */
export type FilterOf<Name extends ListName> = Omit<NonNullable<QueryOf<Name>>, 'limit' | 'cursor'>;

/** Yields all items; reads the next page when the caller needs it. */
export async function* allOf<Name extends ListName>(
  connection: Connection,
  name: Name,
  query: FilterOf<Name> | undefined,
  { limit, params, ...options }: AllOptions & { readonly params?: Params } = {},
): AsyncGenerator<ItemOf<Name>> {
  let cursor: string | undefined;
  let left = limit ?? Number.POSITIVE_INFINITY;
  do {
    const size = limit === undefined ? {} : { limit: String(Math.min(left, pageMax)) };
    const asked = { ...(query as object | undefined), ...size, ...(cursor === undefined ? {} : { cursor }) };
    const page = (await call(connection, name, {
      ...(params && { params }),
      query: asked as QueryOf<Name>,
      ...options,
    })) as PageLike;
    yield* page.data.slice(0, left) as ItemOf<Name>[];
    left -= page.data.length;
    // A page whose cursor does not move would be read for ever.
    cursor = page.nextCursor === cursor ? undefined : page.nextCursor;
  } while (cursor !== undefined && left > 0);
}
