/** What the dialogs before a retry and a rerun say of calls that runs below the run would make again. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { PageStack } from './stack.ts';

/** The server dies after the effect and before the answer: whether the call happened is not known. */
const leaf = `
workflow: leaf
steps:
  - { id: sent, tool: tools/write, with: { amount: 1 } }
  - { id: lost, tool: tools/crash, with: { amount: 1 } }
`;

const branched = `
workflow: branched
steps:
  - { id: own, tool: tools/write, with: { amount: 2 } }
  - { id: inner, workflow: leaf }
`;

const spread = `
workflow: spread
steps:
  - id: each
    forEach: [one, two]
    maxParallel: 1
    distribute: true
    steps:
      - { id: sent, tool: tools/write, with: { amount: 3 } }
      - { id: lost, if: item == 'two', tool: tools/crash, with: { amount: 3 } }
`;

/** The calls that the dialog lists, each with its effect, path, tool and outcome. */
async function listedBy(page: Page, button: string, writes: string): Promise<string[]> {
  await page.getByRole('button', { name: button, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: `and make ${writes} again` }).waitFor();
  await dialog.getByText(`${writes.replace('write', 'call')} with the effect write would be made again.`).waitFor();
  const listed = await dialog.locator('ul.again li').allInnerTexts();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return listed.map((text) => text.replaceAll(/\s+/g, ' ')).toSorted();
}

export function againTests(stack: PageStack): void {
  test('The dialogs of a retry and of a rerun list the calls of child runs and of distributed items that they repeat.', async () => {
    for (const text of [leaf, branched, spread]) await stack.baton.deploy(text);
    const ofChild = await stack.visit(`/runs/${await stack.ended('branched')}`);
    expect(await listedBy(ofChild, 'Retry', '1 write')).toEqual(['write inner>lost tools/crash unknown before']);
    // From the step that failed.
    expect(await listedBy(ofChild, 'Run again…', '2 writes')).toEqual([
      'write inner>lost tools/crash unknown before',
      'write inner>sent tools/write succeeded before',
    ]);

    const ofItems = await stack.visit(`/runs/${await stack.ended('spread')}`);
    expect(await listedBy(ofItems, 'Retry', '1 write')).toEqual(['write each/1/run>lost tools/crash unknown before']);
    expect(await listedBy(ofItems, 'Run again…', '3 writes')).toEqual([
      'write each/0/run>sent tools/write succeeded before',
      'write each/1/run>lost tools/crash unknown before',
      'write each/1/run>sent tools/write succeeded before',
    ]);
  });
}
