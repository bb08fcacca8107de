/** The page as a person uses it: in a browser, against real processes and real MCP servers. One stack for all tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { toolsServer } from '@baton/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Installation } from '../installation.ts';
import { hasChromium, openBrowser, openPage } from './browser.ts';

const texts = ['workflow: good\nsteps:\n  - { id: said, tool: tools/echo, with: { message: hello } }\n'];

describe.skipIf(!hasChromium)('the page', () => {
  let folder: string;
  let baton: Installation;
  let browser: Browser;
  let good: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-page-'));
    [baton, browser] = await Promise.all([
      Installation.start({ servers: { tools: { ...toolsServer(join(folder, 'ledger')) } } }),
      openBrowser(),
    ]);
    for (const text of texts) await baton.deploy(text);
    good = await baton.start('good');
    await baton.ended(good);
  });

  afterAll(async () => {
    await browser.close();
    await baton.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const codeAddress = async (path = '/'): Promise<string> =>
    `${baton.url}${path}#code=${String((await baton.api('POST', '/v1/session/codes')).body['code'])}`;

  /** Logged in with a code. */
  async function openedAt(path: string, options: Parameters<typeof openPage>[1] = {}) {
    const opened = await openPage(browser, options);
    await opened.page.goto(await codeAddress(path));
    await opened.page.getByRole('navigation').first().waitFor();
    return opened;
  }

  test('is entered with a code, which leaves the address, and shows runs as they come', async () => {
    const { page, faults } = await openedAt('/runs');
    expect(page.url()).not.toContain('code=');
    // Not the choice of that name in the filters: the row.
    await page.getByRole('link', { name: 'good' }).first().waitFor();
    await page.goto(`${baton.url}/runs/${good}`);
    await page.getByText('said').first().waitFor();
    await page.reload();
    await page.getByText('said').first().waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
