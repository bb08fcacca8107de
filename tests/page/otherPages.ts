/** Questions, schedules, servers, audit, system, settings and the palette. */
import { readFileSync, writeFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { callOf, gatewayByHand, resultOf, runOf } from '../gatewayByHand.ts';
import { tooWide } from './everyPage.ts';
import type { PageStack } from './stack.ts';
import { shopTools } from './workflows.ts';

/** Pixels of the table that are beyond its right edge, and words of it that are on two lines. */
const routeTable = `(() => {
  const table = document.querySelector('table:has(td code)');
  const words = [...document.querySelectorAll('td code')].filter(({ textContent }) => /^[\\w:=/]+$/.test(textContent));
  return {
    hidden: table.scrollWidth - table.clientWidth,
    brokenWords: words.filter((word) => word.getClientRects().length > 1).map(({ textContent }) => textContent),
  };
})()`;

export function otherPagesTests(stack: PageStack): void {
  test('questions: what waits for a person, until when, and the count in the title of the window', async () => {
    const run = await stack.baton.start('approval', { title: 'Chapter Two' });
    const page = await stack.visit('/questions');
    const card = page.getByRole('article').filter({ hasText: 'Publish Chapter Two?' });
    await card.getByText(/expires in 1 d/).waitFor();
    await card.getByText('without an answer by then, it counts as rejected').waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Questions/);
    await page
      .getByRole('status')
      .getByText(/^\d+ open question/)
      .waitFor();
    await card.getByLabel('note').fill('Not yet.');
    await card.getByRole('button', { name: 'Reject' }).click();
    await card.waitFor({ state: 'detached' });
    expect((await stack.baton.ended(run)).outputs).toMatchObject({ note: 'Not yet.' });
    const several = [];
    for (const title of ['One', 'Two']) several.push(await stack.baton.start('approval', { title: `Part ${title}` }));
    await page
      .getByRole('article')
      .filter({ hasText: 'Publish Part One?' })
      .getByText('Part One', { exact: true })
      .waitFor();
    for (const title of ['One', 'Two']) await page.getByLabel(`Choose: Publish Part ${title}?`).check();
    await page.getByRole('button', { name: 'Approve 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve 2' }).click();
    for (const id of several) expect((await stack.baton.ended(id)).status).toBe('succeeded');
  });

  test('a write of an agent that is held for a person shows its call, and is made once a person approves', async () => {
    const { key } = await stack.key('agent', 'runs:write');
    const { open, post } = gatewayByHand(() => stack.baton.url);
    const session = await open(key);
    const call = post(key, callOf('held__write', { message: 'Buy the boat' }), session).then(resultOf);
    const page = await stack.visit('/questions');
    const card = page
      .getByRole('article')
      .filter({ hasText: 'by a client that calls itself "by-hand", wants to call held/write' });
    await card.getByRole('heading', { name: 'The call: held/write' }).waitFor();
    await card.getByText('"message": "Buy the boat"').waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    await card.waitFor({ state: 'detached' });
    expect(await call).toMatchObject({ content: [{ text: 'written' }] });
  });

  test('a session is learned: what it leaves open is answered, and the workflow is in the editor as a draft', async () => {
    const { key } = await stack.key('taught', 'runs:write');
    const { open, post } = gatewayByHand(() => stack.baton.url);
    const session = await open(key);
    const call = (name: string, given: object) => post(key, callOf(name, given), session).then(resultOf);
    await call('tools__echo', { message: 'Alpha ships in May, and Beta waits for a review.' });
    const summary = 'Alpha ships in May as planned, but a person has to ask for the review of Beta before the summer.';
    const run = runOf(await call('tools__write', { message: summary }));
    const page = await stack.visit(`/runs/${run}`);
    await page.getByRole('button', { name: 'Learn a workflow…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Learn a workflow' });
    await dialog.getByText('it makes the same calls').waitFor();
    await dialog.getByText('sample:').waitFor();
    await dialog.getByLabel('it is an input').check();
    await dialog.getByText('Its inputs: message.').waitFor();
    await dialog.getByRole('button', { name: 'Copy the draft' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    await dialog.getByLabel('Name').fill('taught');
    await dialog.getByRole('button', { name: 'Open in the editor' }).click();
    await page.waitForURL(/\/new$/);
    const editor = page.locator('.cm-content');
    await editor.getByText('workflow: taught').waitFor();
    expect(await editor.innerText()).toContain('tool: tools/write');
    await page.evaluate('localStorage.clear()');
  });

  test('schedules: in words, with their next five instants; paused, run now, filled up', async () => {
    const page = await stack.visit('/schedules');
    await page.getByRole('button', { name: 'At 06:00' }).click();
    const next = page.getByRole('heading', { name: 'Next' }).locator('..').getByRole('listitem');
    await next.first().waitFor();
    expect(await next.count()).toBe(5);
    const act = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions on the schedule of greeting' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await act('Pause');
    await page.getByText('paused', { exact: true }).waitFor();
    await act('Resume');
    await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' });
    await act('Backfill…');
    // The zone of its fields, which may be another one than that of the page.
    await page.getByLabel(/^From \(.+\)$/).waitFor();
    await page.getByText(/^1 time lies in it/).click();
    expect(await page.locator('[aria-expanded]', { hasText: 'At 06:00' }).getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('button', { name: 'Run 1 time' }).click();
    await page.getByText(/^1 time of the past/).waitFor();
    await act('Run now');
    await page.waitForURL(/\/runs\//);
  });

  test('servers: their state, their tools with effects, a test, and a call by hand with its effect said first', async () => {
    const page = await stack.visit('/servers');
    await page.getByRole('button', { name: 'Add a server' }).click();
    await page.getByLabel(/^npm package/).fill('@acme/tickets');
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await expect
      .poll(() => page.evaluate<string>('navigator.clipboard.readText()'))
      .toBe('npx baton add npm:@acme/tickets');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Calls' }).click();
    await page.getByRole('row').filter({ hasText: 'shop' }).getByText(/^\d+$/).first().waitFor();
    await page.getByRole('row').filter({ hasText: 'shop' }).click();
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('shop answers: 2 tools').waitFor();
    await page
      .getByRole('row', { name: /\d+ open, \d+ busy \d+ in flight, \d+ waiting closed/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Show refund' }).click();
    await page.getByText('The effect write comes from: default.').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'refund' });
    await row.getByRole('button', { name: 'Call…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its effect is write').waitFor();
    expect(await dialog.getByRole('button', { name: 'Call it: it changes something' }).isDisabled()).toBe(true);
    await dialog.getByLabel('order').fill('A-1');
    await dialog.getByLabel('amount').fill('1.5');
    await dialog.getByRole('button', { name: 'Call it: it changes something' }).click();
    await page.getByRole('complementary', { name: 'Step call' }).getByText('answered: it happened').waitFor();
  });

  test('a server whose tools changed shows what changed, and is approved', async () => {
    const changed = shopTools.map((tool) =>
      tool.name === 'lookup'
        ? { ...tool, annotations: {}, inputSchema: { type: 'object', properties: { order: {}, colour: {} } } }
        : tool,
    );
    writeFileSync(stack.moodyFile, JSON.stringify(changed));
    try {
      const page = await stack.visit('/servers/moody');
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('moody answers: 2 tools').waitFor();
      await page.getByRole('heading', { name: 'Its tools changed since workflows were checked' }).waitFor();
      await page.getByText('No proof shows that it goes on as before with these tools').waitFor();
      await page
        .getByText(/colour/)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Approve…' }).click();
      await page.getByRole('button', { name: /^Approve, and deploy/ }).click();
      await page.getByText(/checked against the tools of today/).waitFor();
    } finally {
      writeFileSync(stack.moodyFile, JSON.stringify(shopTools));
    }
  });

  test('A tool that changed says which workflows go on with it by a proof.', async () => {
    const refund = 'tool: moody/refund, with: { order: A, amount: 1 }';
    await stack.baton.deploy(`workflow: payback\nsteps:\n  - { id: paid, ${refund} }\n`);
    const properties = { order: { type: 'string' }, amount: { type: 'number' }, note: { type: 'string' } };
    const inputSchema = { type: 'object', properties, required: ['order', 'amount'], additionalProperties: false };
    const changed = shopTools.map((tool) => (tool.name === 'refund' ? { ...tool, inputSchema } : tool));
    writeFileSync(stack.moodyFile, JSON.stringify(changed));
    try {
      const page = await stack.visit('/servers/moody');
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('moody answers: 2 tools').waitFor();
      await stack.ended('payback');
      await page.reload();
      const row = page.getByRole('listitem').filter({ hasText: 'refund' });
      await row.getByText('changed, proved').waitFor();
      await row.getByRole('button', { name: 'Show refund' }).click();
      await row.getByText('The argument "note" is new.').waitFor();
      await row.getByText('Baton proved that payback goes on as before, and made payback@2 with the changed').waitFor();
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await tooWide(page)).toEqual([]);
    } finally {
      writeFileSync(stack.moodyFile, JSON.stringify(shopTools));
    }
  });

  test('audit: calls by server and tool lead to their step; the chain is verified, records are exported', async () => {
    const run = await stack.ended('refunds', { order: 'audited' });
    const page = await stack.visit('/audit');
    await page.locator('datalist option[value="shop"]').waitFor({ state: 'attached' });
    const asked: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/audit/calls')) asked.push(searchParams.get('tool'));
    });
    // A person who pauses at each letter: only the whole name is a filter.
    await page.getByLabel('Tool').pressSequentially('refund', { delay: 250 });
    await page.waitForURL(/tool=refund/);
    // The address changes before the page asks.
    await expect.poll(() => asked.filter((tool) => tool !== null)).toEqual(['refund']);
    await page.getByLabel('Tool').fill('refun');
    await page.keyboard.press('Enter');
    await page.getByText(/^Filters match whole names/).waitFor();
    await page.getByLabel('Tool').fill('refund');
    await page.waitForURL(/tool=refund$/);
    await page.getByRole('row').filter({ hasText: 'audited' }).first().getByRole('link').click();
    await page.waitForURL(new RegExp(run));
    await page.goBack();
    await page.getByRole('button', { name: 'Verify' }).click();
    const verdict = page.locator('.banner.chain, .note.bad').first();
    await verdict.waitFor();
    expect(await verdict.innerText()).toMatch(/^Intact: /);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toBe('baton-audit.ndjson');
    const csv = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    expect((await csv).suggestedFilename()).toBe('calls.csv');
    const [head, ...rows] = readFileSync(await (await csv).path(), 'utf8')
      .trim()
      .split('\n');
    expect(head?.split(',').slice(0, 2)).toEqual(['at', 'by']);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toContain('refund');
    await page.getByRole('tab', { name: 'Installation' }).click();
    await page.locator('datalist option[value="secret.set"]').waitFor({ state: 'attached' });
    const deployed = page.getByRole('row', { name: 'workflow.deployed' }).first();
    await deployed.locator('summary').click();
    await deployed.getByText(/"version": \d+,/).waitFor();
  });

  test('docs: a word is searched by keyboard, and its section opens', async () => {
    const page = await stack.visit('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency key');
    const results = page.locator('.results a');
    await results.first().waitFor();
    expect(await results.first().textContent()).toMatch(/idempoten/i);
    await page.keyboard.press('ArrowDown');
    const address = String(await page.locator('.results a.chosen').getAttribute('href'));
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${address}`);
    await page.keyboard.press('/');
    await page.keyboard.type('xyzzyx');
    await page.getByText('Nothing found.').waitFor();
  });

  test('docs: the table of the routes fits into its column, and breaks no word', async () => {
    const page = await stack.visit('/docs/api');
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await page.evaluate(routeTable)).toEqual({ hidden: 0, brokenWords: [] });
  });

  test('system: parts, queue, workers, retention and settings; a worker is drained', async () => {
    const { child } = await stack.baton.startWorker();
    const page = await stack.visit('/system');
    const row = page.getByRole('row').filter({ hasText: `process ${child.pid}` });
    await row.getByText('working').waitFor();
    await page.getByText('BATON_PORT', { exact: true }).waitFor();
    await page.getByText('Runs are kept').waitFor();
    await page.getByText('postgres', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Drain…' }).click();
    await page.getByRole('button', { name: 'Drain the worker' }).click();
    await row.getByText('draining').waitFor();
    await stack.baton.workers.pop()?.kill('SIGTERM');
  });

  test('people: one is added and logs in with the link, is granted and loses a role, and is removed', async () => {
    const page = await stack.visit('/settings?view=people');
    await page.getByRole('button', { name: 'Add a person' }).click();
    await page.getByLabel('Name').fill('kim');
    await page.getByRole('dialog').getByLabel('Role').selectOption('author');
    await page.getByLabel('Workflows').fill('payments/* report');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'A link for kim' });
    const link = await shown.locator('code').innerText();
    await page.getByRole('button', { name: 'I have it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'kim' });
    await row.getByText('author on payments/* report').waitFor();
    const stranger = await stack.stranger();
    await stranger.goto(link);
    await stranger.getByRole('heading', { name: 'Runs' }).waitFor();
    await stranger.goto(`${stack.baton.url}/settings?view=people`);
    // Who may handle no people is shown none.
    await stranger.getByRole('tab', { name: 'Connected clients' }).waitFor();
    expect(await stranger.getByRole('tab', { name: 'People' }).count()).toBe(0);
    await row.getByRole('button', { name: 'What to do with kim' }).click();
    await page.getByRole('menuitem', { name: 'Grant a role…' }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    await row.getByRole('button', { name: 'Take viewer from kim' }).click();
    await page.getByRole('button', { name: 'Take it away' }).click();
    await row.getByText('viewer').waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'What to do with kim' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove kim' }).click();
    await row.waitFor({ state: 'detached' });
    await stranger.goto(`${stack.baton.url}/runs`);
    await stranger.getByRole('heading', { name: 'Log in to Baton' }).waitFor();
  });

  test('settings: a key is shown once and revoked, a secret is set and deleted, a session is ended', async () => {
    const page = await stack.visit('/settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('for the test');
    await page.getByLabel('answer questions').check();
    // Text that is selected up to the backdrop is no click on it.
    await page.getByLabel('Name').hover();
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    await page.getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('dialog', { name: 'The key for the test' });
    const key = await shown.locator('code').innerText();
    await page.mouse.click(5, 5);
    // Pages without TLS have no clipboard API.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })");
    await shown.getByRole('button', { name: 'Copy the key' }).click();
    await shown.getByRole('button', { name: 'Copied' }).waitFor();
    await page.evaluate('delete navigator.clipboard');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await page.getByRole('button', { name: 'I have it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'for the test' });
    await row.getByText('questions:answer').waitFor();
    const stranger = await stack.stranger();
    await stranger.goto(`${stack.baton.url}/settings`);
    await stranger.getByLabel('API key').fill(key);
    await stranger.keyboard.press('Enter');
    await stranger.getByRole('tab', { name: 'Connected clients' }).waitFor();
    expect(await stranger.getByRole('tab').count()).toBe(1);
    await page.getByRole('tab', { name: 'Sessions' }).click();
    await page.getByRole('row').filter({ hasText: 'for the test' }).getByRole('button', { name: 'End' }).click();
    await page.getByRole('cell', { name: 'for the test' }).waitFor({ state: 'detached' });
    await stranger.goto(`${stack.baton.url}/runs`);
    await stranger.getByRole('heading', { name: 'Log in to Baton' }).waitFor();
    await page.getByRole('tab', { name: 'API keys' }).click();
    await row.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByRole('button', { name: 'Revoke for the test' }).click();
    await row.getByText('revoked').waitFor();
    await page.getByRole('tab', { name: 'Secrets' }).click();
    await page.getByRole('button', { name: 'Set a secret' }).click();
    await page.getByLabel('Name').fill('TOKEN');
    await page.getByLabel('Value').fill('a-secret-that-is-long');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('TOKEN is set, version 1.').waitFor();
    const secret = page.getByRole('row').filter({ hasText: 'TOKEN' });
    await secret.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete TOKEN' }).click();
    await secret.waitFor({ state: 'detached' });
  });
}
