/** Debian's Chromium. */
import { existsSync } from 'node:fs';

import { type Browser, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Without one, tests of the page are skipped, and CI counts what is skipped as failed. */
export const hasChromium = existsSync(executablePath);

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
