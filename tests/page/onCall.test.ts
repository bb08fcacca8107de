/** A person on call finds three hundred failures of twelve causes among a thousand runs. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import { hasChromium } from './browser.ts';
import { tooWide } from './everyPage.ts';
import { causes, runMany, textOf } from './manyRuns.ts';
import { PageStack } from './stack.ts';

const failedOf = (page: Page): Promise<string> => page.getByRole('button', { name: /^failed/ }).innerText();

describe.skipIf(!hasChromium)('a thousand runs', () => {
  const stack = new PageStack();
  beforeAll(() => runMany(stack.baton.client));

  test('Three hundred failures are twelve causes, each with its count, its step and its own retry', async () => {
    const page = await stack.visit('/runs');
    await page.getByRole('button', { name: /^failed/ }).click();
    const list = page.getByRole('region', { name: 'Causes' });
    await list.getByRole('button', { name: '7 more' }).click();
    const rows = list.getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(causes.length);
    const shown = await rows.allInnerTexts();
    for (const [at, { workflow, step, runs }] of causes.entries())
      expect(shown[at]?.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`^${runs} .*${workflow} · ${step} · `));
    expect(await failedOf(page)).toContain('300');
    for (const width of [1440, 1024, 360]) {
      await page.setViewportSize({ width, height: 780 });
      expect(await tooWide(page)).toEqual([]);
      await list.getByRole('button', { name: 'Retry…' }).first().waitFor();
      // On a phone, too, a row says why.
      await page.locator('tbody').getByText(/\d/).first().waitFor();
      await page.locator('tbody .why').first().waitFor();
    }
  });

  test('The runs of one cause are retried with the mended version, and each says which run continues it', async () => {
    await stack.baton.deploy(textOf('charge-card', true));
    const page = await stack.visit('/runs?status=failed');
    const cause = page
      .getByRole('region', { name: 'Causes' })
      .getByRole('listitem')
      .filter({ hasText: 'the bank closed the connection' });
    await cause.getByRole('button', { name: 'Retry…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('On the version').selectOption('newest of its workflow');
    await dialog.getByRole('button', { name: 'Retry 80 runs' }).click();
    await page.getByText('80 runs were started again.').waitFor();
    await cause.getByText('80 retried').waitFor();
    expect(await cause.getByRole('button', { name: 'Retry…' }).isDisabled()).toBe(true);

    await cause.getByRole('button', { name: 'the bank closed' }).click();
    await page.getByRole('button', { name: /^Failed like/ }).waitFor();
    const row = page.locator('tbody tr').first();
    await row.getByRole('link', { name: 'retried' }).waitFor();
    await row.getByRole('link', { name: /^charge-card/ }).click();
    await page.getByText('Retried as').waitFor();
    await page
      .locator('.run-facts a')
      .filter({ hasText: /^[\da-f]{8}/ })
      .last()
      .click();
    await page.getByRole('link', { name: 'charge-card@2' }).waitFor();
    await page.locator('.run-title').getByText('succeeded').waitFor();

    // The other person who is on call presses after the first.
    await page.goto(`${stack.baton.url}/runs?status=failed&retried=no`);
    await expect.poll(() => failedOf(page)).toContain('220');
    await page.goto(`${stack.baton.url}/runs?status=failed&workflow=charge-card&text=bank`);
    await page.getByRole('toolbar').getByRole('button', { name: 'Retry…' }).click();
    await page
      .getByRole('dialog')
      .getByText('None of them failed or was cancelled, and was not retried yet.')
      .waitFor();
  });
});
