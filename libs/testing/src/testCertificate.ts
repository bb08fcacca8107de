import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface TestCertificate {
  /** PEM. */
  readonly key: string;
  /** PEM. Also the authority that signed it: who trusts it accepts it. */
  readonly certificate: string;
}

/**
 * A certificate for `localhost` and 127.0.0.1 that is its own authority, with a new key. Node reads certificates and
 * writes none, so this is the DER of RFC 5280, section 4.1, with an ECDSA key on P-256.
 */
export function testCertificate(): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Of its own: among trusted ones of the same name, a chain takes the first, and its key fits only one.
  const called = `localhost ${randomBytes(8).toString('hex')}`;
  const name = sequence(der(0x31, sequence(commonName, text(0x0c, called))));
  const content = sequence(
    der(0xa0, integer(2)),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(text(0x17, '250101000000Z'), text(0x17, '491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension(subjectAltName, sequence(text(0x82, 'localhost'), der(0x87, loopback))))),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = sequence(content, ecdsaWithSha256, der(0x03, Buffer.of(0), signature)).toString('base64');
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
  };
}

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, ...derLength(content.length)), content]);
};

/** X.690, section 10.1: in the smallest number of bytes. */
function derLength(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));
const integer = (value: number): Buffer => der(0x02, Buffer.of(value));
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, der(0x04, value));

const commonName = objectId('550403');
const subjectAltName = objectId('551d11');
/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const loopback = Buffer.of(127, 0, 0, 1);
