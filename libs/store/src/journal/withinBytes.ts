/**
 * Limits how much of journals Postgres returns at once: a statement that takes longer than an answer may, takes so each time
 * it is tried again.
 */

/** An event has up to 64 KiB, and a line of one megabyte a second is slow. */
export const answerBytes = 4 * 1024 * 1024;

/**
 * A query of as many rows of `page` as fit, at least one. `page`: a query with the text of events in its column `data`.
 * `order`: the columns by which it is sorted. The last row tells in `isCut` whether `page` has more rows.
 */
export const withinBytes = (page: string, order: string): string => `select * from (
    select page.*, lead(true, 1, false) over way as "isCut",
      sum(octet_length(data::text)) over way as bytes, row_number() over way as place
    from (${page}) as page window way as (order by ${order} rows unbounded preceding)) as sized
  where bytes <= ${answerBytes} or place = 1 order by ${order}`;
