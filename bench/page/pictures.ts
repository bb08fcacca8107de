/**
 * `npm run pictures`: docs/pictures/*.png, made from the running product. With `-- --every FOLDER`: pictures of every page
 * there instead, at three widths and in both schemes, to look at; `--pages runs,run`: of these alone.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { BrowserContext } from 'playwright-core';

import { runMany } from '../../tests/page/manyRuns.ts';
import { parseOptions } from '../core/parseOptions.ts';
import { type Product, startProduct } from './product.ts';
import { deployExamples } from './seed.ts';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const wide = { width: 1440, height: 900 };
const phone = { width: 360, height: 780 };

/** A desk, a small window beside another one, a phone. */
const sizes = [wide, { width: 1024, height: 768 }, phone];

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
  for (const seat of ['12C', '14A']) await client.runs.start('book-flight', { seat });
  for (let n = 0; n < 4; n += 1) await client.runs.start('sort-mail');
  await client.runs.start('publish-with-approval');
  await client.runs.wait(failing.id);
  return failing.id;
}

async function take(
  context: BrowserContext,
  url: string,
  { name, path, ready, scheme = 'light', size = wide }: Picture,
  file = `${folder}${name}.png`,
): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.goto(`${url}${path}`);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.screenshot({ path: file });
  process.stdout.write(`${file}\n`);
  await page.close();
}

const picturesOf = (run: string): readonly Picture[] => [
  { name: 'runs', path: '/runs', ready: 'table.runs tbody tr' },
  // Titles of steps come with the workflow, after the run.
  { name: 'run', path: `/runs/${run}?step=ship`, ready: '.t-name:has-text("Hand it over")', scheme: 'dark' },
  { name: 'effects', path: `/runs/${run}`, ready: '.effect-from:visible' },
  { name: 'graph', path: `/runs/${run}?view=graph`, ready: '.graph .node' },
  { name: 'questions', path: '/questions', ready: '.question' },
  { name: 'workflows', path: '/workflows', ready: 'table.workflows tbody tr' },
  { name: 'editor', path: '/workflows/fulfil-order/edit', ready: '.findings .good, .findings li' },
  { name: 'servers', path: '/servers/everything', ready: '.tools li' },
  { name: 'runs-phone', path: '/runs', ready: 'table.runs tbody tr', size: phone },
  { name: 'run-phone', path: `/runs/${run}`, ready: '.t-name:has-text("Hand it over")', scheme: 'dark', size: phone },
  { name: 'questions-phone', path: '/questions', ready: '.question', size: phone },
];

/** The pages that the documentation shows no picture of. */
const others: readonly Picture[] = [
  { name: 'causes', path: '/runs?status=failed', ready: '.cause' },
  { name: 'unknown', path: '/unknown', ready: '.unknown-calls td' },
  { name: 'costs', path: '/costs', ready: 'table.costs tbody tr' },
  { name: 'schedules', path: '/schedules', ready: 'table tbody tr' },
  { name: 'server-list', path: '/servers', ready: 'table tbody tr' },
  { name: 'workflow', path: '/workflows/fulfil-order', ready: '.overview b' },
  { name: 'workflow-graph', path: '/workflows/fulfil-order?view=graph', ready: '.graph .node' },
  { name: 'source', path: '/workflows/fulfil-order?view=source', ready: '.source' },
  { name: 'versions', path: '/workflows/fulfil-order?view=versions', ready: '.diff, .section' },
  { name: 'triggers', path: '/workflows/sort-mail?view=triggers', ready: '.section' },
  { name: 'state', path: '/workflows/sort-mail?view=state', ready: '.section .code, .empty' },
  { name: 'start', path: '/workflows/fulfil-order?do=run', ready: 'dialog .field' },
  { name: 'audit', path: '/audit', ready: 'table tbody tr' },
  { name: 'entries', path: '/audit?view=entries', ready: 'table tbody tr' },
  { name: 'system', path: '/system', ready: 'table tbody tr' },
  { name: 'keys', path: '/settings', ready: 'table tbody tr' },
  { name: 'people', path: '/settings?view=people', ready: 'table tbody tr, .empty' },
  { name: 'secrets', path: '/settings?view=secrets', ready: 'table tbody tr, .empty' },
  { name: 'sessions', path: '/settings?view=sessions', ready: 'table tbody tr' },
  { name: 'device', path: '/device', ready: 'h1' },
];

async function takeEvery(context: BrowserContext, url: string, run: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const all = [...picturesOf(run).filter(({ size }) => size === undefined), ...others];
  for (const picture of all.filter(({ name }) => wanted?.includes(name) !== false))
    for (const size of sizes)
      for (const scheme of ['light', 'dark'] as const)
        await take(context, url, { ...picture, size, scheme }, `${to}/${picture.name}-${size.width}-${scheme}.png`);
}

const { values } = parseOptions({ options: { every: { type: 'string' }, pages: { type: 'string' } } });
const wanted = values.pages?.split(',');
const product = await startProduct();
try {
  await mkdir(folder, { recursive: true });
  const run = await seeded(product);
  const context = await product.open();
  if (values.every !== undefined) {
    await runMany(product.client);
    await takeEvery(context, product.url, run, values.every);
  } else for (const picture of picturesOf(run)) await take(context, product.url, picture);
} finally {
  await product.close();
}
