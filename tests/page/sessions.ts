/** Log-in by code and by key, the end of a session, and what a key may not do. */
import { expect, test } from 'vitest';

import type { PageStack } from './stack.ts';

export function sessionTests(stack: PageStack): void {
  test('a code in the address logs in once, and leaves the address; logging out forgets the session', async () => {
    const page = await stack.stranger();
    const address = await stack.codeAddress('/servers');
    await page.goto(address);
    await page.getByRole('heading', { name: 'Servers' }).waitFor();
    expect(page.url()).not.toContain('code=');
    const session = '**/v1/session';
    await page.route(session, (route) => route.fulfill({ status: 403, json: { detail: 'Not now.' } }));
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('Not now.').waitFor();
    await page.getByRole('heading', { name: 'Servers' }).waitFor();
    await page.unroute(session);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to Baton' }).waitFor();
    await page.goto(address);
    await page.reload();
    await page.getByRole('heading', { name: 'Log in to Baton' }).waitFor();
    await page.getByText('This link was used before, or is too old.').waitFor();
  });

  test('a pasted key logs in, and is kept nowhere in the browser', async () => {
    const page = await stack.stranger();
    await page.goto(`${stack.baton.url}/servers`);
    const field = page.getByLabel('API key');
    await field.fill('bt_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    const { key } = await stack.key('pasted', 'admin');
    await field.fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Servers' }).waitFor();
    const kept = await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie + location.href');
    expect(kept).not.toContain(key);
  });

  test('a key that may only read is offered nothing else, and is told what it lacks', async () => {
    const page = await stack.stranger();
    const { key } = await stack.key('reader', 'runs:read');
    const run = await stack.ended('refunds');
    await page.goto(`${stack.baton.url}/runs/${run}`);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('The bank is closed.').first().waitFor();
    const pages = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
    expect(pages).toEqual(['Runs', 'Questions', 'Unknown calls', 'Workflows', 'Schedules', 'Costs', 'Docs']);
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    await page.goto(`${stack.baton.url}/audit`);
    await page.getByText('audit:read').first().waitFor();
  });

  test('with a key that may not follow runs, the page asks at intervals, and says when the server is away', async () => {
    const page = await stack.stranger();
    const { key } = await stack.key('answerer', 'questions:answer', 'servers:read');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await page.clock.install();
    await page.goto(`${stack.baton.url}/questions`);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Questions' }).waitFor();
    await page.getByText('Nothing waits for an answer').or(page.locator('.question')).first().waitFor();
    const run = await stack.baton.start('approval', { title: 'Chapter Nine' });
    await expect
      .poll(async () => {
        await page.clock.fastForward(5_000);
        return page.getByText('Publish Chapter Nine?').count();
      })
      .toBe(1);
    expect(asked).not.toContain('/v1/events');
    const lost = page.getByText('The connection is lost');
    expect(await lost.count()).toBe(0);
    await page.route('**/readyz', (route) => route.abort());
    await expect
      .poll(async () => {
        await page.clock.fastForward(10_000);
        return lost.count();
      })
      .toBe(1);
    await stack.baton.api('POST', `/v1/runs/${run}/cancel`);
  });

  test('a session whose key is revoked leads to the log-in, and back to the same page', async () => {
    const page = await stack.stranger();
    const { id, key } = await stack.key('short-lived', 'runs:read');
    await page.goto(`${stack.baton.url}/runs?status=failed`);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await stack.baton.api('DELETE', `/v1/keys/${id}`);
    // Where its stream has ended already, the page is at the log-in, and the button is gone.
    const waiting = page.getByRole('button', { name: /^waiting/ });
    await waiting.click({ timeout: 2_000 }).catch(() => undefined);
    await page.getByRole('heading', { name: 'Log in to Baton' }).waitFor();
    const { key: another } = await stack.key('next', 'runs:read');
    await page.getByLabel('API key').fill(another);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^failed/, pressed: true }).waitFor();
  });
}
