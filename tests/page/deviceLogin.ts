/** A person lets the baton command in that runs where there is no browser (RFC 8628). */
import { expect, test } from 'vitest';

import { tooWide, violations } from './everyPage.ts';
import type { PageStack } from './stack.ts';

export function deviceLoginTests(stack: PageStack): void {
  const post = async (path: string, form: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${stack.baton.url}${path}`, { method: 'POST', body: new URLSearchParams(form) });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };

  test('A person types the code of a device, reads who asks and from where, and lets it in.', async () => {
    const client = { client_id: 'baton-cli' };
    const wish = { scope: 'runs:read runs:write', resource: `${stack.baton.url}/v1` };
    const { body } = await post('/oauth/device', { ...client, ...wish });
    const { user_code: code = '', device_code: device = '' } = body;
    const page = await stack.visit('/runs');
    await page.goto(`${stack.baton.url}/device`);
    const field = page.getByLabel('Code');
    await field.fill(code.slice(0, 5));
    expect(await page.getByRole('button', { name: 'Go on' }).isDisabled()).toBe(true);
    const found = await violations(page);
    await field.fill(code.toLowerCase().replace('-', ' '));
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Connect The baton command?' }).waitFor();
    await page.getByText('127.0.0.1').first().waitFor();
    await page.getByText(code).waitFor();
    found.push(...(await violations(page)));
    await page.setViewportSize({ width: 360, height: 740 });
    found.push(...(await tooWide(page)));
    expect(found).toEqual([]);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'The device is logged in' }).waitFor();
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device };
    expect(await post('/oauth/token', { ...client, ...grant })).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer' },
    });
  });
}
