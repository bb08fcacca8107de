/**
 * Takes assertions of an identity provider that a client may act for a person, each once over all processes, and says what
 * the access token for it gives (draft-ietf-oauth-identity-assertion-authz-grant, section 4.4).
 */
import {
  type AskedAssertion,
  type AssertedGrant,
  AssertionRefusal,
  ProviderFault,
  type TokenIssuer,
  TokenRefusal,
  wordsIn,
} from '@baton/oauth';
import { cleanText, type JsonObject } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type Database, ensureConnectedClient } from '@baton/store';

import { writableName } from '../keys/actor.ts';
import { IdentityUnavailableError } from '../keys/identityUnavailable.ts';
import { accountOf } from '../oauth/accessTokens.ts';
import { limitedTo, rightsIn, type TokenResource, tokenResources, weakerChoice } from '../oauth/clientChoices.ts';
import type { SealedRecords } from '../oauth/sealedRecords.ts';
import type { ClaimGrants } from './claimGrants.ts';
import type { IssuedPeople } from './issuedPeople.ts';
import { digestOf, saidBy } from './signedTokens.ts';

/** An assertion that is good for longer is no assertion, but a token. */
const lifeMaxMs = 3_600_000;
/** Of the clocks of two machines. */
const skewMs = 60_000;
const kind = 'Assertion';

interface AssertionOptions {
  readonly store: Database;
  readonly records: SealedRecords;
  readonly issuer: TokenIssuer;
  readonly people: IssuedPeople;
  readonly grants: ClaimGrants;
  readonly clock: Pick<Clock, 'now'>;
  /** The identity provider did not answer, or not as it should. */
  readonly onFault: (fault: ProviderFault) => void;
}

export class Assertions {
  readonly #options: AssertionOptions;

  constructor(options: AssertionOptions) {
    this.#options = options;
  }

  /** `audience`: Baton's own issuer, at which the client asks. Rejects with `AssertionRefusal` and `UnavailableError`. */
  async take(asked: AskedAssertion, audience: string): Promise<AssertedGrant> {
    const { issuer, clock, onFault } = this.#options;
    try {
      const now = clock.now();
      return await this.#granted(
        asked,
        audience,
        await issuer.verify(asked.assertion, { kind: 'assertion', audience, now }),
      );
    } catch (error) {
      if (error instanceof TokenRefusal)
        throw new AssertionRefusal('invalid_grant', `The assertion is not taken. ${error.message}`, { cause: error });
      if (!(error instanceof ProviderFault)) throw error;
      onFault(error);
      throw new IdentityUnavailableError(error.message, { cause: error });
    }
  }

  async #granted(asked: AskedAssertion, audience: string, claims: Claims): Promise<AssertedGrant> {
    const { client } = asked;
    const { people, grants } = this.#options;
    if (claims['client_id'] !== client.id) throw new TokenRefusal('It is for another client (client_id).');
    const { resource, path } = resourceOf(claims, asked.resource, audience);
    const words = wordsIn(claims, 'scope');
    const said = saidBy(claims, grants);
    const rights = rightsIn(words, path);
    const use = this.#useOf(claims);
    const holder = await people.admit(claims, said);
    if (holder === undefined) throw new TokenRefusal('Its person was removed here.');
    // What the client asks for only narrows what the assertion says: a choice with its limits, too.
    const wanted = rightsIn(asked.scopes, path);
    const choice = weakerChoice(rights.choice, wanted.choice);
    const scopes = [...limitedTo(holder, { ...rights, choice }).scopes].filter(
      (scope) => rights.scopes.includes(scope) && wanted.scopes.includes(scope),
    );
    if (scopes.length === 0)
      throw new AssertionRefusal(
        'invalid_scope',
        `The assertion gives ${holder.name} nothing of what is asked for here.`,
      );
    // What is refused uses nothing up: the client may ask again, for less.
    await this.#useUp(use);
    const name = writableName(cleanText(client.name ?? client.id, 80), 80) || client.id.slice(0, 80);
    const grantId = digestOf([holder.id, client.id, resource, choice, ...scopes.toSorted()]);
    const about = { clientId: client.id, name, described: '', keyId: holder.id, resource, choice, scopes };
    await ensureConnectedClient(this.#options.store, { ...about, id: grantId }, holder.by);
    return { accountId: accountOf({ keyId: holder.id, choice, said }), grantId, resource, scopes };
  }

  /** Throws `TokenRefusal`. */
  #useOf({ jti, exp }: Claims): AssertionUse {
    const { issuer, clock } = this.#options;
    if (typeof jti !== 'string' || jti === '') throw new TokenRefusal('It has no name of its own (jti).');
    const lifeMs = Number(exp) * 1_000 + skewMs - clock.now();
    if (lifeMs > lifeMaxMs + skewMs) throw new TokenRefusal('It is good for longer than an hour.');
    return { id: `${issuer.issuer} ${jti}`, lifeMs };
  }

  /** Rejects with `TokenRefusal` where it was used before, in this process or in another. */
  async #useUp({ id, lifeMs }: AssertionUse): Promise<void> {
    const { records } = this.#options;
    // Under an earlier key of the installation, too.
    const before = await records.find(kind, id);
    if (before?.consumedAt !== undefined) throw usedBefore();
    // To put it again leaves it used up.
    await records.put(kind, id, { payload: {}, grantId: undefined, lifeMs });
    if (!(await records.consume(kind, id))) throw usedBefore();
  }
}

/** How its one use is kept. */
interface AssertionUse {
  readonly id: string;
  /** For so long it could be used again. */
  readonly lifeMs: number;
}

type Claims = JsonObject & { readonly sub: string };

const usedBefore = (): TokenRefusal => new TokenRefusal('It was used before.');

/** The address of Baton for which the token is. Throws `AssertionRefusal`. */
function resourceOf(
  claims: Claims,
  wanted: string | undefined,
  issuer: string,
): { resource: string; path: TokenResource } {
  const resource = claims['resource'] ?? wanted;
  const path = tokenResources.find((one) => resource === `${issuer}${one}`);
  if (typeof resource !== 'string' || path === undefined || (wanted ?? resource) !== resource)
    throw new AssertionRefusal(
      'invalid_target',
      `The assertion is for no address of this server, or for another one than is asked for (resource); expected one of ${tokenResources.map((one) => `${issuer}${one}`).join(', ')}.`,
    );
  return { resource, path };
}
