import { apiLimits } from '@baton/api';

/** Limits of requests before they are parsed. */
export const edgeLimits = {
  bodyBytes: apiLimits.bodyBytes,
  /** How much of a too large body is read and dropped. */
  droppedBytes: 64 * 1024 * 1024,
  headerBytes: 16 * 1024,
  urlCharacters: 8 * 1024,
  parameterCharacters: 512,
  /** Time for the head of a request, and for all of it. */
  headMs: 15_000,
  requestMs: 30_000,
  connections: 10_000,
} as const;
