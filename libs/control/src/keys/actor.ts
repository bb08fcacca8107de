/** Who acts, and through what. */

export interface Actor {
  /** `key`: a program, with a key that is no person's. `service`: a trigger, which has no key. */
  readonly kind: 'person' | 'key' | 'service';
  /** Unique: of a person at a provider, the issuer and the subject there. */
  readonly id: string;
  /** For people to read. */
  readonly name: string;
  /** The key or client through which a person acts; absent: the page. */
  readonly via?: { readonly id: string; readonly name: string };
}

/**
 * How journals and the audit write an actor: `ana (person-3f…) via ci (x4…)`. Names and ids have no brackets, so the text
 * is read in one way only.
 */
export const writtenAs = ({ id, name, via }: Pick<Actor, 'id' | 'name' | 'via'>): string =>
  via === undefined ? `${name} (${id})` : `${name} (${id}) via ${via.name} (${via.id})`;

/** The person and what they acted through, of a written actor; without `via`, the text is of one that acts itself. */
export function readActor(written: string): { readonly by: string; readonly via?: string } {
  const [, by, via] = /^([^()]* \([^()]*\)) via ([^()]* \([^()]*\))$/.exec(written) ?? [];
  return by === undefined || via === undefined ? { by: written } : { by, via };
}

/**
 * Whether both are written of one actor, through one key or client. Ids stay, while the name of a person at a provider may
 * change.
 */
export const isSameActor = (one: string, other: string): boolean => idsIn(one) === idsIn(other);

const idsIn = (written: string): string => written.match(/\([^()]*\)/g)?.join() ?? written;

/** Brackets, and what cannot be seen or ends a line. */
const unwritable = /[()\p{C}\p{Zl}\p{Zp}]/u;

/** The text as a name that can be written so, cut to so many characters; it may be empty. */
export const writableName = (text: string, charactersMax: number): string =>
  text.normalize('NFKC').replaceAll(new RegExp(unwritable, 'gu'), '').trim().slice(0, charactersMax).toWellFormed();

/** Whether a name can be written so: no brackets, and no invisible characters or look-alikes of others. */
export const isWritableName = (name: string): boolean => !unwritable.test(name) && name.normalize('NFKC') === name;
