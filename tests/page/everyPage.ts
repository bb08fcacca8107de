/** Every page: without a fault that axe knows, in both colour schemes; in a window of 360 px; by the keyboard alone. */
import { soon } from '@baton/testing';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { PageStack } from './stack.ts';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Nothing is looked for but violations; of them, no addresses are made. */
const fast = { resultTypes: ['violations'], selectors: false, iframes: false, preload: false };

interface Audit {
  readonly rules?: readonly string[];
  /** Selectors of what is the same on each page, and was looked at on the first. */
  readonly leftOut?: readonly string[];
}

/** The script comes from the test and not from the page, so that the policy of the page stays as it is. */
export async function violations(page: Page, { rules, leftOut = [] }: Audit = {}): Promise<string[]> {
  const options = JSON.stringify({ ...fast, ...(rules && { runOnly: { type: 'rule', values: rules } }) });
  if (!(await page.evaluate<boolean>('window.axe !== undefined'))) await page.evaluate(axe.source);
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run({ exclude: ${JSON.stringify(leftOut)} }, ${options}).then(({ violations }) => violations)`,
  );
  return found.map(
    ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary.slice(0, 200)}`,
  );
}

/**
 * The first elements that reach over the right edge of a page that can be scrolled sideways. What is drawn for a width is
 * drawn anew some frames after the width changed, so the page is looked at for up to a second.
 */
export const tooWide = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`(async () => {
    const { scrollingElement: all } = document;
    const fits = () => all.scrollWidth <= all.clientWidth;
    const endMs = performance.now() + 1_000;
    while (!fits() && performance.now() < endMs) await new Promise(requestAnimationFrame);
    if (fits()) return [];
    const wide = [...document.body.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > all.clientWidth);
    return [all.scrollWidth + ' px', ...wide.slice(0, 5).map((one) => one.outerHTML.slice(0, 120))];
  })()`);

/** Tables, by their heads, of which columns lie under the buttons, or beyond the edge. */
const columnsBeneath = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`[...document.querySelectorAll('.table-wrap')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => [...one.querySelectorAll('th')].map((head) => head.textContent).join(', '))`);

/** Of what can be seen, from left to right. */
const edges = (page: Page, selector: string) =>
  page.evaluate<readonly { readonly left: number; readonly right: number }[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0).map(({ left, right }) => ({ left, right }))`,
  );

/** Colours change in 110 ms. */
const isStill = (page: Page): Promise<unknown> =>
  page.evaluate(
    'Promise.all(document.getAnimations().map((one) => one.effect.getTiming().iterations === 1 ? one.finished : undefined))',
  );

/** Colours of shapes that carry a meaning, and of the edges of fields: WCAG 1.4.11 asks for 3 to 1 (axe does not). */
const shapes = ['green', 'red', 'amber', 'blue', 'violet', 'grey'].map((name) => `--${name}-fill`);

const contrast = `((one, other) => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [weak, strong] = [light(one), light(other)].toSorted((a, b) => a - b);
  return (strong + 0.05) / (weak + 0.05);
})`;

/** Disabled buttons whose words are fainter than 4.5 to 1, which axe leaves out, and colours of shapes below 3 to 1. */
const faintOff = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`(() => {
    const tokens = getComputedStyle(document.documentElement);
    const token = (name) => tokens.getPropertyValue(name);
    const backs = ['--bg', '--bg-raised'].map(token);
    const shapes = ${JSON.stringify([...shapes, '--line-field'])}.filter((name) => backs.some((back) => ${contrast}(token(name), back) < 3));
    const off = [...document.querySelectorAll('.btn:is(:disabled, [aria-disabled]):not(.icon-btn)')].filter((one) => {
      const { color, opacity, backgroundColor } = getComputedStyle(one);
      const back = backgroundColor === 'rgba(0, 0, 0, 0)' ? token('--bg') : backgroundColor;
      return opacity !== '1' || ${contrast}(color, back) < 4.5;
    });
    return [...shapes, ...off.map((one) => one.outerHTML.slice(0, 80))];
  })()`);

interface Place {
  readonly path: string;
  /** What is there when the page is complete. */
  readonly ready: string;
}

async function places(stack: PageStack): Promise<Place[]> {
  const failed = await stack.ended('refunds');
  const items = await stack.ended('items');
  await stack.ended('greeting');
  const asks = 'workflow: summary\nsteps: [{ sample: { append: Say hello. } }]\n';
  await stack.baton.api('POST', '/v1/runs', { workflow: asks }, { prefer: 'wait=20' });
  const asking = await stack.baton.start('approval');
  const doubtful = await stack.baton.start('doubtful', { how: 'crash' });
  await stack.baton.api('PUT', '/v1/budgets/everything', { on: '*', per: 'month', usd: 5_000, writes: 200_000 });
  await stack.baton.api('POST', '/v1/people', { name: 'Ana Maria of the phone' });
  return [
    { path: '/runs', ready: 'table.runs tbody tr' },
    { path: `/runs/${failed}?step=booked`, ready: '.panel .note' },
    { path: `/runs/${items}?at=30`, ready: '.cells' },
    { path: `/runs/${asking}`, ready: '.question' },
    { path: `/runs/${doubtful}`, ready: '.question .asked-call' },
    { path: `/runs/${failed}?view=graph`, ready: '.graph .node' },
    { path: `/runs/${failed}?view=journal`, ready: '.event-row' },
    { path: `/runs/${failed}?view=data`, ready: '.json' },
    { path: '/questions', ready: '.question' },
    { path: '/unknown', ready: '.unknown-calls td' },
    { path: '/workflows', ready: 'table.workflows tbody tr' },
    { path: '/workflows/greeting', ready: '.overview b' },
    { path: '/workflows/greeting?view=graph', ready: '.graph .node' },
    { path: '/workflows/greeting?view=source', ready: '.source' },
    { path: '/workflows/greeting?view=versions', ready: '.diff, .section' },
    { path: '/workflows/greeting?view=triggers', ready: '.section' },
    { path: '/workflows/greeting?view=state', ready: '.empty' },
    { path: '/workflows/greeting?do=run', ready: 'dialog .field' },
    { path: '/workflows/greeting/edit', ready: '.findings .good' },
    { path: '/schedules', ready: 'table tbody tr' },
    { path: '/servers', ready: 'table tbody tr' },
    { path: '/servers/shop', ready: '.tools li' },
    { path: '/costs', ready: 'table.budgets tbody tr' },
    { path: '/audit', ready: 'table tbody tr' },
    { path: '/audit?view=entries', ready: 'table tbody tr' },
    { path: '/system', ready: 'table tbody tr' },
    { path: '/settings', ready: 'table tbody tr' },
    { path: '/settings?view=people', ready: 'table tbody tr, .empty' },
    { path: '/settings?view=secrets', ready: 'table tbody tr, .empty' },
    { path: '/settings?view=sessions', ready: 'table tbody tr' },
    { path: '/nowhere', ready: '.empty' },
  ];
}

/** How many ticks there are is decided when the width is known, which is after the first drawing. */
const ticksFit = (page: Page): Promise<void> =>
  soon(async () => {
    const ticks = await edges(page, '.axis-track span');
    expect(ticks.length).toBeGreaterThan(1);
    const [took] = await edges(page, '.axis-took');
    for (const [at, { right }] of ticks.entries())
      expect(right).toBeLessThanOrEqual(ticks[at + 1]?.left ?? took?.right ?? 0);
  });

export function everyPageTests(stack: PageStack): void {
  test('no page breaks a rule of axe in light or dark colours, or is wider than a window of 360 px', async () => {
    const all = await places(stack);
    const page = await stack.visit('/runs');
    const found: string[] = [];
    for (const [at, { path, ready }] of all.entries()) {
      const leftOut = at === 0 ? [] : ['.side'];
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1440, height: 900 });
      // As a click on a link does: the page goes on, and axe stays in it.
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
      await page.locator(ready).first().waitFor();
      await isStill(page);
      found.push(...(await violations(page, { leftOut })).map((one) => `${path} light: ${one}`));
      found.push(...(await faintOff(page)).map((one) => `${path} light: ${one}`));
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-scheme=dark]').waitFor();
      await isStill(page);
      // The rules that are not about colours have been held already.
      const dark = await violations(page, { rules: ['color-contrast'], leftOut });
      found.push(...dark.map((one) => `${path} dark: ${one}`));
      found.push(...(await faintOff(page)).map((one) => `${path} dark: ${one}`));
      await page.setViewportSize({ width: 360, height: 740 });
      found.push(...(await tooWide(page)).map((one) => `${path} is wider than 360 px: ${one}`));
      // What an entry says of itself is as long as it likes: that table scrolls.
      if (path !== '/audit?view=entries')
        found.push(...(await columnsBeneath(page)).map((one) => `${path} hides columns at 360 px: ${one}`));
    }
    expect(found).toEqual([]);
    await page.evaluate("history.pushState(null, '', '/costs')");
    await page
      .locator('table.budgets')
      .getByText(/^until /)
      .waitFor();
  }, 300_000);

  test('the log-in, the palette and a menu break no rule either', async () => {
    const stranger = await stack.stranger();
    await stranger.emulateMedia({ colorScheme: 'dark' });
    await stranger.goto(stack.baton.url);
    await stranger.getByLabel('API key').waitFor();
    expect(await violations(stranger)).toEqual([]);
    const page = await stack.visit('/runs');
    await openPalette(page);
    expect(await violations(page)).toEqual([]);
  });

  test('the keyboard alone is enough: from the palette to a run, its step, and a new run of it', async () => {
    const run = await stack.ended('refunds');
    const page = await stack.visit('/workflows');
    await openPalette(page);
    await page.keyboard.type(run.slice(0, 13));
    // A part of an id leads nowhere.
    await page.getByText('Nothing has this name.').waitFor();
    await page.keyboard.type(run.slice(13));
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(run));
    // The step that failed is open.
    await page.getByRole('complementary', { name: 'Step booked' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await reach(page, 'Show the step');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Step booked' }).waitFor();
    await reach(page, 'Overview');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Arguments', selected: true }).waitFor();
    await reach(page, 'Copy the value');
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.activeElement.closest('.json-leaf') !== null")).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent');
    await expect.poll(focused).toBe('Show the step');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Close the step' }).press('Enter');
    await expect.poll(focused).toBe('Show the step');
    await openPalette(page);
    await page.keyboard.press('Control+k');
    await expect.poll(focused).toBe('Show the step');
    await page.getByRole('button', { name: 'Retry' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Retry');
    await reach(page, 'Run again…');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Run again…');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // Keys that follow each other at once: the second one opens the dialog that the first one closed.
    await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Enter')]);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).press('Enter');
    await expect.poll(focused).toBe('Run again…');
    await reach(page, 'More');
    await page.keyboard.press('Enter');
    // The run is over, and takes no signal: the first item is disabled.
    await expect.poll(focused).toBe('Learn a workflow…');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('Copy as baton command');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
  });

  test('in a window of 360 px the menu of pages opens and leads on', async () => {
    const page = await stack.visit('/runs');
    await page.setViewportSize({ width: 360, height: 740 });
    const focused = (): Promise<string | null> =>
      page.evaluate<string | null>(
        'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
      );
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await expect.poll(focused).toBe('Baton');
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Menu');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Servers' }).click();
    await page.getByRole('heading', { name: 'Servers' }).waitFor();
    await page.getByRole('link', { name: 'Questions' }).waitFor({ state: 'hidden' });
    await page.goto(`${stack.baton.url}/runs/${await stack.ended('items', { count: 200 })}`);
    await page.getByRole('img', { name: '199 succeeded, 1 failed' }).waitFor();
    expect((await edges(page, '.cells'))[0]?.right).toBeLessThanOrEqual(360);
    await ticksFit(page);
    await page.evaluate("history.pushState(null, '', '/audit?view=entries')");
    // A table that is too wide scrolls: each of its columns is there.
    await page.getByRole('columnheader', { name: 'Detail' }).waitFor();
    await page.locator('time.instant').first().waitFor();
    const broken =
      '[...document.querySelectorAll(".instant span")].filter((one) => one.getClientRects().length > 1).length';
    expect(await page.evaluate<number>(broken)).toBe(0);
    await page.goBack();
    await page.getByRole('tab', { name: 'Timeline' }).press('ArrowLeft');
    await page.getByRole('tab', { name: 'Inputs and outputs', selected: true }).waitFor();
    expect((await edges(page, '[aria-selected=true]'))[0]?.right).toBeLessThanOrEqual(360);
    await page.getByRole('tab', { name: 'Timeline' }).press('Enter');
    // The panel of a step leaves half of the window.
    await page.setViewportSize({ width: 1024, height: 740 });
    await page.locator('.t-name', { hasText: 'each' }).first().click();
    await page.getByRole('complementary', { name: 'Step each' }).waitFor();
    await ticksFit(page);
  });

  test('A question mark shows the keys of the page, and is a letter where a person types.', async () => {
    const page = await stack.visit('/runs');
    await page.getByLabel('Failure says').pressSequentially('why?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('heading', { name: 'Runs' }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('choose the run of the row').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('colours and the zone of times are chosen, and stay chosen', async () => {
    const page = await stack.stranger();
    await page.goto(await stack.codeAddress('/audit?view=entries'));
    await page
      .getByRole('cell', { name: /^\d{4}-\d\d-\d\d/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Local time' }).click();
    await page.getByRole('cell', { name: / UTC$/ }).first().waitFor();
    await openPalette(page);
    await page.keyboard.type('colours: dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-scheme=dark]').waitFor();
    await page.reload();
    await page.locator('html[data-scheme=dark]').waitFor();
    await page.getByRole('cell', { name: / UTC$/ }).first().waitFor();
  });
}

/** The field has the focus before anything is typed. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page
    .locator('input:focus')
    .and(page.getByRole('combobox', { name: 'Pages, workflows, runs' }))
    .waitFor();
}

const tabsMax = 60;

/** Waits for the button or tab of this name, then presses Tab until the focus is on it. */
async function reach(page: Page, name: string): Promise<void> {
  const exact = { name, exact: true };
  await page.getByRole('button', exact).or(page.getByRole('tab', exact)).first().waitFor();
  for (let n = 0; n < tabsMax; n += 1) {
    const focused = await page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
    );
    if (focused === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}
