/**
 * From a key until the frame is drawn that shows the findings of the changed text, in a file of 2,000 lines. The page's own
 * clock measures: Playwright looks only 20, 70 and 170 ms after the key.
 */
import { type Figure, figure, medianOf } from './figure.ts';
import type { Product } from './product.ts';

/** Of five lines each; a workflow has at most 500. */
const steps = 400;
const keys = 15;

const long = `workflow: long-file\nsteps:\n${Array.from(
  { length: steps },
  (_, at) => `  - id: step_${at}\n    title: Step ${at}\n    set:\n      value: ${at}\n      next: ${at + 1}\n`,
).join('')}`;

/** A message that is sent within a frame arrives after it was drawn. */
const watchKeys = `
  window.keyTimes = [];
  let keyMs;
  document.querySelector('.code-editor').shadowRoot.addEventListener('keydown', ({ timeStamp }) => { keyMs = timeStamp; }, true);
  new MutationObserver(() => {
    if (keyMs === undefined) return;
    const startMs = keyMs;
    keyMs = undefined;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.keyTimes.push(performance.now() - startMs);
      port2.postMessage(undefined);
    });
  }).observe(document.querySelector('.findings'), { childList: true, subtree: true });`;

/** Resolves when more than `count` keys were measured. The policy of the page lets Playwright's own wait look at nothing. */
const timesAbove = (count: number): string => `new Promise((resolve) => {
  const look = () => (window.keyTimes.length > ${count} ? resolve() : requestAnimationFrame(look));
  look();
})`;

export async function editorFigure({ client, url, open }: Product): Promise<Figure> {
  await client.workflows.deploy(long);
  const context = await open();
  const page = await context.newPage();
  await page.goto(`${url}/workflows/long-file/edit`);
  await page.locator('.findings .good').waitFor();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Home');
  await page.evaluate(watchKeys);
  for (let key = 0; key < keys; key += 1) {
    const isBroken = key % 2 === 0;
    await page.keyboard.press(isBroken ? 'q' : 'Backspace');
    await page
      .locator(isBroken ? '.findings li' : '.findings .good')
      .first()
      .waitFor();
    await page.evaluate(timesAbove(key));
  }
  const times = await page.evaluate<readonly number[]>('window.keyTimes');
  await context.close();
  return figure('editor: findings after a key, 2,000 lines', medianOf(times), 'ms', { most: 100 });
}
