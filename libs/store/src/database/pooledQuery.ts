/**
 * Queries over a pooler that gives each transaction of a connection another session, as PgBouncer does with
 * `pool_mode = transaction`. What a session keeps is another process's afterwards: so settings are made within each
 * transaction, and no statement has a name.
 */
import { unawaited } from '@baton/primitives';
import type { Client } from 'pg';

import { codeOf } from './databaseError.ts';

type Callback = (error: unknown, result?: unknown) => void;
export type Query = (...given: unknown[]) => unknown;

/** `settings`: a statement that sets what holds until the end of the transaction. `send` is the query of the client. */
export function pooledQuery(client: Client, send: Query, settings: string): Query {
  /** Whether the transaction has begun, and has no settings: it may be given its isolation level, before any query. */
  let isBare = false;
  const ask = async (what: unknown, ...values: unknown[]): Promise<unknown> => {
    const text = textOf(what).trim();
    const asked = [unnamed(what), ...values];
    if (isInTransaction(client)) {
      if (!isBare || /^set transaction\b/i.test(text)) return send(...asked);
      isBare = false;
      await send(settings);
      return send(...asked);
    }
    const [, more] = /^begin;(.*)$/is.exec(text) ?? [];
    isBare = /^begin$/i.test(text);
    if (isBare) return send(begin);
    if (more !== undefined) return send(`${begin}; ${settings}; ${more}`);
    return alone(send, asked, settings);
  };
  return (...given) => {
    const callback = given.find((part) => typeof part === 'function') as Callback | undefined;
    const answer = ask(...(given.filter((part) => typeof part !== 'function') as [unknown, ...unknown[]]));
    if (callback === undefined) return answer;
    unawaited(tell(answer, callback));
    return undefined;
  };
}

async function tell(answer: Promise<unknown>, callback: Callback): Promise<void> {
  let result: unknown;
  try {
    result = await answer;
  } catch (error) {
    callback(error);
    return;
  }
  callback(undefined, result);
}

/** The default of the database or the role may be another one. */
const begin = 'begin isolation level read committed';

/** One statement in a transaction of its own. The pool has given the connection out, so no other caller uses it meanwhile. */
async function alone(send: Query, asked: readonly unknown[], settings: string): Promise<unknown> {
  await send(`${begin}; ${settings}`);
  let result: unknown;
  try {
    result = await send(...asked);
  } catch (error) {
    // Where no answer came, the connection is closed: another question would only be a second wait.
    if (codeOf(error) !== '') await Promise.resolve(send('rollback')).catch(() => undefined);
    throw error;
  }
  await send('commit');
  return result;
}

const isInTransaction = (client: Client): boolean => ['T', 'E'].includes(client.getTransactionStatus() ?? '');

const textOf = (what: unknown): string => (typeof what === 'string' ? what : String((what as { text?: unknown }).text));

function unnamed(what: unknown): unknown {
  if (typeof what === 'string') return what;
  const { name: _, ...rest } = Object(what) as { readonly name?: unknown };
  return rest;
}
