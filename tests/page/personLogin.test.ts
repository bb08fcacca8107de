/** A person finds that their runs wait for a login of theirs, and logs in with one press. */
import { type AccountTools, startAccountTools } from '@baton/orchestrator/testing/accounts';
import { AccountAuthority, soon, soonMs } from '@baton/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from '../installation.ts';
import { openBrowser } from './browser.ts';
import { tooWide, violations } from './everyPage.ts';

let authority: AccountAuthority;
let tools: AccountTools;
let baton: Installation;
let browser: Browser;

beforeAll(async () => {
  authority = await AccountAuthority.start();
  tools = await startAccountTools(authority);
  const gh = { url: tools.url, baton: { auth: { per: 'person' }, origins: [authority.issuer] } };
  baton = await Installation.start({ servers: { gh }, workers: 1 });
  browser = await openBrowser();
});

afterAll(async () => {
  await browser.close();
  await baton.stop();
  await tools.close();
  await authority.close();
});

const text = `workflow: look
steps: [{ id: who, tool: gh/whoami }]
outputs: { who: "\${{ steps.who.text }}" }
`;

test('Runs that wait for a login are counted and shown to their person, who logs in there, and go on.', async () => {
  const { body: zoe } = await baton.api('POST', '/v1/people', { name: 'zoe', grants: [{ role: 'author' }] });
  const scopes = ['runs:read', 'runs:write', 'workflows:write', 'servers:read', 'questions:answer'];
  const { body } = await baton.api('POST', '/v1/keys', { name: 'key of zoe', scopes, person: zoe['id'] });
  const authorization = `Bearer ${String(body['key'])}`;
  await baton.api('POST', '/v1/workflows', text, { authorization });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(soonMs);
  await page.goto(`${baton.url}/questions`);
  await page.getByLabel('API key').fill(String(body['key']));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Nothing waits for an answer').waitFor();
  const begun = await baton.api('POST', '/v1/workflows/look/runs', { inputs: {} }, { authorization });
  const run = String(begun.body['id']);
  const card = page.getByRole('article', { name: 'Log-in at gh' });
  await card.getByText('1 run of yours waits until you log in to gh').waitFor();
  await soon(async () => {
    expect(await page.title()).toMatch(/^\(1\) Questions/);
  });
  const found = await violations(page);
  await page.setViewportSize({ width: 360, height: 740 });
  found.push(...(await tooWide(page)));
  expect(found).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${baton.url}/runs?time=all`);
  await page.getByText('who waits until zoe logs in to gh.').waitFor();
  await page.goto(`${baton.url}/runs/${run}`);
  authority.account = 'zoe';
  const [other] = await Promise.all([
    context.waitForEvent('page'),
    card.getByRole('button', { name: 'Log in' }).click(),
  ]);
  await other.getByText('Is this your login, zoe?').waitFor();
  await other.getByRole('link').first().click();
  await other.getByText('may use the server "gh" now').waitFor();
  expect(await baton.ended(run)).toMatchObject({ status: 'succeeded' });
  await card.waitFor({ state: 'detached' });
});
