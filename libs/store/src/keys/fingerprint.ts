import { hash } from 'node:crypto';

/**
 * A fingerprint of a key's secret hash, for the audit: it shows whether the row still holds the same secret, and reveals
 * nothing about the secret.
 */
export const fingerprintOf = (secretHash: Uint8Array): string => hash('sha256', secretHash, 'hex');
