import { hash } from 'node:crypto';

/**
 * A fingerprint of a key's secret hash, for the audit: shows whether the row still holds the same secret, and reveals
 * nothing about it.
 */
export const fingerprintOf = (secretHash: Uint8Array): string => hash('sha256', secretHash, 'hex');
