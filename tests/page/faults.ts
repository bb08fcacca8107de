/** What happens while a person watches: another person answers, a worker dies, Postgres or the server is away. */
import { expect, test } from 'vitest';

import { violations } from './everyPage.ts';
import type { PageStack } from './stack.ts';

export function faultTests(stack: PageStack): void {
  test('an answer in one tab shows in the other', async () => {
    const run = await stack.baton.start('approval', { title: 'Chapter Three' });
    const one = await stack.visit('/questions');
    const card = one.getByRole('article').filter({ hasText: 'Publish Chapter Three?' });
    await card.waitFor();
    const other = await stack.visit(`/runs/${run}`);
    await other.getByRole('button', { name: 'Reject' }).click();
    await other.getByText(/step succeeded in/).waitFor();
    // A tab in the background holds no stream; it asks again when it comes to the front.
    await one.bringToFront();
    await card.waitFor({ state: 'detached' });
    const { body } = await stack.baton.api('GET', `/v1/runs/${run}`);
    expect(body['status']).toBe('succeeded');
  });

  test('the second of two answers is told that the question is answered', async () => {
    const run = await stack.baton.start('approval', { title: 'Chapter Four' });
    const page = await stack.visit('/settings');
    // The page does not hear of the other answer in time.
    await page.route('**/v1/events*', (route) => route.abort());
    await page.goto(`${stack.baton.url}/questions`);
    const card = page.getByRole('article').filter({ hasText: 'Publish Chapter Four?' });
    await card.waitFor();
    await answer(stack, run);
    await card.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('status')
      .getByText(/answered/)
      .waitFor();
    await card.waitFor({ state: 'detached' });
  });

  test('a worker that is killed is said by the run, which goes on by itself', async () => {
    const run = await stack.baton.start('working');
    const page = await stack.visit(`/runs/${run}`);
    await page.getByText('work is running.').waitFor();
    await stack.baton.workers.pop()?.kill('SIGKILL');
    await stack.baton.startWorker();
    await page.getByRole('link', { name: 'System' }).click();
    await page.goBack();
    await page.getByRole('button', { name: /^work ?, running$/ }).click();
    await page.getByRole('tab', { name: 'Attempts' }).click();
    await page.locator('.attempt').nth(1).getByText('running').waitFor();
    await page.locator('.attempt').first().getByText('failed').waitFor();
    await stack.baton.api('POST', `/v1/runs/${run}/cancel`);
  });

  test('while Postgres is away the page says so, and goes on without a reload when it is back', async () => {
    const run = await stack.baton.start('patient', { ms: 40 });
    const page = await stack.visit(`/runs/${run}`);
    await page.getByText('bell waits for the signal ring.').waitFor();
    stack.database.refuse(true);
    try {
      await page.getByText(/postgres: .*Nothing can be done without it\./).waitFor();
    } finally {
      stack.database.refuse(false);
    }
    await page.getByText(/postgres: /).waitFor({ state: 'detached' });
    const { status } = await stack.baton.api('POST', `/v1/runs/${run}/signals/ring`);
    expect(status).toBe(202);
    await page.getByText(/2 steps succeeded in/).waitFor();
  });

  test('while Redis is away the page says that runs continue, and they do', async ({ skip }) => {
    const { redis } = stack;
    if (redis === undefined) return skip('there is no redis-server');
    const page = await stack.visit('/workflows');
    redis.refuse(true);
    try {
      await page.goto(`${stack.baton.url}/runs/${await stack.baton.start('greeting')}`);
      await page.getByText(/Redis cannot be reached.*Runs continue, later than they could\./).waitFor();
      await page.getByText(/1 step succeeded in/).waitFor();
    } finally {
      redis.refuse(false);
    }
    await page.getByText(/Redis cannot be reached/).waitFor({ state: 'detached' });
  });

  test('while the server is away the page says so, and misses nothing that happened', async () => {
    const run = await stack.baton.start('patient', { ms: 40 });
    const page = await stack.visit('/runs?workflow=patient');
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${run}"]`) });
    await row.getByText('waiting', { exact: true }).waitFor();
    const { port } = new URL(stack.baton.url);
    await stack.baton.orchestrators.at(-1)?.kill('SIGTERM');
    await page.getByText(/^The connection is lost since/).waitFor();
    await stack.baton.startOrchestrator({ BATON_PORT: port });
    // Most likely before the page has found the server again.
    await stack.baton.api('POST', `/v1/runs/${run}/signals/ring`);
    await row.getByText('succeeded').waitFor();
    await page.getByText(/^The connection is lost since/).waitFor({ state: 'detached' });
  });

  test('a position in the stream that the server refuses is not asked for again', async () => {
    const page = await stack.visit('/settings');
    const asked: string[] = [];
    const event = { id: 'old', runId: 'x', seq: 1, type: 'run.finished', at: 0, workflow: 'x' };
    await page.route('**/v1/events*', async (route, request) => {
      asked.push(new URL(request.url()).search);
      if (asked.length === 1)
        await route.fulfill({ contentType: 'text/event-stream', body: `id: old\ndata: ${JSON.stringify(event)}\n\n` });
      else if (asked.length === 2) await route.fulfill({ status: 400, json: { code: 'invalid-cursor' } });
      else await route.continue();
    });
    await page.reload();
    await expect.poll(() => asked).toEqual(['', '?after=old', '']);
  });

  test('what a browser, a proxy or an older server answers takes at most one page away', async () => {
    const page = await stack.visit('/runs');
    await page.evaluate('dispatchEvent(new Event("offline"))');
    await page.getByRole('link', { name: 'Servers' }).click();
    await page.getByRole('link', { name: 'shop' }).waitFor();
    // As a server that is stopping says it.
    await page.route('**/readyz', (route) => route.fulfill({ status: 503, json: { title: 'Baton is stopping' } }));
    await page.route('**/v1/schedules*', (route) => route.fulfill({ json: { data: [{}] } }));
    await page.goto(`${stack.baton.url}/schedules`);
    await page.getByRole('heading', { name: 'This page has a fault' }).waitFor();
    expect(stack.takeFaults()).not.toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.unroute('**/v1/schedules*');
    await page.getByRole('link', { name: 'Questions' }).click();
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('button', { name: 'At 06:00' }).waitFor();
  });
}

/** No, by another person. */
async function answer(stack: PageStack, run: string): Promise<void> {
  const { body } = await stack.baton.api('GET', '/v1/questions?workflow=approval');
  const own = (body['data'] as { id: string; runId: string }[]).find(({ runId }) => runId === run);
  await stack.baton.api('POST', `/v1/questions/${own?.id}/answer`, { answer: { approve: false } });
  await stack.baton.ended(run);
}
