/** The page where it is not as usual: windows and colours of every kind, hostile content, and parts that go away. */
import { describe } from 'vitest';

import { hasChromium } from './browser.ts';
import { everyPageTests } from './everyPage.ts';
import { faultTests } from './faults.ts';
import { hostileContentTests } from './hostileContent.ts';
import { longNameTests } from './longNames.ts';
import { PageStack } from './stack.ts';

describe.skipIf(!hasChromium)('the page', () => {
  const stack = new PageStack({ isOnRedis: true });
  describe('every page', () => {
    everyPageTests(stack);
  });
  describe('hostile content', () => {
    hostileContentTests(stack);
  });
  describe('long names', () => {
    longNameTests(stack);
  });
  describe('faults while watching', () => {
    faultTests(stack);
  });
});
