/** Implements `KeyValues` of libs/runner: what the workflows of one project share. */
import { limits } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import type { KeyValue, KeyValues } from '@baton/runner';
import type { Pool } from 'pg';

import { queryRows } from '../database/queryRows.ts';

const ofSpace = 'project = $1 and is_inline = $2';

export const keyValuesIn = (pool: Pool): KeyValues => ({
  async get({ project, isInline }, key) {
    const text = `select value::text as value from kv_value where ${ofSpace} and key = $3`;
    const [row] = await queryRows<{ value: string }>(pool, text, [project, isInline, key]);
    return row && { value: JSON.parse(row.value) as Json };
  },
  async put({ project, isInline }, { key, value, by }) {
    const text = JSON.stringify(value);
    // Two that write at once may each see the last free place: the limit keeps a project small, and not to the key.
    const rows = await queryRows(
      pool,
      `insert into kv_value (project, is_inline, key, value, bytes, by)
       select $1, $2, $3, $4::json, $5, $6
       where exists (select from kv_value where ${ofSpace} and key = $3)
         or (select count(*) from kv_value where ${ofSpace}) < $7
       on conflict (project, is_inline, key)
         do update set value = excluded.value, bytes = excluded.bytes, by = excluded.by, at = now()
       returning true as written`,
      [project, isInline, key, text, Buffer.byteLength(text), by, limits.kv.keys],
    );
    return rows.length > 0;
  },
  async list({ project, isInline }, { prefix, after, limit }) {
    const rows = await queryRows<KeyValue>(
      pool,
      `select key, bytes, at from kv_value where ${ofSpace} and key >= $3 and starts_with(key, $3)
         and ($4::text is null or key > $4) order by key limit $5`,
      [project, isInline, prefix, after ?? null, limit + 1],
    );
    const keys = rows.slice(0, limit);
    const next = rows.length > limit ? keys.at(-1)?.key : undefined;
    return next === undefined ? { keys } : { keys, next };
  },
  async delete({ project, isInline }, key) {
    const text = `delete from kv_value where ${ofSpace} and key = $3 returning true as deleted`;
    return (await queryRows(pool, text, [project, isInline, key])).length > 0;
  },
});
