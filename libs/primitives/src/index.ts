/**
 * The primitives: the small pieces that every room needs, one of each.
 *
 * They know nothing of Baton, do no I/O, keep no state of the module, and run in Node 22 and in browsers. What the
 * platform offers is used as it is: `AbortSignal.timeout`, `AbortSignal.any`, `Promise.withResolvers`,
 * `node:timers/promises`.
 */
export { backoffMs } from './backoff.ts';
export { Batches, firstOf } from './batches.ts';
export { exactNumbers, isDecimalKept, parseExactly } from './exactNumbers.ts';
export { inAscii } from './inAscii.ts';
export { parseInstant } from './instant.ts';
export { canonicalJson } from './canonicalJson.ts';
export { cleanText, withoutMiddle } from './cleanText.ts';
export { hostList } from './hostList.ts';
export { hasInvisible, invisibleSource, withEscapes, withInvisibleAs } from './invisible.ts';
export { defined } from './defined.ts';
export { isLoopbackHost } from './isLoopbackHost.ts';
export { isObject, membersOf } from './isObject.ts';
export { isSameJson } from './isSameJson.ts';
export type { Json, JsonObject, JsonSchema } from './json.ts';
export { isUuid } from './isUuid.ts';
export { jsonTypeOf } from './jsonTypeOf.ts';
export { Latch } from './latch.ts';
export { cachedLoads, NewestMap } from './newestMap.ts';
export { once } from './once.ts';
export { Outage } from './outage.ts';
export { Semaphore } from './semaphore.ts';
export { chunksOf, readSse, SseReader, type SseMessage } from './sse.ts';
export { isStorableText } from './storableText.ts';
export { TokenBucket } from './tokenBucket.ts';
export { delayText, durationText, relativeText, writtenDuration } from './time.ts';
export { unawaited } from './unawaited.ts';
export { urlFault } from './urlFault.ts';
export { endsWithin, within } from './within.ts';
export { withHint } from './withHint.ts';
export { withoutRepeats } from './withoutRepeats.ts';
export { wrapWords } from './wrapWords.ts';
