/**
 * Stores authorizations for servers (tokens, client, a log-in in progress), of the installation and of people, encrypted
 * like secrets and beside them. All processes share it. No route lists or reveals it, and no workflow can refer to it.
 */
import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../journal/storableText.ts';
import { authorizationName, lockLogin, loginEnd } from './personLogins.ts';
import type { Vault } from './vault.ts';

export interface Authorizations {
  /** The last saved value; undefined also if it is encrypted with another key. */
  load(server: string, login?: string): Promise<string | undefined>;
  /** Stores nothing for a person who was removed. */
  save(server: string, text: string, login?: string): Promise<void>;
  /** Whether the provider of the person does not vouch for them: the login is not used until they log in again. */
  isSuspended(login: string): Promise<boolean>;
}

/** `by`: stored as the author of each saved value. All methods reject with `UnavailableError`. */
export function storedAuthorizations({ prisma }: Database, vault: Vault, by: string): Authorizations {
  return {
    async load(server, login) {
      const name = authorizationName(server, login);
      if (!isStorable(name)) return undefined;
      const row = await prisma.secret.findFirst({ where: { name }, orderBy: { version: 'desc' } });
      if (row === null) return undefined;
      const { version, keyId } = row;
      const box = { sealed: Buffer.from(row.sealed), wrapped: Buffer.from(row.wrapped), keyId };
      return vault.open(box, { name, version });
    },
    async save(server, text, login) {
      const name = authorizationName(server, login);
      await prisma.$transaction(async (transaction) => {
        if (login !== undefined) await lockLogin(transaction, login);
        // Concurrent saves wait for each other.
        await transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${name}, 7001))`;
        const newest = await transaction.secret.findFirst({ where: { name }, orderBy: { version: 'desc' } });
        // What is there was not deleted with its person.
        if (newest === null && login !== undefined && (await loginEnd(transaction, login)) === 'removed') return;
        const version = (newest?.version ?? 0) + 1;
        const { sealed, wrapped, keyId } = vault.seal(text, { name, version });
        await transaction.secret.create({
          data: {
            name,
            version,
            sealed: new Uint8Array(sealed),
            wrapped: new Uint8Array(wrapped),
            keyId,
            createdBy: by,
          },
        });
        // A replaced token has no further use.
        await transaction.secret.deleteMany({ where: { name, version: { lt: version } } });
      });
    },
    isSuspended: async (login) => (await loginEnd(prisma, login)) !== undefined,
  };
}

/**
 * Records in the audit that a person began to log in to a server, or logged out of it. Rejects with `UnavailableError`.
 */
export const noteServerAccess = (
  { prisma, auditKeys, now }: Database,
  action: 'server.login' | 'server.logout',
  server: string,
  by: string,
): Promise<void> =>
  prisma.$transaction((transaction) => noteAction(transaction, { auditKeys, now }, { by, action, target: server }));
