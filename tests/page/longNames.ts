/** Names and messages that are longer than their place: all of them is read, and no button is out of reach. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { tooWide } from './everyPage.ts';
import type { PageStack } from './stack.ts';

const workflow = 'quarterly-reconciliation-of-supplier-invoices-with-the-ledger';
const input = 'code_of_the_subsidiary_as_it_is_in_the_register_of_companies';
const secret = 'KEY_OF_THE_PAYMENT_PROVIDER_FOR_EVERY_SUBSIDIARY_IN_PRODUCTION_SINCE_THE_MERGER';
const refusal = `The server refused it: /work/${'x'.repeat(200)}. ${'Ask the controller to open the period. '.repeat(8)}`;

const text = `
workflow: ${workflow}
on: [{ schedule: "30 5 1 1 *" }]
inputs: { ${input}: { type: string } }
steps:
  - { id: booked-in-the-ledger-of-the-subsidiary-for-the-whole-quarter, tool: tools/fail, with: { message: "No." } }
`;

const phone = { width: 360, height: 740 };
const wide = { width: 1440, height: 900 };
const small = { width: 1024, height: 768 };

/** What reaches over an edge of the open dialog, or has less room than its text needs. */
const cutInDialog = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const dialog = document.querySelector('dialog[open]');
    const edges = dialog.getBoundingClientRect();
    return [...dialog.querySelectorAll('h2, .content, .label, .btn, .again .grow')].filter((one) => {
      const { left, right } = one.getBoundingClientRect();
      return left < edges.left || right > edges.right || one.scrollWidth > one.clientWidth + 1;
    }).map((one) => one.outerHTML.slice(0, 100));
  })()`);

const wider = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('${selector}')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className)`,
  );

const isInView = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const shown = document.querySelector('dialog[open] .content').getBoundingClientRect();
    const note = document.querySelector('dialog[open] [role=alert]').getBoundingClientRect();
    return note.top < shown.bottom && note.bottom <= shown.bottom + 1;
  })()`);

export function longNameTests(stack: PageStack): void {
  test('in a window of 360 px a dialog shows the whole of a long name, and the error of what it could not do', async () => {
    await stack.baton.deploy(text);
    const failed = await stack.ended(workflow, { [input]: 'P-7' });
    const page = await stack.visit(`/workflows/${workflow}?do=run`);
    await page.setViewportSize(phone);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(input).waitFor();
    expect(await cutInDialog(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: `Delete ${workflow}` }).waitFor();
    expect(await cutInDialog(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.evaluate(`history.pushState(null, '', '/runs/${failed}')`);
    await page.getByRole('button', { name: 'Run again…' }).click();
    await dialog.getByText('tools/fail').waitFor();
    expect(await cutInDialog(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.evaluate("history.pushState(null, '', '/servers/shop')");
    await page.locator('.tool-row').first().waitFor();
    await page.evaluate(
      "document.querySelector('.tool-row .t-name').textContent = 'transfer_funds_and_tell_'.repeat(4)",
    );
    expect(await tooWide(page)).toEqual([]);
    await page.evaluate("history.pushState(null, '', '/settings')");
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByLabel('Name').fill('of accounting');
    await page.route('**/v1/keys', (route) => route.fulfill({ status: 409, json: { detail: refusal } }));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    await expect.poll(() => isInView(page)).toBe(true);
    await page.keyboard.press('Escape');
  });

  test('in a window of 1024 px a long name leaves the other columns in view', async () => {
    await stack.baton.api('PUT', `/v1/secrets/${secret}`, { value: 'whsec_of_accounting' });
    await stack.baton.deploy(text);
    const run = await stack.ended(workflow, { [input]: 'P-7 '.repeat(60) });
    const page = await stack.visit('/settings?view=secrets');
    await page.setViewportSize(small);
    await page.getByText(secret).waitFor();
    expect(await wider(page, '.table-wrap')).toEqual([]);
    await page.evaluate(`history.pushState(null, '', '/audit?workflow=${workflow}')`);
    const cell = page.locator('.cell-run').first();
    await cell.getByTitle('booked-in-the-ledger-of-the-subsidiary-for-the-whole-quarter').waitFor();
    // Two lines.
    expect((await cell.boundingBox())?.height).toBeLessThan(60);
    await page.setViewportSize(wide);
    expect((await cell.boundingBox())?.height).toBeLessThan(60);
    await page.setViewportSize(small);
    await page.evaluate(`history.pushState(null, '', '/workflows/${workflow}/edit')`);
    await page.getByText('trigger-inputs').waitFor();
    expect(await wider(page, '.findings')).toEqual([]);
    await page.evaluate(`history.pushState(null, '', '/runs/${run}?view=data')`);
    const value = page.locator('.json-string').first();
    await value.waitFor();
    expect((await value.boundingBox())?.width).toBeGreaterThan(400);
  });
}
