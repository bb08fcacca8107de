/** Checks the signatures of seals. Later seals vouch for earlier ones, so the last one must be signed. */
import type { PublicKey } from './auditKeys.ts';
import { isSignedBy, readPublicKey } from './auditKeys.ts';
import type { AuditProblem } from './auditProblem.ts';
import type { Manifest, Seal } from './record.ts';

export class SignatureCheck {
  readonly #mustEndSigned: boolean;
  #key: PublicKey | undefined;
  #last: { readonly number: number; readonly isSigned: boolean } | undefined;

  /**
   * `trusted`: a key from another source than the export. Absent: the export's own key is used, which does not prove who
   * made the export. `mustEndSigned`: the last seal must be signed with `trusted`.
   */
  constructor(trusted: PublicKey | undefined, mustEndSigned: boolean) {
    this.#mustEndSigned = mustEndSigned && trusted !== undefined;
    this.#key = trusted;
  }

  takeManifest({ publicKey }: Manifest): void {
    if (publicKey !== undefined) this.#key ??= readPublicKey(publicKey);
  }

  takeSeal({ number, hash, key, signature }: Seal, mustBeSigned: boolean): AuditProblem | undefined {
    const known = this.#key;
    const isOurs = known !== undefined && key === known.id;
    const isSigned = isOurs && isSignedBy(known, hash, signature ?? '');
    this.#last = { number, isSigned };
    if (isOurs && !isSigned) return { ...at(number), message: 'Its signature does not match the key that it names.' };
    if (mustBeSigned && !isSigned) return { ...at(number), message: 'It is not signed by this installation.' };
    return undefined;
  }

  /** Id of the key with which the last seal is signed. */
  get signedBy(): string | undefined {
    return this.#last?.isSigned === true ? this.#key?.id : undefined;
  }

  end(): AuditProblem | undefined {
    if (!this.#mustEndSigned || this.#last === undefined || this.#last.isSigned) return undefined;
    return { ...at(this.#last.number), message: 'It is not signed with the given key.' };
  }
}

const at = (seal: number) => ({ kind: 'forged', where: `seal ${seal}` }) as const;
