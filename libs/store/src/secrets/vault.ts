/**
 * Encrypts values at rest: each with its own key (AES-256-GCM), and that key with the installation's key. When the
 * installation's key is replaced, only the encrypted keys change.
 *
 * The encryption also covers name, version and bindings: a row that was copied over another one, or has wider bindings,
 * cannot be decrypted.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

export interface SealedSecret {
  readonly sealed: Buffer;
  readonly wrapped: Buffer;
  /** Id of the installation's key that is needed; reveals nothing about the key. */
  readonly keyId: string;
}

/** The label that the encryption covers. */
interface SecretLabel {
  readonly name: string;
  readonly version: number;
  /** The workflows and servers that may use it; absent: all. */
  readonly bound?: string;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export class Vault {
  readonly keyId: string;
  readonly #keys: ReadonlyMap<string, Buffer>;

  /**
   * Each key has 32 bytes, else it throws `RangeError`. `before`: the previous key, for values not yet rewrapped.
   */
  constructor(key: Buffer, before?: Buffer) {
    const keys = before === undefined ? [key] : [key, before];
    if (keys.some(({ length }) => length !== keyBytes))
      throw new RangeError(`the secret key must have ${keyBytes} bytes`);
    this.keyId = idOf(key);
    this.#keys = new Map(keys.map((one) => [idOf(one), one]));
  }

  /** Derives keys for another purpose, one from each key of the installation, the current one first. */
  keysFor(purpose: string): readonly Buffer[] {
    return [...this.#keys.values()].map((key) => createHmac('sha256', key).update(purpose).digest());
  }

  seal(value: string, label: SecretLabel): SealedSecret {
    const own = randomBytes(keyBytes);
    const sealed = encrypt(own, Buffer.from(value, 'utf8'), `value ${textOf(label)}`);
    return { sealed, ...this.#wrap(own, label) };
  }

  /** Undefined where the installation's key is another one, or the row was tampered with. */
  open({ sealed, wrapped, keyId }: SealedSecret, label: SecretLabel): string | undefined {
    const own = this.#unwrap(wrapped, keyId, label);
    return own && decrypt(own, sealed, `value ${textOf(label)}`)?.toString('utf8');
  }

  /** The same value under the current key of the installation; undefined where it cannot be opened. */
  rewrap({ sealed, wrapped, keyId }: SealedSecret, label: SecretLabel): SealedSecret | undefined {
    const own = this.#unwrap(wrapped, keyId, label);
    return own && { sealed, ...this.#wrap(own, label) };
  }

  #wrap(own: Buffer, label: SecretLabel): Pick<SealedSecret, 'wrapped' | 'keyId'> {
    const key = this.#keys.get(this.keyId) ?? Buffer.alloc(0);
    return { wrapped: encrypt(key, own, `key ${textOf(label)}`), keyId: this.keyId };
  }

  #unwrap(wrapped: Buffer, keyId: string, label: SecretLabel): Buffer | undefined {
    const key = this.#keys.get(keyId);
    return key && decrypt(key, wrapped, `key ${textOf(label)}`);
  }
}

const textOf = ({ name, version, bound }: SecretLabel): string =>
  bound === undefined ? `${name} ${version}` : `${name} ${version} ${bound}`;

const idOf = (key: Buffer): string =>
  createHash('sha256').update('baton secret key id').update(key).digest('hex').slice(0, 16);

/** Returns nonce, ciphertext and tag. */
function encrypt(key: Buffer, plain: Buffer, bound: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, box: Buffer, bound: string): Buffer | undefined {
  if (box.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(bound))
    .setAuthTag(box.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(box.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    // The only possible error: the authentication tag does not match.
    return undefined;
  }
}
