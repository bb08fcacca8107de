/** The pause after failures in a row doubles with each, up to a limit. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /**
   * In [0, 1): draws a part of each pause, so that many processes do not come back together. At least a quarter stays: with
   * a pause of any length, some would be zero. Absent: nothing is drawn.
   */
  readonly random?: () => number;
}

/** From here on, every pause is the longest. */
const doublingsMax = 30;

/** The pause after `failures` in a row, in milliseconds; `failures` is at least 1. */
export function backoffMs(failures: number, { firstMs, longestMs, random }: Backoff): number {
  const wholeMs = Math.min(firstMs * 2 ** Math.min(failures - 1, doublingsMax), longestMs);
  return random === undefined ? wholeMs : wholeMs * (0.25 + 0.75 * random());
}
