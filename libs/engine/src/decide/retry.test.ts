import { limits } from '@baton/expressions';
import type { RetryPolicy } from '@baton/language';
import { describe, expect, test } from 'vitest';

import { retryDelayMs } from './retry.ts';

const policy: RetryPolicy = { attempts: 5, delayMs: 1_000, maxDelayMs: 60_000, backoff: 'fixed', jitter: false };

describe('the pause before the next attempt', () => {
  test('[L-087] is spread over the upper half of the delay where there is jitter, and is the delay itself without', () => {
    const pauses = Array.from({ length: 1_000 }, (_, run) =>
      retryDelayMs({ ...policy, jitter: true }, 1, `run ${run}`),
    );
    const quarters = [500, 625, 750, 875].map(
      (from) => pauses.filter((pause) => pause >= from && pause <= from + 125).length,
    );
    expect(pauses.every((pause) => pause >= 500 && pause <= 1_000)).toBe(true);
    expect(quarters.every((count) => count > 150)).toBe(true);
    expect(retryDelayMs(policy, 1, 'run')).toBe(1_000);
  });

  test('[L-087] is at least as long as the server asked for (Retry-After), also beyond the policy’s longest', () => {
    expect(retryDelayMs(policy, 1, 'run', 5_000)).toBe(5_000);
    expect(retryDelayMs(policy, 1, 'run', 3_600_000)).toBe(3_600_000);
    expect(retryDelayMs(policy, 1, 'run', 10)).toBe(1_000);
  });

  test('is never longer than a day, even if a server asks for more', () => {
    expect(limits.step.retryDelayMs).toBe(86_400_000);
    expect(retryDelayMs(policy, 1, 'run', 1e12)).toBe(limits.step.retryDelayMs);
  });
});
