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
export function openPrisma(pool: Pool, answerMs: number) {
  // The pool gives up a connection and a BEGIN by itself, and then knows that they are dead. Prisma gives up after two
  // seconds, and tells the pool nothing.
  const transactionOptions = { maxWait: 3 * answerMs };
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions }).$extends({
    query: {
      $allOperations: ({ args, query }) => query(args).catch((error: unknown) => Promise.reject(asUnavailable(error))),
    },
  });
  return Object.assign(prisma, { $transaction: tellingTransaction(prisma.$transaction.bind(prisma)) });
}

type TransactionWork = (transaction: unknown) => Promise<unknown>;

/**
 * Beginning and ending a transaction are no operations that Prisma lets us extend; errors thrown within it pass
 * unchanged.
 */
function tellingTransaction<Transaction>(begin: Transaction): Transaction {
  const run = begin as (work: TransactionWork, options?: object) => Promise<unknown>;
  const telling = async (work: TransactionWork, options?: object): Promise<unknown> => {
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
  return telling as Transaction;
}

/**
 * P2xxx tells of the query or its data, but for these: pool exhausted, transaction lost or in conflict, no connection.
 */
const passing = new Set(['P2024', 'P2028', 'P2034', 'P2037']);

function asUnavailable(error: unknown): unknown {
  if (error instanceof Prisma.PrismaClientValidationError) return error;
  if (error instanceof Prisma.PrismaClientKnownRequestError && isAboutData(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new UnavailableError(`the database cannot be asked now: ${message}`, { cause: error });
}

/**
 * Where the database itself answered, its SQLSTATE says whose fault it is: Prisma has no name for most of what a Postgres
 * says that starts, recovers, stops, is full or read-only (57P01, 57P03, 53100, 25006, …), and calls all of it P2039, or
 * P2010 where the statement was raw.
 */
function isAboutData({ code, meta }: Prisma.PrismaClientKnownRequestError): boolean {
  const { cause } = (meta?.['driverAdapterError'] ?? {}) as { cause?: { originalCode?: string } };
  if (cause?.originalCode !== undefined) return isRefusalCode(cause.originalCode);
  return code.startsWith('P2') && !nameless.has(code) && !passing.has(code);
}

/** Codes that tell nothing without the SQLSTATE. */
const nameless = new Set(['P2010', 'P2039']);
