import { apiLimits } from '@baton/api';

/** What a request may be, before anybody looks into it, and how many may be held open. */
export const edgeLimits = {
  bodyBytes: apiLimits.bodyBytes,
  /** Of a body that is too large, read to its end and dropped: who is still sending does not hear why it was cut off. */
  droppedBytes: 64 * 1024 * 1024,
  headerBytes: 16 * 1024,
  urlCharacters: 8 * 1024,
  parameterCharacters: 512,
  /** For the head of a request, and for all of it. */
  headMs: 15_000,
  requestMs: 30_000,
  connections: 10_000,
  /** Streams of events that are open at a time: on a process, and of one key on a process. */
  streams: 5_000,
  streamsOfKey: apiLimits.streamsOfKey,
} as const;
