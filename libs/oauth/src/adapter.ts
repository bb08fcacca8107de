import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';

import type { OAuthRecords } from './oauthRecords.ts';

/** What leads from the code that a person types to that of the device. It is used up by the decision. */
export const userCodeKind = 'UserCode';

/** Gives the library what it remembers, one kind at a time. */
export class RecordAdapter implements Adapter {
  readonly #kind: string;
  readonly #records: OAuthRecords;

  constructor(kind: string, records: OAuthRecords) {
    this.#kind = kind;
    this.#records = records;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number | undefined): Promise<void> {
    const { jti: _itself, consumed: _state, ...rest } = payload;
    const grantId = this.#kind === 'Grant' ? id : payload.grantId;
    const lifeMs = expiresIn === undefined ? undefined : expiresIn * 1_000;
    await this.#records.put(this.#kind, id, { payload: rest, grantId, lifeMs });
    const { userCode, accountId, error } = payload;
    if (userCode === undefined || accountId !== undefined || error !== undefined) return;
    await this.#records.put(userCodeKind, userCode, { payload: { deviceCode: id }, grantId: undefined, lifeMs });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const record = await this.#records.find(this.#kind, id);
    if (record === undefined) return undefined;
    const { payload, consumedAt } = record;
    // A client has no `jti`.
    const itself = this.#kind === 'Client' ? {} : { jti: id };
    return { ...payload, ...itself, ...(consumedAt === undefined ? {} : { consumed: consumedAt }) };
  }

  /** Of two requests with the same code or token, one gets an answer. One that is refused uses nothing up. */
  async consume(id: string): Promise<void> {
    await this.#checkTarget(id);
    if (!(await this.#records.consume(this.#kind, id))) throw new errors.InvalidGrant('used before');
  }

  /** The library looks at the address only afterwards: the honest request that follows would count as a replay. */
  async #checkTarget(id: string): Promise<void> {
    const asked = Provider.ctx?.oidc.params?.['resource'];
    if (asked === undefined) return;
    const given = (await this.find(id))?.resource;
    if (typeof asked !== 'string' || ![given].flat().includes(asked))
      throw new errors.InvalidTarget('name the one resource to which the person agreed');
  }

  async destroy(id: string): Promise<void> {
    if (this.#kind === 'Grant') await this.#records.endGrant(id, endReason());
    else await this.#records.remove(this.#kind, id);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    // The library calls it for each kind of the same agreement.
    if (this.#kind === 'AccessToken') await this.#records.endGrant(grantId, endReason());
  }

  /** Only features that are off look sessions up by it. */
  async findByUid(): Promise<undefined> {
    return undefined;
  }

  /** Undefined also for one that was decided. */
  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const found = await this.#records.find(userCodeKind, userCode);
    return found === undefined || found.consumedAt !== undefined
      ? undefined
      : this.find(String(found.payload['deviceCode']));
  }
}

/** The client asked for it, or else a code or a token came a second time. */
const endReason = () => (Provider.ctx?.oidc.route === 'revocation' ? 'client' : 'reuse');
