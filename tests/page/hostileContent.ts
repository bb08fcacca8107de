/** What tools, authors and people wrote is text: it is shown as it is, and none of it runs. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { tooWide } from './everyPage.ts';
import type { PageStack } from './stack.ts';
import { hostile } from './workflows.ts';

/** Texts of the page that change the direction of writing. */
const turned = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    String.raw`document.body.innerText.split('\n').filter((line) => /[\u202A-\u202E\u2066-\u2069]/.test(line))`,
  );

const isHarmed = (page: Page): Promise<boolean> => page.evaluate<boolean>('window.harmed !== undefined');

export function hostileContentTests(stack: PageStack): void {
  const text = `${hostile.html} ${hostile.rightToLeft} ${hostile.escapes}`;

  test('HTML, scripts, terminal escapes and marks of direction in names, results, questions and failures', async () => {
    const run = await stack.baton.start('nasty', { text });
    const page = await stack.visit(`/runs/${run}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByText(hostile.html).first().waitFor();
    await page.goto(`${stack.baton.url}/questions`);
    await page.getByText('<script>window.harmed=1</script>').first().waitFor();
    await page.getByRole('article').filter({ hasText: 'javascript:' }).getByRole('button', { name: 'Approve' }).click();
    await stack.baton.ended(run);
    for (const view of ['?step=said', '?step=broken', '?view=graph', '?view=journal', '?view=data']) {
      await page.goto(`${stack.baton.url}/runs/${run}${view}`);
      await page.getByText(/broken failed: /).waitFor();
      expect([view, await turned(page)]).toEqual([view, []]);
    }
    await page.goto(`${stack.baton.url}/workflows`);
    await page
      .getByText(String.raw`\u202egnp.exe`)
      .first()
      .waitFor();
    for (const path of ['/runs?text=script', '/workflows', '/workflows/nasty?view=source', '/servers/shop', '/audit']) {
      await page.goto(`${stack.baton.url}${path}`);
      await page
        .getByText(/onerror|javascript/)
        .first()
        .waitFor();
      expect([path, await turned(page)]).toEqual([path, []]);
    }
    await page.goto(`${stack.baton.url}/workflows/nasty/edit`);
    await page.locator('.cm-specialChar').first().waitFor();
    expect(await isHarmed(page)).toBe(false);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  });

  test('a word of 100,000 characters stays inside the window, and does not hold up the page', async () => {
    const run = await stack.baton.start('nasty', { text: hostile.word.slice(0, 5_000), word: hostile.word });
    const page = await stack.visit(`/runs/${run}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await tooWide(page)).toEqual([]);
    await page.getByRole('button', { name: /^long ?, succeeded$/ }).click();
    await page.getByRole('tab', { name: 'Result' }).click();
    await page.getByRole('button', { name: /^Load \d+ KiB$/ }).click();
    await page.getByText(/more characters/).waitFor();
    expect(await tooWide(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/broken failed: w+…/).waitFor();
    for (const path of [`/runs/${run}?step=broken`, '/runs?text=www', '/audit?workflow=nasty']) {
      await page.goto(`${stack.baton.url}${path}`);
      await page.getByText(/www/).first().waitFor();
      expect([path, await tooWide(page)]).toEqual([path, []]);
    }
  });

  test('pictures of tools are shown where their type is one of pictures; 5 MB are loaded when asked for', async () => {
    const run = await stack.ended('picture');
    const page = await stack.visit(`/runs/${run}?step=drawn`);
    await page.getByRole('tab', { name: 'Result' }).click();
    await page.getByRole('img', { name: '1 of the answer' }).waitFor();
    expect(await page.locator('img.media').count()).toBe(1);
    await page.getByRole('button', { name: /^large ?, succeeded$/ }).click();
    await page.getByRole('button', { name: /^Load 4,\d+ KiB$/ }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toMatch(/^[\da-f]{12}\.json$/);
  });
}
