/**
 * The page as a person uses it: in a browser, against real processes and real MCP servers. One stack for all tests of a
 * file; `robustness.test.ts` runs beside this one.
 */
import { describe } from 'vitest';

import { againTests } from './again.ts';
import { hasChromium } from './browser.ts';
import { deviceLoginTests } from './deviceLogin.ts';
import { editorTests } from './editing.ts';
import { runTests } from './oneRun.ts';
import { otherPagesTests } from './otherPages.ts';
import { providerLoginTests } from './providerLogin.ts';
import { runListTests } from './runList.ts';
import { sessionTests } from './sessions.ts';
import { PageStack } from './stack.ts';
import { workflowTests } from './workflowPages.ts';

describe.skipIf(!hasChromium)('the page', () => {
  const stack = new PageStack();
  describe('getting in', () => {
    sessionTests(stack);
    providerLoginTests(stack);
    deviceLoginTests(stack);
  });
  describe('the list of runs', () => {
    runListTests(stack);
  });
  describe('one run', () => {
    runTests(stack);
    againTests(stack);
  });
  describe('workflows', () => {
    workflowTests(stack);
  });
  describe('the editor', () => {
    editorTests(stack);
  });
  describe('other pages', () => {
    otherPagesTests(stack);
  });
});
