/** Admits requests with an access token that another authorization server signed (RFC 9068). */
import { createHash } from 'node:crypto';

import { isClientId, ProviderFault, type TokenIssuer, TokenRefusal, wordsIn } from '@baton/oauth';
import type { JsonObject } from '@baton/primitives';
import type { Clock } from '@baton/runner';

import { IdentityUnavailableError } from '../keys/identityUnavailable.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Principal, TokenGrants } from '../keys/scopes.ts';
import { type AskedResource, type IssuedTokens, invalidToken } from '../oauth/accessTokens.ts';
import { rightsIn } from '../oauth/clientChoices.ts';
import { clientPrincipal } from '../oauth/clientPrincipal.ts';
import type { ClaimGrants } from './claimGrants.ts';
import type { IssuedPeople } from './issuedPeople.ts';

/** A token that its server made for longer is good again when it is shown again: a time must be one that can be written. */
const longestMs = 365 * 24 * 3_600_000;

interface SignedTokenOptions {
  readonly issuer: TokenIssuer;
  readonly people: IssuedPeople;
  readonly grants: ClaimGrants;
  readonly keyring: Pick<Keyring, 'refuse'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The server did not answer, or not as it should. */
  readonly onFault: (fault: ProviderFault) => void;
}

export class SignedTokens implements IssuedTokens {
  readonly #options: SignedTokenOptions;

  constructor(options: SignedTokenOptions) {
    this.#options = options;
  }

  async admit(text: string, { resource, address, from }: AskedResource): Promise<Principal> {
    const { issuer, people, clock } = this.#options;
    try {
      const claims = await issuer.verify(text, { kind: 'access', audience: address, now: clock.now() });
      const [clientId, said] = [clientIn(claims), saidBy(claims, this.#options.grants)];
      const holder = await people.admit(claims, said);
      if (holder === undefined) throw new TokenRefusal('Its person was removed here.', { isOver: true });
      const name = `${encodedName(clientId)} (${issuer.host})`;
      const id = digestOf([issuer.issuer, claims.sub, clientId]);
      const rights = rightsIn(wordsIn(claims, 'scope'), resource);
      const expiresAt = Math.min(Number(claims['exp']) * 1_000, clock.now() + longestMs);
      return clientPrincipal(rights, expiresAt, name, { id, holder, name, said });
    } catch (error) {
      if (error instanceof ProviderFault) throw this.#unavailable(error);
      if (!(error instanceof TokenRefusal)) throw error;
      const problem = invalidToken(error.message);
      throw error.isOver ? problem : this.#options.keyring.refuse(from, problem);
    }
  }

  find(personId: string, said: TokenGrants): Promise<Principal | undefined> {
    return this.#options.people.find(personId, said);
  }

  #unavailable(fault: ProviderFault): IdentityUnavailableError {
    this.#options.onFault(fault);
    return new IdentityUnavailableError(fault.message, { cause: fault });
  }
}

/** A token without scopes gives what its claims give. */
export const saidBy = (claims: JsonObject, grants: ClaimGrants): TokenGrants => ({
  claimed: grants.of(claims),
  isByClaims: wordsIn(claims, 'scope') === undefined,
});

/** Throws `TokenRefusal`. */
function clientIn(claims: JsonObject): string {
  const found = [claims['client_id'], claims['azp']].find((one) => typeof one === 'string' && one !== '');
  if (!isClientId(found)) throw new TokenRefusal('It does not say for which client it is (client_id).');
  return found;
}

/** The same for one client alone, without brackets and without invisible characters: runs are told apart by it. */
const encodedName = (clientId: string): string =>
  encodeURI(clientId.toWellFormed()).replaceAll('(', '%28').replaceAll(')', '%29');

export const digestOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
