import pc from 'picocolors';
import { expect, test } from 'vitest';

import { LineReporter } from './lineReporter.ts';

test('a lost connection is reported once, and so is its return', () => {
  const said: string[] = [];
  const output = { paint: pc.createColors(false), line: (text = '') => void said.push(text) };
  const reporter = new LineReporter(output);
  reporter.connection({ state: 'open', clockAheadMs: 0 });
  for (const retryMs of [250, 500, 1_000]) reporter.connection({ state: 'cut', retryMs });
  reporter.connection({ state: 'open', clockAheadMs: 0 });
  expect(said).toEqual(['connection lost; reconnecting', 'the connection is back']);
});
