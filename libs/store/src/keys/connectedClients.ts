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

/** Keeps an agreement, which replaces earlier ones of the key with the client for the same address. */
export async function putConnectedClient(database: Database, client: NewConnectedClient, by: string): Promise<void> {
  const { id, clientId, keyId, resource, name, choice, scopes } = client;
  await database.prisma.$transaction(async (transaction) => {
    await end(transaction, { clientId, keyId, resource });
    await transaction.connectedClient.create({
      data: { ...client, scopes: [...scopes], createdAt: new Date(database.now()) },
    });
    const detail = { client: clientId, name, resource, choice, scopes: [...scopes] };
    await noteAction(transaction, database, { by, action: 'client.agreed', target: id, detail });
  });
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

/** Newest first. `keyId`: only those of the key. */
export async function listConnectedClients(
  { prisma }: Database,
  { keyId }: { readonly keyId?: string | undefined } = {},
): Promise<readonly (ConnectedClient & { readonly keyName: string })[]> {
  const rows = await prisma.connectedClient.findMany({
    ...(keyId !== undefined && { where: { keyId } }),
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
  });
  const ids = [...new Set(rows.map((row) => row.keyId))];
  const keys = await prisma.apiKey.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...clientOf(row), keyName: names.get(row.keyId) ?? '' }));
}

/** Notes that it got a token. */
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
      const detail = { client: client?.clientId ?? '', name: client?.name ?? '' };
      await noteAction(transaction, database, { by: 'oauth', action: 'client.connected', target: id, detail });
    }
  });
}

/** False where there is none. */
export async function endConnectedClient(
  database: Database,
  id: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<boolean> {
  if (!isStorable(id)) return false;
  return database.prisma.$transaction(async (transaction) => {
    const [ended] = await end(transaction, { id });
    // An agreement that no client has taken up leaves codes without a row here.
    await transaction.oAuthRecord.deleteMany({ where: { grantId: id } });
    if (ended === undefined) return false;
    const detail = { client: ended.clientId, name: ended.name, reason };
    await noteAction(transaction, database, { by, action: 'client.revoked', target: id, detail });
    return true;
  });
}

/** How many clients there are: connected ones and those that have registered. */
export async function countOAuthClients({ prisma }: Database): Promise<number> {
  const [connected, registered] = await Promise.all([
    prisma.connectedClient.findMany({ distinct: ['clientId'], select: { clientId: true } }),
    prisma.oAuthRecord.count({ where: { kind: 'Client' } }),
  ]);
  return connected.length + registered;
}

/** Removes records that have expired, and clients that got no token since `unusedSince`. Resolves to their number. */
export async function removeUnusedClients(database: Database, unusedSince: number): Promise<number> {
  const { prisma, now } = database;
  await prisma.oAuthRecord.deleteMany({ where: { expiresAt: { lte: new Date(now()) } } });
  const before = { lt: new Date(unusedSince) };
  const unused = await prisma.connectedClient.findMany({
    where: { OR: [{ lastUsedAt: before }, { lastUsedAt: null, createdAt: before }] },
    select: { id: true },
  });
  for (const { id } of unused) await endConnectedClient(database, id, { by: 'retention', reason: 'unused' });
  return unused.length;
}

type ClientTransaction = Pick<Database['prisma'], 'connectedClient' | 'oAuthRecord'>;

/** Ends those of a key that is revoked. */
export const endClientsOfKey = (transaction: ClientTransaction, keyId: string): Promise<unknown> =>
  end(transaction, { keyId });

type ClientWhere =
  | { readonly id: string }
  | { readonly keyId: string; readonly clientId?: string; readonly resource?: string };

async function end(transaction: ClientTransaction, where: ClientWhere) {
  const ended = await transaction.connectedClient.findMany({ where });
  const ids = ended.map(({ id }) => id);
  await transaction.oAuthRecord.deleteMany({ where: { grantId: { in: ids } } });
  await transaction.connectedClient.deleteMany({ where: { id: { in: ids } } });
  return ended;
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
