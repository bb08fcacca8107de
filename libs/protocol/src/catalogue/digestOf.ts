import { createHash } from 'node:crypto';

import { canonicalJson } from '@baton/primitives';

/** SHA-256 of the value's canonical JSON, hex: the same value always gives the same digest. */
export const digestOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
