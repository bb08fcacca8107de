/** Lists: cursor pages, one by one or one after the other. */
import type { OperationName } from '../operations.ts';
import type { AnswerTo, CallOptions, QueryOf } from './call.ts';
import { call } from './call.ts';
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
  /** At most so many; absent: all there are. */
  readonly limit?: number | undefined;
}

export type Params = Readonly<Record<string, string | number>>;

/** One page; `nextCursor` in it goes into the query for the next. */
export const pageOf = <Name extends ListName>(
  connection: Connection,
  name: Name,
  query: QueryOf<Name> | undefined,
  { params, ...options }: CallOptions & { readonly params?: Params } = {},
): Promise<AnswerTo<Name>> => call(connection, name, { ...(params && { params }), query, ...options });

/** Every item, page after page, for as long as the reader wants more. */
export async function* allOf<Name extends ListName>(
  connection: Connection,
  name: Name,
  query: QueryOf<Name> | undefined,
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
    // An empty page with a cursor to the same place would be read for ever.
    cursor = page.nextCursor === cursor ? undefined : page.nextCursor;
  } while (cursor !== undefined && left > 0);
}
