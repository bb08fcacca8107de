/** A run of many items: opened, scrolled, walked through with the slider. */
import type { Page } from 'playwright-core';

import { type Figure, figure, medianOf } from './figure.ts';
import type { Product } from './product.ts';

const scrollMs = 2_000;
const jumps = [0.1, 0.9, 0.5, 0.2, 0.75, 0.33, 0.66];

export async function manyItemsFigures({ client, url, open }: Product, items: number): Promise<Figure[]> {
  const { id } = await client.runs.start('many-items', { count: items });
  await client.runs.wait(id);
  const context = await open({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${url}/runs`);
  await page.locator('table.runs tbody tr').first().waitFor();
  const opened = await openMs(page, id, items);
  await page.getByRole('button', { name: /^Open the/ }).click();
  await page.getByText('[0]').first().waitFor();
  const frames = await framesASecond(page);
  const jumped: number[] = [];
  for (const share of jumps) jumped.push(await jumpMs(page, share));
  await context.close();
  const name = `run of ${items.toLocaleString('en')} items`;
  return [
    figure(`${name}: open`, opened, 'ms', { most: 2_000 }),
    figure(`${name}: scroll`, frames, 'frames/s', { least: 50 }),
    figure(`${name}: a jump of the slider`, medianOf(jumped), 'ms', { most: 100 }),
  ];
}

/** From the click on its row until the whole journal is there. */
async function openMs(page: Page, id: string, items: number): Promise<number> {
  const start = performance.now();
  await page.locator(`a[href$="/runs/${id}"]`).first().click();
  await page
    .getByRole('img', { name: new RegExp(`${items.toLocaleString('en')} succeeded`) })
    .first()
    .waitFor();
  return performance.now() - start;
}

/** Runs in the browser, which this room's types know nothing of: as text. */
const framesASecond = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((done) => {
    const list = document.querySelector('.timeline-scroll');
    const start = performance.now();
    let frames = 0;
    const step = () => {
      frames += 1;
      list.scrollTop += 240;
      const past = performance.now() - start;
      if (past < ${scrollMs}) requestAnimationFrame(step);
      else done((frames * 1000) / past);
    };
    requestAnimationFrame(step);
  })`);

/** From the change of the slider until the page shows the run at that event. */
const jumpMs = (page: Page, share: number): Promise<number> =>
  page.evaluate<number>(`new Promise((done) => {
    const slider = document.querySelector('.slider input');
    const wanted = Math.round(Number(slider.max) * ${share});
    const start = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(slider, String(wanted));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    const look = () => {
      if (document.querySelector('.sentence').textContent.includes('after event ' + wanted)) done(performance.now() - start);
      else requestAnimationFrame(look);
    };
    look();
  })`);
