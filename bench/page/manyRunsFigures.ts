/** A person on call: 300 failures of twelve causes among 1,000 runs. */
import type { Page } from 'playwright-core';

import { causes, runMany } from '../../tests/page/manyRuns.ts';
import { type Figure, figure, medianOf } from './figure.ts';
import type { Product } from './product.ts';

const rounds = 5;
const failed = causes.reduce((sum, { runs }) => sum + runs, 0);

export async function manyRunsFigures({ client, url, open }: Product): Promise<Figure[]> {
  await runMany(client);
  const context = await open({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const grouped: number[] = [];
  const chosen: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Nothing is kept from the round before.
    await page.goto(`${url}/runs`);
    await page.locator('table.runs tbody tr').first().waitFor();
    grouped.push(await msUntil(page, '.count-button.s-failed', '.cause'));
    chosen.push(await msUntil(page, '.cause', '.filters button:has-text("Failed like")'));
  }
  await context.close();
  const name = `${failed} failures of 1,000 runs`;
  return [
    figure(`${name}: their causes`, medianOf(grouped), 'ms', { most: 500 }),
    figure(`${name}: the runs of one cause`, medianOf(chosen), 'ms', { most: 500 }),
  ];
}

/** From the click until the other is there, and the list has its rows. */
async function msUntil(page: Page, pressed: string, shown: string): Promise<number> {
  const start = performance.now();
  await page.locator(pressed).first().click();
  await page.locator(shown).first().waitFor();
  await page.locator('table.runs[aria-busy="false"] tbody tr').first().waitFor();
  return performance.now() - start;
}
