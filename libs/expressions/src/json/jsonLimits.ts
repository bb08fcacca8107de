/** Limits of JSON from outside. */
import { limits } from '../limits.ts';

export const jsonLimits = { depth: limits.document.depth, keys: 10_000 } as const;

const forbidden = new Set(['__proto__', 'prototype', 'constructor']);

export const isForbiddenKey = (key: string): boolean => forbidden.has(key);
