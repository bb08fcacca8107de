/** Workflows: their figures, what starts them, their versions, and a run from a form. */
import { expect, test } from 'vitest';

import { tooWide } from './everyPage.ts';
import type { PageStack } from './stack.ts';

const versions = (n: number): string => `workflow: changing\nsteps:\n  - { id: said, set: { n: ${n} } }\n`;

/** Pixels of the graph that are seen only after scrolling to the side. */
const hiddenBeside = `(() => {
  const graph = document.querySelector('.graph');
  return graph.scrollWidth - graph.clientWidth;
})()`;

const remembering = `workflow: team/remembering
state:
  cursor: { type: string, default: "" }
  seen: { type: array, items: { type: string }, default: [] }
on:
  - poll: shop/lookup
    every: 1h
    start: all
    with: { order: A-1 }
    items: "result.text == '' ? [] : [result.text]"
    key: item
    state: { cursor: "\${{ state.cursor + '+' }}" }
steps:
  - state: { seen: "\${{ state.seen + [run.id] }}" }
`;

export function workflowTests(stack: PageStack): void {
  test('the list shows the last runs, figures and the next instant; a run starts from a form', async () => {
    await stack.ended('greeting');
    const page = await stack.visit('/workflows');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'greeting@1' }) });
    await row.getByText('Say hello').waitFor();
    await row.getByText('100 %').waitFor();
    await row
      .getByRole('link', { name: /^Run succeeded, / })
      .first()
      .waitFor();
    await row.getByText(/^in \d+ [hm]/).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('columnheader', { name: 'Next' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await expect.poll(() => page.locator('tbody tr').first().innerText()).toContain('greeting');
    await row.getByRole('button', { name: 'Run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Who is greeted').waitFor();
    await dialog.getByLabel('name').fill('Ada');
    await dialog.getByLabel('times').fill('2');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/\/runs\//);
    await page.getByText(/1 step succeeded in/).waitFor();
    await page.getByRole('tab', { name: 'Inputs and outputs' }).click();
    await page.getByText('Hello, Ada').waitFor();
  });

  test('a graph that is higher than the window ends with it, and its triggers are all in view', async () => {
    const steps = Array.from({ length: 20 }, (_, n) => `  - { id: step-${n}, set: { a: ${n} } }`);
    const hooks = ['one', 'two', 'three'].map((name) => `  - { webhook: ${name}, secret: HOOK_KEY }`);
    await stack.baton.deploy(['workflow: tall', 'on:', ...hooks, 'steps:', ...steps, ''].join('\n'));
    for (const path of ['/workflows/tall?view=graph', '/workflows/tall/edit']) {
      const page = await stack.visit(path);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.locator('.graph .node', { hasText: 'webhook three' }).waitFor();
      const { y = 0, height = 0 } = (await page.locator('.graph').boundingBox()) ?? {};
      const below = 900 - Math.round(y + height);
      expect([path, below === 0 || below === 1]).toEqual([path, true]);
      expect([path, await page.evaluate(hiddenBeside)]).toEqual([path, 0]);
    }
  });

  test('A workflow opens on its figures and runs, and shows graph, source, and what starts it: schedules, and hooks with their deliveries', async () => {
    await stack.ended('greeting');
    await stack.baton.api('POST', '/v1/hooks/greeting/knock', {}, { 'webhook-id': 'forged' });
    const page = await stack.visit('/workflows/greeting');
    const figures = page.getByRole('list', { name: 'Figures' });
    await figures.getByText('100 %').waitFor();
    await figures.getByText(/^in \d+ [hm]/).waitFor();
    await page.getByRole('tab', { name: 'Graph' }).click();
    await page.locator('.graph .node', { hasText: 'Say it' }).waitFor();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.getByText('webhook: knock').waitFor();
    await page.getByRole('tab', { name: 'Triggers' }).click();
    await page.getByText(`${stack.baton.url}/v1/hooks/greeting/knock`).waitFor();
    await page.getByText('refused').first().waitFor();
    await page.getByText('Europe/Berlin').waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await tooWide(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await expect
      .poll(() => page.evaluate<string>('navigator.clipboard.readText()'))
      .toBe(`${stack.baton.url}/v1/hooks/greeting/knock`);
    await page.setViewportSize({ width: 1440, height: 900 });
    // A run that starts before this answer is in the list, and not new.
    const list = page.waitForResponse('**/v1/runs?*');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await list;
    const run = await stack.baton.start('greeting');
    await page.getByRole('button', { name: /^\d+ new$/ }).click();
    await page.locator(`a[href$="${run}"]`).first().waitFor();
    await page.getByRole('link', { name: 'All runs, with filters' }).click();
    await page.waitForURL(/\/runs\?workflow=greeting/);
  });

  test('What a workflow remembers is shown with what wrote it and the values before, and is set; its poll with what it found', async () => {
    await stack.baton.deploy(remembering);
    await stack.ended('team/remembering');
    // The first poll writes the cursor, too: what a person sets before it does not stay.
    const cursorNow = async (): Promise<unknown> =>
      (await stack.baton.client.state.get('team/remembering')).values.find(({ key }) => key === 'cursor')?.value;
    await expect.poll(cursorNow, { timeout: 60_000 }).toBe('+');
    const page = await stack.visit('/workflows/team~remembering?view=state');
    const seen = page.locator('.section', { hasText: 'seen' });
    await seen.getByRole('link', { name: 'A run' }).first().waitFor();
    const cursor = page.locator('.section', { hasText: 'cursor' });
    await cursor.getByRole('button', { name: 'Set…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value, as JSON').fill('7');
    await dialog.getByRole('button', { name: 'Set cursor' }).click();
    await dialog.getByRole('alert').getByText('does not fit the type').first().waitFor();
    await dialog.getByLabel('Value, as JSON').fill('"here"');
    await dialog.getByRole('button', { name: 'Set cursor' }).click();
    await dialog.waitFor({ state: 'detached' });
    await cursor.getByText('"here"').waitFor();
    await cursor.getByRole('button', { name: 'Set…' }).click();
    await stack.baton.client.state.set('team/remembering', 'cursor', 'elsewhere');
    await dialog.getByLabel('Value, as JSON').fill('"there"');
    await dialog.getByRole('button', { name: 'Set cursor' }).click();
    await dialog.locator('.note.warn').getByText('"elsewhere"').waitFor();
    await dialog.getByRole('button', { name: 'Set cursor all the same' }).click();
    await cursor.getByText('"there"').waitFor();
    await cursor.getByRole('button', { name: 'Values before' }).click();
    await page.getByRole('list', { name: 'Values of cursor before' }).getByText('"here"').waitFor();
    await page.getByRole('tab', { name: 'Triggers' }).click();
    await page.getByText('Seen so far: 1.').waitFor();
    await page.getByText('1 item, of which 1 started a run').waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    for (const tab of ['Triggers', 'State']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await tooWide(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('triggers are paused and resumed', async () => {
    const page = await stack.visit('/workflows/greeting');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Pause triggers' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    const { body } = await stack.baton.api('GET', '/v1/workflows/greeting');
    expect(body['pausedAt']).toBeDefined();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Resume' }).click();
    await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' });
  });

  test('versions are compared, rolled back as a new one, and the workflow is deleted', async () => {
    for (const n of [1, 2]) await stack.baton.deploy(versions(n));
    const page = await stack.visit('/workflows/changing?view=versions');
    await page.getByText(/^\+ .*n: 2/).waitFor();
    await page.getByText(/^- .*n: 1/).waitFor();
    await page.getByRole('list', { name: 'Versions' }).getByRole('button', { name: '1' }).click();
    await page.getByRole('button', { name: 'Roll back to this…' }).click();
    await page.getByRole('button', { name: 'Deploy its text again' }).click();
    await page.getByText('The text of version 1 is deployed as version 3.').waitFor();
    await page.getByRole('heading', { name: 'changing@3' }).waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const refused = '**/v1/workflows/changing';
    await page.route(refused, (route) => route.fulfill({ status: 409, json: { detail: 'Not now.' } }));
    await page.getByRole('button', { name: 'Delete changing' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('Not now.').waitFor();
    await page.unroute(refused);
    await page.getByRole('button', { name: 'Delete changing' }).click();
    await page.waitForURL(/\/workflows$/);
    await page.getByRole('link', { name: 'greeting@1' }).waitFor();
    await page.getByRole('link', { name: /^changing/ }).waitFor({ state: 'detached' });
  });
}
