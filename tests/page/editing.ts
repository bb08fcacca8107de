/** The editor: the checker in the browser, completion, the drawer of tools, trying, and deploying. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { PageStack } from './stack.ts';

const first = 'workflow: written\nsteps:\n  - id: found\n    tool: shop/lookup\n    with: { order: A }\n';

/** How often the checker is asked while nothing changes, in the time of some frames. */
const checksWithoutCause = `(async () => {
  const { postMessage } = Worker.prototype;
  let asked = 0;
  Worker.prototype.postMessage = function (...given) {
    asked += 1;
    return postMessage.apply(this, given);
  };
  for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame);
  Worker.prototype.postMessage = postMessage;
  return asked;
})()`;

/** In place of all that is there. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Text of the workflow').click();
  await page.keyboard.press('Control+a');
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+v');
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  await expect.poll(() => page.locator('.cm-content').innerText()).toContain(last);
}

export function editorTests(stack: PageStack): void {
  test('says what is wrong as it is typed, with the tools of the live servers, and mends it', async () => {
    const page = await stack.visit('/settings');
    const { promise: isHeldUntil, resolve: letAnswer } = Promise.withResolvers<void>();
    const servers = '**/v1/servers*';
    await page.route(servers, async (route) => {
      await isHeldUntil;
      await route.continue();
    });
    await page.goto(`${stack.baton.url}/new`);
    await page.getByText('Nothing is wrong.').waitFor();
    await write(page, first);
    // The default of a server that has not answered yet is no effect of its tool.
    await page.getByRole('button', { name: 'found, tool shop/lookup, effect not known' }).waitFor();
    await page.getByText('Reading the tools of shop. Until they are known, calls of them are not checked.').waitFor();
    expect(await page.getByText('Nothing is wrong.').count()).toBe(0);
    expect(await page.evaluate(checksWithoutCause)).toBe(0);
    letAnswer();
    await page.getByText('Nothing is wrong.').waitFor();
    await page.getByRole('button', { name: 'found, tool shop/lookup, read' }).waitFor();
    await write(page, first.replace('lookup', 'lokup').replace('id: found', 'idd: found'));
    const findings = page.getByRole('status', { name: 'Findings' });
    await findings.getByText('unknown-tool').waitFor();
    await findings
      .getByText(/lookup/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Deploy…' }).isDisabled()).toBe(true);
    await findings.getByRole('button').first().click();
    await write(page, first);
    await findings.getByText('Nothing is wrong.').waitFor();
    await page.getByRole('button', { name: 'found, tool shop/lookup' }).waitFor();
    await page.unroute(servers);
  });

  test('completes keys and the arguments of tools, and inserts steps from the drawer', async () => {
    const page = await stack.visit('/new');
    await write(page, 'workflow: written\nsteps:\n  - tool: shop/lookup\n    with:\n      order: A\n      d');
    // What is asked for before the page knows the servers is completed without their tools: a person asks again.
    const isOffered = async (): Promise<boolean> => {
      await page.keyboard.press('Control+ ');
      const option = page.getByRole('option', { name: /^depth/ });
      return option.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isOffered).toBe(true);
    // What a server says of an argument cannot turn the text.
    await page
      .locator('.cm-completionInfo')
      .getByText(String.raw`\u202egnp.exe`)
      .waitFor();
    await page.keyboard.press('Escape');
    await write(page, 'workflow: written\nsteps:\n');
    await page.getByRole('tab', { name: 'Servers and tools' }).click();
    await page.getByLabel('Find a tool').fill('refund');
    await page.getByTitle('Insert a step that calls shop/refund').click();
    await page.getByText('Nothing is wrong.').waitFor();
    await page.getByLabel('Find a tool').fill('lookup');
    await page
      .getByTitle('Insert a step that calls shop/lookup')
      .dragTo(page.locator('.cm-line', { hasText: 'steps:' }));
    await expect
      .poll(() => page.getByLabel('Text of the workflow').innerText())
      .toMatch(/steps:\n+ {2}- tool: shop\/lookup\n+ {4}with:\n+ {6}order: ''\n+ {2}- tool: shop\/refund/);
    const text = await page.getByLabel('Text of the workflow').innerText();
    expect(text.replaceAll(/\n+/g, '\n')).toContain("- tool: shop/refund\n    with:\n      order: ''\n      amount: 0");
  });

  test('a draft stays in the browser, is tried without being deployed, and deployed with its difference', async () => {
    const page = await stack.visit('/new');
    await write(page, first);
    await page.getByText('draft, kept in this browser').waitFor();
    await page.reload();
    await page.getByText('tool: shop/lookup').waitFor();
    await page.getByRole('button', { name: 'Try…' }).click();
    await page.getByText('The run is real').waitFor();
    await page.getByRole('button', { name: 'Run it once' }).click();
    await page.getByText(/1 step succeeded in/).waitFor();
    expect((await stack.baton.api('GET', '/v1/workflows/written')).status).toBe(404);
    await page.goBack();
    await page.getByText('Nothing is wrong.').waitFor();
    await page.getByRole('button', { name: 'Deploy…' }).click();
    const added = page.getByRole('dialog').locator('.diff-added', { hasText: 'workflow: written' });
    await added.waitFor();
    // Its colours come with it, on whichever page it is.
    expect(await added.evaluate('(line) => getComputedStyle(line).backgroundColor')).not.toBe('rgba(0, 0, 0, 0)');
    await page.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click();
    await page.getByText('written@1 is deployed.').waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await write(page, `${first.replace('order: A', 'order: B')}outputs: { got: "\${{ size(run.id) }}" }\n`);
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog').getByText('-     with: { order: A }').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click();
    await page.getByRole('heading', { name: 'written@2' }).waitFor();
    await stack.ended('written');
    await page.getByRole('link', { name: 'Edit' }).click();
    // The coloured word. Before the line is coloured, its middle is beside the expression.
    await page.locator('.cm-line span', { hasText: 'size(run.id)' }).last().click();
    await page.getByRole('tab', { name: 'Expression' }).click();
    // What stands at the cursor is tried on the newest run.
    await expect.poll(() => page.locator('.expression-tab textarea').inputValue()).toBe('size(run.id)');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.locator('.expression-tab .json', { hasText: '36' }).waitFor();
  });
}
