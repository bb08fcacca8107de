/**
 * Log-in at an identity provider. What began in one browser ends in that one, once, within ten minutes: what is kept of it
 * is found by its state and by a cookie together.
 */
import { randomBytes } from 'node:crypto';

import { type IdentityProvider, type LogInUnderWay, ProviderFault } from '@baton/oauth';
import { delayText } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type Database, type Person, putAccount } from '@baton/store';

import { writtenAs } from '../keys/actor.ts';
import { AddressCounts } from '../keys/addressCounts.ts';
import { newPersonId, personActor } from '../keys/holderPrincipal.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { BegunSession, LoginSessions } from '../keys/loginSessions.ts';
import type { Roles } from '../keys/roles.ts';
import type { SealedRecords } from '../oauth/sealedRecords.ts';
import { accountName } from './accountName.ts';
import type { ClaimGrants } from './claimGrants.ts';
import { vouchedMs, type Vouchers } from './vouchers.ts';

const underWayMs = 10 * 60_000;
/** Log-ins that begin at one address within a minute: each is a row, and no person is known yet. Offices share an address. */
const begunMax = 60;
const kind = 'ProviderLogIn';

interface ProviderLoginOptions {
  readonly store: Database;
  readonly clock: Clock;
  readonly provider: IdentityProvider;
  readonly records: SealedRecords;
  readonly vouchers: Vouchers;
  readonly grants: ClaimGrants;
  readonly roles: Roles;
  readonly keyring: Pick<Keyring, 'forget'>;
  readonly sessions: Pick<LoginSessions, 'beginFor'>;
  /** Whom people ask who may do nothing yet. */
  readonly contact: string | undefined;
}

/** Why a person is not logged in, as a page says it. */
export class LogInRefusal extends Error {
  override readonly name = 'LogInRefusal';
  readonly title: string;
  readonly status: number;

  constructor(title: string, message: string, { status = 400, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.title = title;
    this.status = status;
  }
}

interface LogInBegun {
  readonly goOn: URL;
  /** For a cookie of the browser. */
  readonly browser: string;
}

export class ProviderLogins {
  readonly #options: ProviderLoginOptions;
  readonly #begun: AddressCounts;

  constructor(options: ProviderLoginOptions) {
    this.#options = options;
    this.#begun = new AddressCounts(() => options.clock.monotonic(), begunMax);
  }

  /**
   * `redirectUri`: where the provider sends the browser back; `page`: where it is then, a path of ours; `address`: of the
   * browser. Rejects with `LogInRefusal`, and with `UnavailableError`.
   */
  async begin(redirectUri: string, page: string, address: string): Promise<LogInBegun> {
    const { provider, records } = this.#options;
    this.#countBegun(address);
    const { goOn, underWay } = await provider.begin(redirectUri).catch(refused);
    const browser = randomBytes(32).toString('base64url');
    const payload = { ...underWay, page };
    await records.put(kind, recordId(underWay.state, browser), { payload, grantId: undefined, lifeMs: underWayMs });
    return { goOn, browser };
  }

  /** Throws `LogInRefusal`. */
  #countBegun(address: string): void {
    const refusal = this.#begun.refusal(
      address,
      `More than ${begunMax} log-ins began at your address within a minute.`,
    );
    if (refusal !== undefined) {
      const again = `Try again in ${delayText(Number(refusal.headers['retry-after'] ?? 60) * 1_000)}.`;
      throw new LogInRefusal('Too many log-ins', `${refusal.message} ${again}`, { status: 429 });
    }
    this.#begun.note(address);
  }

  /** `query`: of the address at which the browser came back. Rejects with `LogInRefusal`, and with `UnavailableError`. */
  async finish(query: string, browser: string | undefined): Promise<BegunSession & { readonly page: string }> {
    const { provider, sessions } = this.#options;
    const underWay = await this.#take(new URLSearchParams(query).getAll('state'), browser);
    const { subject, claims = {}, refreshToken } = await provider.finish(query, underWay).catch(refused);
    const person = await this.#person(subject, claims, refreshToken);
    const begun = await sessions.beginFor(person.id, provider.issuer);
    return { ...begun, page: underWay.page };
  }

  /** Uses up what is kept of the log-in. */
  async #take(states: readonly string[], browser = ''): Promise<LogInUnderWay & { readonly page: string }> {
    const { records } = this.#options;
    const [state = '', ...others] = states;
    const id = recordId(state, browser);
    const found = others.length === 0 && browser !== '' ? await records.find(kind, id) : undefined;
    if (found === undefined || found.consumedAt !== undefined || !(await records.consume(kind, id)))
      throw new LogInRefusal(
        'This log-in has ended',
        'It was finished before, is older than ten minutes, or began in another browser.',
      );
    return found.payload as unknown as LogInUnderWay & { readonly page: string };
  }

  async #person(
    subject: string,
    claims: Parameters<typeof accountName>[0],
    refreshToken: string | undefined,
  ): Promise<Person> {
    const { store, clock, provider, vouchers, grants, roles, keyring } = this.#options;
    const account = { issuer: provider.issuer, subject };
    const name = accountName(claims, subject);
    const id = newPersonId();
    const until = clock.now() + vouchedMs;
    const person = await putAccount(store, {
      account,
      name,
      claimed: grants.of(claims),
      voucherFor: (of) => vouchers.seal(of, { until, refreshToken }),
      added: { id, by: writtenAs(personActor({ id, name, account })) },
    });
    keyring.forget(person.id);
    if (person.removedAt !== undefined)
      throw new LogInRefusal('You were removed', `You logged in as ${name}, who was removed here. ${this.#whom()}`, {
        status: 403,
      });
    if (roles.rightsOf(person).some(({ scopes }) => scopes.size > 0)) return person;
    throw new LogInRefusal(
      'You may do nothing here yet',
      `You logged in as ${name}, and nothing is granted to you. ${this.#whom()} They run: baton people grant ${person.id} --role viewer`,
      { status: 403 },
    );
  }

  #whom(): string {
    const { contact } = this.#options;
    return contact === undefined ? 'Ask an administrator of this Baton.' : `Ask ${contact}.`;
  }
}

const recordId = (state: string, browser: string): string => `${state} ${browser}`;

/** A fault of the provider is told to the person. */
function refused(error: unknown): never {
  if (!(error instanceof ProviderFault)) throw error;
  const status = error.kind === 'away' ? 503 : 400;
  throw new LogInRefusal('You are not logged in', error.message, { status, cause: error });
}
