import { hash } from 'node:crypto';

/** Of a key's secret hash, for the audit: tells whether the row still holds the same secret, and nothing about it. */
export const fingerprintOf = (secretHash: Uint8Array): string => hash('sha256', secretHash, 'hex');
