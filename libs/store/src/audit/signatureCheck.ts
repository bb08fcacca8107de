/** Checks the signatures of seals, and since when there are marks. Later seals vouch for earlier ones. */
import { type MarksPlace, type PublicKey, isSignedBy, readPublicKey } from '../database/auditKeys.ts';
import type { AuditProblem } from './auditProblem.ts';
import type { ChainedEntry } from './entries.ts';
import { placeOf } from './marksBegun.ts';
import { detailIn } from './readRecord.ts';
import type { Manifest, Seal } from './record.ts';

export class SignatureCheck {
  readonly #mustEndSigned: boolean;
  #key: PublicKey | undefined;
  /** The keys of this installation, by their ids, and since when there are marks under them. */
  readonly #begun = new Map<string, { readonly key: PublicKey; readonly place: MarksPlace }>();
  /** Seals without a valid signature: whether they should have one may be known later. */
  readonly #unsigned: Pick<Seal, 'number' | 'entries'>[] = [];
  #last: { readonly number: number; readonly isSigned: boolean } | undefined;
  #stated: MarksPlace | undefined;

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

  /** Entries come before the seals that vouch for them. */
  takeEntry({ action, seq, at, target, detail }: ChainedEntry): void {
    if (action !== 'audit.begun') return;
    const { publicKey, seals, runs } = detailIn(detail) ?? {};
    const key = typeof publicKey === 'string' ? readPublicKey(publicKey) : undefined;
    if (key?.id !== target || this.#begun.has(target)) return;
    this.#begun.set(target, { key, place: placeOf(seq, at, { seals: Number(seals), runs: Number(runs) }) });
  }

  takeSeal(seal: Seal): AuditProblem | undefined {
    const { number, entries, key, signature } = seal;
    const isOurs = this.#key !== undefined && key === this.#key.id;
    const known = isOurs ? this.#key : this.#begun.get(key ?? '')?.key;
    const isSigned = known !== undefined && isSignedBy(known, seal, signature ?? '');
    this.#last = { number, isSigned: isOurs && isSigned };
    if (isOurs && !isSigned)
      return { ...sealAt(number), message: 'Its signature does not match the key that it names.' };
    if (!isSigned) this.#unsigned.push({ number, entries });
    else if (isOurs) this.#stated = seal.begun ?? undefined;
    return undefined;
  }

  /** Id of the key with which the last seal is signed. */
  get signedBy(): string | undefined {
    return this.#last?.isSigned === true ? this.#key?.id : undefined;
  }

  /** Since when there are marks under the key that the last seal is signed with. */
  get begun(): MarksPlace | undefined {
    return this.#stated ?? (this.#key && this.#begun.get(this.#key.id)?.place);
  }

  end(): AuditProblem | undefined {
    const since = Math.min(
      ...[...this.#begun.values()].map(({ place }) => place.entry),
      this.#stated?.entry ?? Infinity,
    );
    const unsigned = this.#unsigned.find(({ entries }) => entries >= since);
    if (unsigned !== undefined)
      return { ...sealAt(unsigned.number), message: 'It is not signed, and signatures had begun before it.' };
    if (!this.#mustEndSigned || this.#last === undefined || this.#last.isSigned) return undefined;
    return { ...sealAt(this.#last.number), message: 'It is not signed with the given key.' };
  }
}

const sealAt = (seal: number) => ({ kind: 'forged', where: `seal ${seal}` }) as const;
