/** Debian's Chromium, and pages of it that fail a test for what a person would never see: errors, and refused content. */
import { existsSync } from 'node:fs';

import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Without one, tests of the page are skipped, and CI counts what is skipped as failed. */
export const hasChromium = existsSync(executablePath);

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts, and what the policy of the page refused. */
  readonly faults: readonly string[];
}

/** With cookies of its own. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<OpenedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text());
  });
  return { page, faults };
}
