/** Clients that people connected with OAuth. What ends one ends its codes and tokens. */
import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../journal/storableText.ts';

export interface ConnectedClient {
  /** Of the agreement (OAuth: grant). */
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  /** A digest of what the client said of itself when a person agreed. */
  readonly described: string;
  readonly keyId: string;
  /** The only address for which its tokens are good. */
  readonly resource: string;
  readonly choice: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  /** When it last got a token. */
  readonly lastUsedAt: number | undefined;
}

export type NewConnectedClient = Omit<ConnectedClient, 'createdAt' | 'lastUsedAt'>;

/** Agreements of a key with one client for one address: a person has it on several machines. */
const sameMax = 10;
/** What is not taken up within this time is no agreement. */
const unclaimedMs = 3_600_000;

/** Keeps an agreement, once. Earlier ones stay: this one may never be taken up. */
export async function putConnectedClient(database: Database, client: NewConnectedClient, by: string): Promise<void> {
  const { id, clientId, resource, name, choice, scopes } = client;
  const data = { ...client, scopes: [...scopes], createdAt: new Date(database.now()) };
  await database.prisma.$transaction(async (transaction) => {
    const { count } = await transaction.connectedClient.createMany({ data: [data], skipDuplicates: true });
    if (count === 0) return;
    const detail = { client: clientId, name, resource, choice, scopes: [...scopes] };
    await noteAction(transaction, database, { by, action: 'client.agreed', target: id, detail });
  });
}

/** Keeps an agreement that may be here already: requests at the same time add one. */
export async function ensureConnectedClient(database: Database, client: NewConnectedClient, by: string): Promise<void> {
  if ((await findConnectedClient(database, client.id)) === undefined) await putConnectedClient(database, client, by);
}

export async function findConnectedClient({ prisma }: Database, id: string): Promise<ConnectedClient | undefined> {
  if (!isStorable(id)) return undefined;
  const row = await prisma.connectedClient.findUnique({ where: { id } });
  return row === null ? undefined : clientOf(row);
}

/** Whether any key has connected the client. */
export async function isConnectedClient({ prisma }: Database, clientId: string): Promise<boolean> {
  if (!isStorable(clientId)) return false;
  return (await prisma.connectedClient.findFirst({ where: { clientId }, select: { id: true } })) !== null;
}

/** Newest first. `keyId`: only those of the key or person. `id`: only this one. */
export async function listConnectedClients(
  { prisma }: Database,
  where: { readonly keyId?: string; readonly id?: string } = {},
): Promise<readonly (ConnectedClient & { readonly keyName: string })[]> {
  const rows = await prisma.connectedClient.findMany({
    where,
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
  });
  const ids = [...new Set(rows.map((row) => row.keyId))];
  const named = { where: { id: { in: ids } }, select: { id: true, name: true } } as const;
  const holders = await Promise.all([prisma.apiKey.findMany(named), prisma.person.findMany(named)]);
  const names = new Map(holders.flat().map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...clientOf(row), keyName: names.get(row.keyId) ?? '' }));
}

/** Records in the audit that a client registered itself. */
export const noteClientRegistered = ({ prisma, auditKeys, now }: Database, id: string, name: string): Promise<void> =>
  prisma.$transaction((transaction) =>
    noteAction(
      transaction,
      { auditKeys, now },
      { by: 'oauth', action: 'client.registered', target: id, detail: { name } },
    ),
  );

/** Notes that it got a token. With the first, the oldest of too many agreements with the same client ends. */
export async function noteClientToken(database: Database, id: string): Promise<void> {
  await database.prisma.$transaction(async (transaction) => {
    const lastUsedAt = new Date(database.now());
    const first = await transaction.connectedClient.updateMany({
      where: { id, lastUsedAt: null },
      data: { lastUsedAt },
    });
    if (first.count === 0) await transaction.connectedClient.updateMany({ where: { id }, data: { lastUsedAt } });
    else {
      const client = await transaction.connectedClient.findUnique({ where: { id } });
      const replaced = client === null ? [] : await endOldest(transaction, client);
      // The lock of the audit comes last: another process may hold the row of one that ends, and wait for the lock.
      const detail = { client: client?.clientId ?? '', name: client?.name ?? '' };
      await noteAction(transaction, database, { by: 'oauth', action: 'client.connected', target: id, detail });
      for (const one of replaced) await noteRevoked(transaction, database, one, { by: 'oauth', reason: 'replaced' });
    }
  });
}

/** Resolves to those that end. */
async function endOldest(
  transaction: ClientTransaction,
  { clientId, keyId, resource }: ConnectedClientRow,
): Promise<readonly ConnectedClientRow[]> {
  const oldest = await transaction.connectedClient.findMany({
    where: { clientId, keyId, resource, lastUsedAt: { not: null } },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    skip: sameMax,
  });
  await end(
    transaction,
    oldest.map(({ id }) => id),
  );
  return oldest;
}

interface Revocation {
  readonly by: string;
  readonly reason: string;
}

const noteRevoked = (
  transaction: Parameters<typeof noteAction>[0],
  database: Database,
  { id: target, clientId: client, name }: ConnectedClientRow,
  { by, reason }: Revocation,
): Promise<void> =>
  noteAction(transaction, database, { by, action: 'client.revoked', target, detail: { client, name, reason } });

/** False where there is none. */
export async function endConnectedClient(database: Database, id: string, revocation: Revocation): Promise<boolean> {
  if (!isStorable(id)) return false;
  return database.prisma.$transaction(async (transaction) => {
    const ended = await transaction.connectedClient.findUnique({ where: { id } });
    await end(transaction, [id]);
    if (ended !== null) await noteRevoked(transaction, database, ended, revocation);
    return ended !== null;
  });
}

/** How many clients are connected. */
export async function countConnectedClients({ prisma }: Database): Promise<number> {
  return (await prisma.connectedClient.findMany({ distinct: ['clientId'], select: { clientId: true } })).length;
}

/**
 * Removes records that have expired, clients that got no token since `unusedSince`, and agreements that no client took up.
 * Resolves to the number of clients and agreements.
 */
export async function removeUnusedClients(database: Database, unusedSince: number): Promise<number> {
  const { prisma, now } = database;
  await prisma.oAuthRecord.deleteMany({ where: { expiresAt: { lte: new Date(now()) } } });
  const isUnclaimed = { lastUsedAt: null, createdAt: { lt: new Date(now() - unclaimedMs) } };
  const unused = await prisma.connectedClient.findMany({
    where: { OR: [{ lastUsedAt: { lt: new Date(unusedSince) } }, isUnclaimed] },
    select: { id: true },
  });
  for (const { id } of unused) await endConnectedClient(database, id, { by: 'retention', reason: 'unused' });
  return unused.length;
}

type ClientTransaction = Pick<Database['prisma'], 'connectedClient' | 'oAuthRecord'>;

/** Ends those of keys and people. */
export async function endClientsOf(transaction: ClientTransaction, holders: readonly string[]): Promise<void> {
  const where = { keyId: { in: [...holders] } };
  const ended = await transaction.connectedClient.findMany({ where, select: { id: true } });
  await end(
    transaction,
    ended.map(({ id }) => id),
  );
}

/** With its codes and tokens. */
async function end(transaction: ClientTransaction, ids: readonly string[]): Promise<void> {
  await transaction.oAuthRecord.deleteMany({ where: { grantId: { in: [...ids] } } });
  await transaction.connectedClient.deleteMany({ where: { id: { in: [...ids] } } });
}

interface ConnectedClientRow extends Omit<ConnectedClient, 'createdAt' | 'lastUsedAt'> {
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const clientOf = (row: ConnectedClientRow): ConnectedClient => ({
  ...row,
  createdAt: row.createdAt.getTime(),
  lastUsedAt: row.lastUsedAt?.getTime(),
});
