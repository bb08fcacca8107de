/**
 * Until when an identity provider vouches for a person, and with what it is asked again. Vouchers are sealed under a key
 * that is not in the database: its owner can neither read, make nor lengthen one, nor give it to another person.
 */
import { TextSeal } from '../live/textSeal.ts';

/** What a provider said counts this long. */
export const vouchedMs = 3_600_000;
/** It is asked again so long before: there is time to try again. */
export const askAheadMs = 1_800_000;

export interface Voucher {
  /** Epoch milliseconds. */
  readonly until: number;
  /** Of the provider; undefined: it gave none. */
  readonly refreshToken: string | undefined;
}

export class Vouchers {
  readonly #seal: TextSeal;

  /** The first key seals; any of them opens. */
  constructor(keys: readonly Buffer[]) {
    this.#seal = new TextSeal(keys);
  }

  seal(person: string, { until, refreshToken }: Voucher): string {
    return this.#seal.seal(JSON.stringify({ person, until, refreshToken }));
  }

  /** Undefined if it is not of this person. */
  open(person: string, sealed: string): Voucher | undefined {
    const text = this.#seal.open(sealed);
    if (text === undefined) return undefined;
    const { person: of, ...voucher } = JSON.parse(text) as Voucher & { readonly person: string };
    return of === person ? { until: voucher.until, refreshToken: voucher.refreshToken } : undefined;
  }
}
