/** Log-in at an identity provider that is another site for the browser. */
import { expect, test } from 'vitest';

import type { PageStack } from './stack.ts';

export function providerLoginTests(stack: PageStack): void {
  test('a person logs in at the identity provider, and comes back to the page that they asked for', async () => {
    const { upstream, otherSite } = stack;
    upstream.people.set('ada', { name: 'Ada', groups: ['readers'] });
    upstream.subject = 'ada';
    const page = await stack.stranger();
    await page.goto(`${otherSite}/servers`);
    await page.getByRole('link', { name: `Log in with ${new URL(upstream.issuer).host}` }).click();
    await page.getByRole('heading', { name: 'Servers' }).waitFor();
    expect(page.url()).toBe(`${otherSite}/servers`);
    const pages = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
    expect(pages).toContain('Runs');
    expect(pages).not.toContain('Audit');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to Baton' }).waitFor();
  });

  test('a person without a grant reads that they may do nothing yet, and whom to ask', async () => {
    const { upstream, otherSite } = stack;
    upstream.people.set('eve', { name: 'Eve' });
    upstream.subject = 'eve';
    const page = await stack.stranger();
    await page.goto(otherSite);
    await page.getByRole('link', { name: /^Log in with / }).click();
    await page.getByText('it@acme.example').waitFor();
    await page.getByRole('link', { name: 'Back to the log-in' }).click();
    await page.getByRole('heading', { name: 'Log in to Baton' }).waitFor();
  });
}
