import { UnavailableError } from '@baton/runner';
import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';

import { Prisma, PrismaClient } from '../generated/client.ts';
import { isRefusalCode } from './databaseError.ts';

export type Client = ReturnType<typeof openPrisma>;

/**
 * Prisma on Baton's own pool, where each statement ends after `answerMs` without an answer. Rejects with
 * `UnavailableError` when the database is not available.
 */
export function openPrisma(pool: Pool, answerMs: number, schema: string) {
  // Longer than the pool's own limits: the pool must be first to give up, since it then drops the dead connection.
  // Prisma would give up after two seconds and leave the connection in the pool.
  const transactionOptions = { maxWait: 3 * answerMs, timeout: 3 * answerMs };
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }), transactionOptions }).$extends({
    query: {
      $allOperations: ({ args, query }) => query(args).catch((error: unknown) => Promise.reject(asUnavailable(error))),
    },
  });
  return Object.assign(prisma, { $transaction: withUnavailableErrors(prisma.$transaction.bind(prisma)) });
}

type TransactionWork = (transaction: unknown) => Promise<unknown>;

/**
 * Translates errors of beginning and ending a transaction, which Prisma does not let extensions see. Errors that `work`
 * throws pass unchanged.
 */
function withUnavailableErrors<Transaction>(begin: Transaction): Transaction {
  const run = begin as (work: TransactionWork, options?: object) => Promise<unknown>;
  const wrapped = async (work: TransactionWork, options?: object): Promise<unknown> => {
    let thrown: unknown;
    const watched: TransactionWork = async (transaction) => {
      try {
        return await work(transaction);
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
    try {
      return await run(watched, options);
    } catch (error) {
      throw error === thrown ? error : asUnavailable(error);
    }
  };
  return wrapped as Transaction;
}

/** Codes P2xxx concern the query or its data, except these: pool exhausted, transaction lost or in conflict. */
const transientCodes = new Set(['P2024', 'P2028', 'P2034', 'P2037']);

function asUnavailable(error: unknown): unknown {
  if (error instanceof Prisma.PrismaClientValidationError) return error;
  if (error instanceof Prisma.PrismaClientKnownRequestError && isAboutData(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new UnavailableError(`the database cannot be asked now: ${message}`, { cause: error });
}

/**
 * Whether the query or its data is at fault. Where Postgres answered, its SQLSTATE decides: Prisma reports most errors of
 * a Postgres that starts, stops, is full or read-only (57P01, 57P03, 53100, 25006, …) as P2039, or P2010 for raw queries.
 */
function isAboutData({ code, meta }: Prisma.PrismaClientKnownRequestError): boolean {
  const { cause } = (meta?.['driverAdapterError'] ?? {}) as { cause?: { originalCode?: string } };
  if (cause?.originalCode !== undefined) return isRefusalCode(cause.originalCode);
  return code.startsWith('P2') && !genericCodes.has(code) && !transientCodes.has(code);
}

/** Codes that say nothing without the SQLSTATE. */
const genericCodes = new Set(['P2010', 'P2039']);
