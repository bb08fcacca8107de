import { vi } from 'vitest';

import { soonMs } from './patience.ts';

/** Waits until the check passes: for checks that do something each time. Others are `expect.poll`. */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: soonMs, interval: 20 });
