/** The first load, from a browser without a cache. */
import { type Figure, figure, medianOf } from './figure.ts';
import type { Product } from './product.ts';

const rounds = 5;

export async function loadFigures(product: Product): Promise<Figure[]> {
  const paints: number[] = [];
  const usable: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const context = await product.open();
    const page = await context.newPage();
    bytes = 0;
    page.on('response', (response) => {
      if (!response.url().endsWith('.js')) return;
      void response
        .request()
        .sizes()
        .then(
          ({ responseBodySize }) => (bytes += responseBodySize),
          () => {},
        );
    });
    // Gzip, so that the figure is what the goal is of: browsers on plain HTTP take no Brotli.
    await page.goto(`${product.url}/runs`);
    await page.locator('.filters').waitFor();
    usable.push(await page.evaluate(() => performance.now()));
    paints.push(
      await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN),
    );
    await page.waitForLoadState('networkidle').catch(() => {});
    await context.close();
  }
  return [
    figure('JavaScript of the first load', bytes / 1000, 'kB', { most: 150 }),
    figure('first paint, cold', medianOf(paints), 'ms', { most: 1_000 }),
    figure('usable, cold', medianOf(usable), 'ms', { most: 1_500 }),
  ];
}
