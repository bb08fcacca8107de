/** `npm run pictures`: docs/pictures/*.png, made from the running product. */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { BrowserContext } from 'playwright-core';

import { type Product, startProduct } from './product.ts';
import { deployExamples } from './seed.ts';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const wide = { width: 1440, height: 900 };
const phone = { width: 360, height: 780 };

interface Picture {
  readonly name: string;
  readonly path: string;
  /** What is there when the page is complete. */
  readonly ready: string;
  readonly scheme?: 'dark' | 'light';
  readonly size?: typeof wide;
}

async function seeded(product: Product): Promise<string> {
  const { client } = product;
  await deployExamples(product);
  const failing = await client.runs.start('fulfil-order', { order: 'A-1041', amount: 42 });
  for (const count of [40, 25, 60]) await client.runs.start('many-items', { count });
  for (let n = 0; n < 3; n += 1) await client.runs.start('morning-brief');
  await client.runs.start('publish-with-approval');
  await client.runs.wait(failing.id);
  return failing.id;
}

async function take(
  context: BrowserContext,
  url: string,
  { name, path, ready, scheme = 'light', size = wide }: Picture,
): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.goto(`${url}${path}`);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.screenshot({ path: `${folder}${name}.png` });
  process.stdout.write(`docs/pictures/${name}.png\n`);
  await page.close();
}

const product = await startProduct();
try {
  await mkdir(folder, { recursive: true });
  const run = await seeded(product);
  const context = await product.open();
  const pictures: readonly Picture[] = [
    { name: 'runs', path: '/runs', ready: 'table.runs tbody tr' },
    // Titles of steps come with the workflow, after the run.
    { name: 'run', path: `/runs/${run}?step=ship`, ready: '.t-name:has-text("Hand it over")', scheme: 'dark' },
    { name: 'effects', path: `/runs/${run}`, ready: '.effect-row' },
    { name: 'graph', path: `/runs/${run}?view=graph`, ready: '.graph .node' },
    { name: 'questions', path: '/questions', ready: '.question' },
    { name: 'workflows', path: '/workflows', ready: 'table.workflows tbody tr' },
    { name: 'editor', path: '/workflows/fulfil-order/edit', ready: '.findings .good, .findings li' },
    { name: 'servers', path: '/servers/everything', ready: '.tools li' },
    { name: 'runs-phone', path: '/runs', ready: 'table.runs tbody tr', size: phone },
    { name: 'run-phone', path: `/runs/${run}`, ready: '.t-name:has-text("Hand it over")', scheme: 'dark', size: phone },
    { name: 'questions-phone', path: '/questions', ready: '.question', size: phone },
  ];
  for (const picture of pictures) await take(context, product.url, picture);
} finally {
  await product.close();
}
