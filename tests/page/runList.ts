/** The list of runs: filters, the histogram, new rows, the keyboard, and what is done to many runs at once. */
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';

import type { PageStack } from './stack.ts';

/** A run that starts before this answer is in the list; of a later one the stream tells. */
async function listAfterStream(page: Page): Promise<void> {
  let hasBegun = false;
  page.on('response', (response) => {
    hasBegun ||= response.url().includes('/v1/events');
  });
  const list = await page.waitForRequest((request) => hasBegun && request.url().includes('/v1/runs?'));
  await list.response();
}

/** As when a person looks at another tab for a while: what is on the screen is asked for anew. */
const goAwayAndComeBack = `
  for (const value of ['hidden', 'visible']) {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value });
    document.dispatchEvent(new Event('visibilitychange'));
  }
  delete document.visibilityState;`;

const problem = {
  type: 'about:blank',
  title: 'Bad request',
  status: 400,
  code: 'invalid-request',
  detail: 'No such page.',
};

/** The list of the runs of `patient`, and the stream has begun. */
async function listOfPatient(stack: PageStack): Promise<Page> {
  const page = await stack.visit('/settings');
  const list = listAfterStream(page);
  await page.goto(`${stack.baton.url}/runs?workflow=patient`);
  await list;
  await page.getByText('No run fits these filters').or(page.getByRole('table')).first().waitFor();
  return page;
}

export function runListTests(stack: PageStack): void {
  test('shows status, workflow, trigger, time and details; a whole row opens its run', async () => {
    const run = await stack.ended('refunds', { order: 'B-7' });
    const page = await stack.visit('/runs');
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${run}"]`) });
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /^ failed refunds@1 api admin (?:just now|\d+ s ago) .* tool-failed The bank is closed\.$/,
    );
    await row.getByText('The bank is closed.').click();
    await page.getByRole('button', { name: 'Show the step' }).waitFor();
    expect(page.url()).toContain(run);
  });

  test('keeps its filters in the address, through back, forward and reload, and by name in the browser', async () => {
    const good = await stack.ended('greeting');
    await stack.ended('refunds');
    const page = await stack.visit('/runs');
    await page.getByRole('button', { name: /^failed/ }).click();
    await page.getByLabel('Failure says').fill('bank');
    await page.keyboard.press('Enter');
    await page.waitForURL(/text=bank/);
    await page.getByRole('table').getByText('refunds').first().waitFor();
    await page.getByRole('table').getByRole('link', { name: 'greeting' }).first().waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: /^failed/, pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Name of the view').fill('Bank trouble');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator(`a[href$="${good}"]`).waitFor();
    await page.getByRole('button', { name: 'Bank trouble', exact: true }).click();
    await page.waitForURL(/status=failed.*text=bank/);
    await page.goBack();
    await page.locator(`a[href$="${good}"]`).waitFor();
    await page.goForward();
    await page.getByRole('button', { name: 'Forget the view Bank trouble' }).click();
    await page.getByLabel('Failure says').fill('no run says this');
    await page.keyboard.press('Enter');
    await page.getByText('No run fits these filters').waitFor();
  });

  test('a filter takes effect while it is typed, is one step back, and is not disturbed by a late answer', async () => {
    const good = await stack.ended('greeting');
    await stack.ended('refunds');
    const page = await stack.visit('/runs');
    const isFirst = (url: URL): boolean => url.pathname === '/v1/runs' && url.searchParams.get('text') === 'b';
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(isFirst, async (route) => {
      await released;
      // The page has given it up.
      await route.continue().catch(() => {});
    });
    const before = await page.evaluate<number>('history.length');
    const field = page.getByLabel('Failure says');
    const first = page.waitForRequest((request) => isFirst(new URL(request.url())));
    await field.pressSequentially('b');
    await first;
    await field.pressSequentially('ank is ');
    await page.waitForURL(/text=bank\+is(?:&|$)/);
    release();
    await field.pressSequentially('closed');
    await page.waitForURL(/text=bank\+is\+closed/);
    await page.locator(`a[href$="${good}"]`).waitFor({ state: 'detached' });
    await page.getByRole('table').getByText('The bank is closed.').first().waitFor();
    expect(await field.inputValue()).toBe('bank is closed');
    expect(await page.evaluate<number>('history.length')).toBe(before + 1);
    await page.goBack();
    await page.locator(`a[href$="${good}"]`).waitFor();
    expect(await field.inputValue()).toBe('');
  });

  test('filters by workflow, trigger, tag, called tool and time', async () => {
    const run = await stack.ended('parent');
    const page = await stack.visit('/runs?time=24h');
    await page.getByLabel('Workflow').selectOption('greeting');
    await page.getByLabel('Trigger').selectOption('workflow');
    await page.getByLabel('Called tool').fill('tools/echo');
    await page.keyboard.press('Enter');
    await page.waitForURL(/server=tools&tool=echo/);
    expect(await page.getByLabel('Called tool').inputValue()).toBe('tools/echo');
    await page
      .getByRole('table')
      .getByRole('link', { name: /^parent/ })
      .waitFor({ state: 'detached' });
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('link', { name: 'its parent' }).click();
    await page.waitForURL(new RegExp(`${run}\\?step=child`));
    await page.getByRole('heading', { name: 'child', exact: true }).waitFor();
  });

  test('a drag over the histogram chooses a time', async () => {
    await stack.ended('greeting');
    const page = await stack.visit('/runs?time=1h');
    const bars = page.getByRole('img', { name: /^Runs by time/ });
    const { x, y, width, height } = (await bars.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + width * 0.5, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 1, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    await page.getByRole('table').getByRole('link', { name: 'greeting' }).first().waitFor();
    await page
      .getByRole('button', { name: 'Show the whole time again' })
      .or(page.getByTitle('Show the whole time again'))
      .first()
      .click();
    await page.waitForURL((url) => !url.search.includes('from='));
    const failed = page.getByRole('button', { name: /^failed/ });
    await failed.getByText(/\d/).waitFor();
    // All time is not counted, and the counts of an hour are not its.
    await page.getByLabel('Time', { exact: true }).selectOption('all');
    await failed.getByText(/\d/).waitFor({ state: 'detached' });
  });

  test('new runs gather above the list until they are asked for, and rows follow their runs', async () => {
    const page = await listOfPatient(stack);
    const run = await stack.baton.start('patient');
    const button = page.getByRole('button', { name: '1 new' });
    await button.waitFor();
    expect(await page.locator(`a[href$="${run}"]`).count()).toBe(0);
    await button.click();
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${run}"]`) });
    await row.getByText('waiting').waitFor();
    await row.getByText('bell waits for the signal ring').waitFor();
    await stack.baton.api('POST', `/v1/runs/${run}/signals/ring`);
    await row.getByText('work is running.').waitFor();
    await page.reload();
    await row.getByText('work is running.').waitFor();
    await stack.baton.api('POST', `/v1/runs/${run}/cancel`);
    await row.locator('.status').getByText('cancelled').waitFor();
  });

  test('a list that was answered before the stream of events began, and came after, is read anew', async () => {
    const page = await stack.visit('/settings');
    const [stream, old] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const answered = Promise.withResolvers<void>();
    await page.route('**/v1/events*', async (route) => {
      await stream.promise;
      await route.continue();
    });
    const lists = '**/v1/runs?*';
    await page.route(
      lists,
      async (route) => {
        const response = await route.fetch();
        answered.resolve();
        await old.promise;
        // The page may have given it up.
        await route.fulfill({ response }).catch(() => undefined);
      },
      { times: 1 },
    );
    await page.goto(`${stack.baton.url}/runs?workflow=patient`);
    await answered.promise;
    const run = await stack.baton.start('patient');
    // Before the client gives the first one up, and asks again by itself.
    const again = page.waitForRequest(lists);
    stream.resolve();
    await again;
    old.resolve();
    await page.locator(`a[href$="${run}"]`).waitFor();
    await stack.baton.api('POST', `/v1/runs/${run}/cancel`);
  });

  test('a new run that a list read anew has taken in is not counted any more', async () => {
    const page = await listOfPatient(stack);
    const run = await stack.baton.start('patient');
    const button = page.getByRole('button', { name: '1 new' });
    await button.waitFor();
    await page.evaluate(goAwayAndComeBack);
    await page.locator(`a[href$="${run}"]`).waitFor();
    await button.waitFor({ state: 'detached' });
    await stack.baton.api('POST', `/v1/runs/${run}/cancel`);
  });

  test('pages that do not fill the window follow each other by themselves', async () => {
    await Promise.all(Array.from({ length: 7 }, () => stack.ended('greeting')));
    const page = await stack.visit('/settings');
    // On a busy machine an answer can be there before React hears that it was asked for.
    await page.addInitScript(`const { setTimeout } = window;
      window.setTimeout = (run, ms, ...rest) => setTimeout(run, ms > 0 ? ms : 500, ...rest);`);
    // The list is read anew while its second page is asked for.
    let hasComeBack = false;
    await page.route('**/v1/runs?*', async (route, request) => {
      if (!hasComeBack && request.url().includes('cursor=')) {
        hasComeBack = true;
        return page.evaluate(goAwayAndComeBack);
      }
      return route.continue({ url: request.url().replace('limit=50', 'limit=2') });
    });
    await page.goto(`${stack.baton.url}/runs?workflow=greeting`);
    await page.locator('tbody tr').nth(6).waitFor();

    // What is on the screen stays when a page fails, and the button asks again.
    // The page before may ask for more until it is left, so every such request fails.
    const pages = '**/v1/runs?*cursor=*';
    const failing = (route: Route): Promise<void> => route.fulfill({ status: 400, json: problem });
    await page.route(pages, failing);
    await page.reload();
    await page.getByText('No such page.').waitFor();
    await page.unroute(pages, failing);
    expect(await page.locator('tbody tr').count()).toBe(2);
    await page.getByRole('button', { name: 'More' }).click();
    await page.locator('tbody tr').nth(6).waitFor();
    expect(await page.getByText('No such page.').count()).toBe(0);
  });

  test('failed runs are grouped by cause, each cause selects its runs, and a failed run leads to those like it', async () => {
    const run = await stack.ended('refunds', { order: 'C-1' });
    await stack.ended('refunds', { order: 'C-2' });
    await stack.ended('refunds', {});
    const page = await stack.visit('/runs?status=failed');
    const causes = page.getByRole('region', { name: 'Causes' });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('tbody').getByText('The bank is closed.').first().waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await causes.getByRole('button', { name: 'The bank is closed.' }).click();
    await page.getByRole('button', { name: /^Failed like/ }).waitFor();
    await causes.waitFor({ state: 'detached' });
    await page.locator(`a[href$="${run}"]`).waitFor();
    const workflows = await page.locator('tbody .cell-name').allInnerTexts();
    expect(new Set(workflows.map((text) => text.split('@')[0]))).toEqual(new Set(['refunds']));

    await page.getByLabel('Retried').selectOption('no');
    expect(page.url()).toContain('retried=no');
    await page.locator(`a[href$="${run}"]`).waitFor();
    await stack.baton.api('POST', `/v1/runs/${run}/retry`);
    await page.reload();
    await page.locator(`a[href$="${run}"]`).waitFor({ state: 'detached' });

    await page.goto(`${stack.baton.url}/runs/${run}`);
    await page.getByRole('link', { name: /^\d+ other runs failed like this$/ }).click();
    await page.getByRole('button', { name: /^Failed like/ }).waitFor();
    await page.locator(`a[href$="${run}"]`).waitFor();
  });

  test('many runs are cancelled and retried with the count and the writes said first', async () => {
    const [one, other] = [
      await stack.ended('refunds', { order: 'many' }),
      await stack.ended('refunds', { order: 'many' }),
    ];
    const page = await stack.visit('/runs?workflow=refunds&status=failed');
    for (const id of [one, other]) await page.getByLabel(`Choose the run ${id}`).check();
    await page.getByText('2 chosen:').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Retry…' }).click();
    await page.getByText(/would be made again/).waitFor();
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.getByRole('button', { name: 'Choose none' }).click();
    const waiting = [await stack.baton.start('patient'), await stack.baton.start('patient')];
    await page.goto(`${stack.baton.url}/runs?workflow=patient`);
    const row = page.locator('tr', { has: page.locator(`a[href$="${waiting[0]}"]`) });
    await page.locator(`a[href$="${waiting[1]}"]`).waitFor();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('button', { name: 'Cancel 2 runs' }).click();
    await page.getByText('2 runs are being cancelled.').waitFor();
    await row.locator('.status').getByText('cancelled').waitFor();
    // Red is for what failed.
    await row.locator('.why').waitFor();
    expect(await row.locator('.red').count()).toBe(0);
  });

  test('the page of a run that is not there, and an address without a page, lead back', async () => {
    const page = await stack.visit('/nowhere');
    await page.getByRole('link', { name: 'Show the first page' }).click();
    await page.waitForURL(/\/runs$/);
    await page.goto(`${stack.baton.url}/runs/01a20331-f658-7bff-8617-a5eb4685df4a`);
    await page.getByRole('link', { name: 'Show the runs' }).click();
    await page.waitForURL(/\/runs$/);
  });

  test('j, k, x and Enter walk through the rows', async () => {
    await stack.ended('greeting');
    await stack.ended('greeting');
    const page = await stack.visit('/runs?workflow=greeting');
    const rows = page.getByRole('table').getByRole('row');
    await rows.nth(2).waitFor();
    const address = (await rows.nth(2).getByRole('link').getAttribute('href')) ?? '';
    for (const key of ['j', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('1 chosen:').waitFor();
    for (const key of ['k', 'j', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(`${stack.baton.url}${address}`);
  });
}
