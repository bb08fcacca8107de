/**
 * Keeps what the authorization server remembers: its codes and tokens as HMACs, and what it says of them sealed, both under
 * keys that are not in the database. So its owner can neither use nor make one, nor give one other rights.
 */
import { createHmac } from 'node:crypto';

import type { NewOAuthRecord, OAuthPayload, OAuthRecord, OAuthRecords } from '@baton/oauth';
import { cleanText } from '@baton/primitives';
import {
  type Database,
  consumeOAuthRecord,
  endConnectedClient,
  findOAuthRecord,
  noteClientRegistered,
  noteClientToken,
  putOAuthRecord,
  removeOAuthRecord,
  renewOAuthRecord,
} from '@baton/store';

import { TextSeal } from '../live/textSeal.ts';

/** A client that got no token for so long is removed. */
export const clientUnusedMs = 90 * 24 * 3_600_000;
/** A client that registered has so long to get its first token. */
export const registrationMs = 24 * 3_600_000;

interface SealedRecordOptions {
  readonly store: Database;
  /** The first one makes digests and seals; records are recognised with any of them. */
  readonly secretKeys: readonly Buffer[];
  /** Called with the id of an agreement that ended. */
  readonly onEnded: (grantId: string) => void;
}

export class SealedRecords implements OAuthRecords {
  readonly #options: SealedRecordOptions;
  readonly #seal: TextSeal;

  constructor(options: SealedRecordOptions) {
    this.#options = options;
    this.#seal = new TextSeal(options.secretKeys);
  }

  async put(kind: string, id: string, { payload, grantId, lifeMs }: NewOAuthRecord): Promise<void> {
    const { store } = this.#options;
    const [digest = Buffer.alloc(0)] = this.digestsOf(kind, id);
    const isClient = kind === 'Client';
    const endsInMs = isClient ? registrationMs : lifeMs;
    const expiresAt = endsInMs === undefined ? undefined : store.now() + endsInMs;
    const sealed = this.#seal.seal(JSON.stringify({ of: digest.toString('base64url'), payload }));
    await putOAuthRecord(store, { digest, kind, grantId, sealed, expiresAt });
    if (isClient) await noteClientRegistered(store, id, nameOf(payload));
    if (kind !== 'AccessToken' || grantId === undefined) return;
    await noteClientToken(store, grantId);
    await this.#renewClient(payload);
  }

  async find(kind: string, id: string): Promise<OAuthRecord | undefined> {
    for (const digest of this.digestsOf(kind, id)) {
      const found = await this.findBy(digest);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Undefined also for a row that was changed, or is that of another one. */
  async findBy(digest: Buffer): Promise<OAuthRecord | undefined> {
    const stored = await findOAuthRecord(this.#options.store, digest);
    const text = stored && this.#seal.open(stored.sealed);
    if (stored === undefined || text === undefined) return undefined;
    const { of, payload } = JSON.parse(text) as { readonly of: string; readonly payload: OAuthPayload };
    if (of !== digest.toString('base64url')) return undefined;
    const { consumedAt } = stored;
    return { payload, ...(consumedAt !== undefined && { consumedAt: Math.floor(consumedAt / 1_000) }) };
  }

  async consume(kind: string, id: string): Promise<boolean> {
    for (const digest of this.digestsOf(kind, id))
      if (await consumeOAuthRecord(this.#options.store, digest)) return true;
    return false;
  }

  async remove(kind: string, id: string): Promise<void> {
    for (const digest of this.digestsOf(kind, id)) await removeOAuthRecord(this.#options.store, digest);
  }

  async endGrant(grantId: string, reason: 'client' | 'reuse'): Promise<void> {
    await endConnectedClient(this.#options.store, grantId, { by: 'oauth', reason });
    this.#options.onEnded(grantId);
  }

  /** One of each key of the installation, the current one first. */
  digestsOf(kind: string, id: string): readonly Buffer[] {
    return this.#options.secretKeys.map((key) => createHmac('sha256', key).update(`${kind}\n${id}`).digest());
  }

  /** A client that registered stays while it is used. */
  async #renewClient({ clientId }: OAuthPayload): Promise<void> {
    const { store } = this.#options;
    for (const digest of this.digestsOf('Client', String(clientId)))
      await renewOAuthRecord(store, digest, store.now() + clientUnusedMs);
  }
}

/** As the client calls itself. */
const nameOf = ({ client_name: name }: OAuthPayload): string => (typeof name === 'string' ? cleanText(name, 80) : '');
