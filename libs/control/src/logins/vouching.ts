/**
 * Asks the identity provider of a person whether it still vouches for them, and what its claims say now: with each use of
 * their rights that comes half an hour after it was asked. What a provider says counts for an hour. Then, or as soon as it
 * says no, the person may do nothing, with their sessions, their keys and their clients.
 */
import { type IdentityProvider, ProviderFault } from '@baton/oauth';
import type { Clock } from '@baton/runner';
import { type Database, type Person, endAccount, getPerson, renewAccount, takeAsking } from '@baton/store';

import type { Holder } from '../keys/holderPrincipal.ts';
import { IdentityUnavailableError } from '../keys/identityUnavailable.ts';
import { accountName } from './accountName.ts';
import type { ClaimGrants } from './claimGrants.ts';
import { askAheadMs, vouchedMs, type Vouchers } from './vouchers.ts';

/** The shortest interval between two questions about one person, over all processes. */
const askEveryMs = 60_000;

interface VouchingOptions {
  readonly store: Database;
  readonly clock: Clock;
  /** Absent: people of providers may do nothing. */
  readonly provider: Pick<IdentityProvider, 'issuer' | 'host' | 'renew'> | undefined;
  readonly vouchers: Vouchers;
  readonly grants: ClaimGrants;
  /** Called after what a person may do has changed. */
  readonly onChanged: (person: string) => void;
  /** A provider did not answer, or not as it should. */
  readonly onFault: (fault: ProviderFault) => void;
  /** Called with any other error while no request waits for the answer. */
  readonly onTrouble: (error: Error) => void;
}

export class Vouching {
  readonly #options: VouchingOptions;
  readonly #asking = new Map<string, Promise<void>>();

  constructor(options: VouchingOptions) {
    this.#options = options;
  }

  /** The holder, without a person for whom no provider vouches. Rejects with `UnavailableError`. */
  async vouched({ key, person }: Holder): Promise<Holder> {
    if (person?.account === undefined || person.removedAt !== undefined) return { key, person };
    return { key, person: await this.#ofAccount(person, person.account) };
  }

  async #ofAccount(person: Person, account: NonNullable<Person['account']>): Promise<Person | undefined> {
    const { provider, clock } = this.#options;
    const voucher = this.#voucherOf(person);
    if (voucher === undefined || provider?.issuer !== account.issuer) return undefined;
    const { until, refreshToken } = voucher;
    const isGood = until > clock.now();
    if (refreshToken === undefined) return isGood ? person : undefined;
    if (until - askAheadMs > clock.now()) return person;
    const asked = { subject: account.subject, refreshToken, until, voucher: person.voucher ?? '' };
    const asking = this.#ask(person.id, provider, asked);
    if (isGood) {
      asking.catch(this.#options.onTrouble);
      return person;
    }
    await asking;
    return this.#afterwards(person.id, provider.host);
  }

  async #afterwards(id: string, host: string): Promise<Person | undefined> {
    const person = await getPerson(this.#options.store, id);
    const voucher = person && this.#voucherOf(person);
    if (voucher === undefined) return undefined;
    if (voucher.until > this.#options.clock.now()) return person;
    throw new IdentityUnavailableError(
      `${host} could not be asked whether you may still log in. Try again in a minute.`,
    );
  }

  #voucherOf({ id, voucher }: Person) {
    return voucher === undefined ? undefined : this.#options.vouchers.open(id, voucher);
  }

  /** One at a time for each person. */
  #ask(id: string, provider: Provider, asked: AskedSubject): Promise<void> {
    const asking = this.#asking.get(id) ?? this.#askOnce(id, provider, asked).finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return asking;
  }

  async #askOnce(id: string, provider: Provider, asked: AskedSubject): Promise<void> {
    const { subject, refreshToken, until, voucher: before } = asked;
    const { store, clock, vouchers, grants, onChanged, onFault } = this.#options;
    try {
      if (!(await takeAsking(store, id, clock.now() - askEveryMs))) return;
      const { claims, refreshToken: next, fault } = await provider.renew(refreshToken, subject);
      if (fault !== undefined) onFault(fault);
      const vouchedUntil = fault === undefined ? clock.now() + vouchedMs : until;
      const voucher = vouchers.seal(id, { until: vouchedUntil, refreshToken: next });
      const changed = claims && { name: accountName(claims, subject), claimed: grants.of(claims) };
      await renewAccount(store, id, { ...changed, voucher, asked: before });
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      if (error.kind === 'ended') await endAccount(store, id, { asked: before, by: provider.issuer });
      else onFault(error);
    }
    onChanged(id);
  }
}

type Provider = NonNullable<VouchingOptions['provider']>;

interface AskedSubject {
  readonly subject: string;
  readonly refreshToken: string;
  /** Of the voucher with which it is asked, epoch milliseconds. */
  readonly until: number;
  readonly voucher: string;
}
