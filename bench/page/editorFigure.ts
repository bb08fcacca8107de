/** From a key until the findings of the changed text are there, in a file of 2,000 lines. */
import type { Figure } from './figure.ts';
import { figure, medianOf } from './figure.ts';
import type { Product } from './product.ts';

/** Of five lines each; a workflow has at most 500. */
const steps = 400;
const keys = 15;

const long = `workflow: long-file\nsteps:\n${Array.from(
  { length: steps },
  (_, at) => `  - id: step_${at}\n    title: Step ${at}\n    set:\n      value: ${at}\n      next: ${at + 1}\n`,
).join('')}`;

export async function editorFigure({ client, url, open }: Product): Promise<Figure> {
  await client.workflows.deploy(long);
  const context = await open();
  const page = await context.newPage();
  await page.goto(`${url}/workflows/long-file/edit`);
  await page.locator('.findings .good').waitFor();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Home');
  const times: number[] = [];
  for (let key = 0; key < keys; key += 1) {
    const isBroken = key % 2 === 0;
    const start = performance.now();
    await page.keyboard.press(isBroken ? 'q' : 'Backspace');
    await page
      .locator(isBroken ? '.findings li' : '.findings .good')
      .first()
      .waitFor();
    times.push(performance.now() - start);
  }
  await context.close();
  return figure('editor: findings after a key, 2,000 lines', medianOf(times), 'ms', { most: 100 });
}
