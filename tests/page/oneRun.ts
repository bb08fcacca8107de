/** One run: its timeline and slider, a step, graph, side effects, journal, and what a person does with it. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { PageStack } from './stack.ts';

/** The steps of the timeline, each with its state. */
const stepsOf = async (page: Page): Promise<string[]> => {
  const names = await page.getByRole('list', { name: 'Steps' }).locator('.t-name').allInnerTexts();
  return names.map((name) => name.replaceAll(/\s+/g, ' ').replace(' ,', ','));
};

/** How many cells of these rows reach below their row. */
const cellsOutside = (rows: string): string =>
  `[...document.querySelectorAll('${rows}')].flatMap((row) => [...row.children].filter((cell) => cell.getBoundingClientRect().bottom > row.getBoundingClientRect().bottom)).length`;

/** How far the axis of times and the highlighted row end before the right edge of the timeline, in px. */
const gapsBesideRows = `(() => {
  const { right } = document.querySelector('.timeline-scroll').getBoundingClientRect();
  return ['.timeline-axis', '.t-row.chosen'].map((one) => right - document.querySelector(one).getBoundingClientRect().right);
})()`;

const journey = `
workflow: journey
steps:
  - id: wish
    ask: Where do you travel?
    form:
      city: { type: string, title: Where to }
      class: { enum: [first, second], title: Class }
      budget: { type: number, title: Budget, optional: true }
      train: { type: boolean, title: By train }
      stops: { type: array, title: Stops, optional: true }
      extras: { type: array, title: Extras, items: { enum: [breakfast, parking] }, optional: true }
ensure:
  - { tool: tools/echo, with: { message: "\${{ steps.wish.output.city }}" }, that: 'result.text != ""' }
outputs: { to: "\${{ steps.wish.output.city }}", extras: "\${{ steps.wish.output.extras }}" }
`;

const named = `
workflow: named
steps:
  - id: people
    forEach: "\${{ [{ 'id': 7, 'name': 'Ada Lovelace' }, { 'id': 8, 'name': 'Charles' }] }}"
    as: person
    steps: [{ id: greeted, set: { who: "\${{ person.name }}" } }]
  - id: cities
    forEach: "\${{ ['New York', 'Chicago'] }}"
    steps: [{ id: one, set: { a: 1 } }, { id: two, set: { a: 2 } }]
`;

const slider = (page: Page) => page.getByRole('slider', { name: 'Moment in the journal' });

export function runTests(stack: PageStack): void {
  test('says what is the matter, and shows each step with its attempts; the failed one is open', async () => {
    const page = await stack.visit(`/runs/${await stack.ended('refunds')}`);
    await page.locator('.sentence').getByText('booked failed: The bank is closed. 1 step was undone.').waitFor();
    expect(await stepsOf(page)).toEqual([
      'found, succeeded',
      'paid, succeeded',
      'undo: tool-1, succeeded',
      'booked, failed',
    ]);
    const panel = page.getByRole('complementary', { name: 'Step booked' });
    await panel.getByText('tool-failed').waitFor();
    expect(await page.evaluate(gapsBesideRows)).toEqual([0, 0]);
    await panel.getByText('tools/fail').waitFor();
    await panel.getByText('answered with an error').waitFor();
    await panel.getByRole('tab', { name: 'Arguments' }).click();
    await panel.getByText('The bank is closed.').waitFor();
    await panel.getByRole('tab', { name: 'Attempts' }).click();
    await panel.locator('.attempt').getByText('answered with an error').waitFor();
    await panel.locator('.attempt').getByText('tools', { exact: true }).waitFor();
    await panel
      .locator('.attempt')
      .getByText(/^tools#\d+$/)
      .waitFor();
    await panel.getByRole('tab', { name: 'Try' }).click();
    await panel.getByLabel('Expression').fill('inputs.order + "!"');
    await page.keyboard.press('Enter');
    await panel.getByText('A-1041!', { exact: true }).waitFor();
    await panel.getByLabel('Expression').fill('steps.payed.text');
    await panel.getByRole('button', { name: 'Evaluate' }).click();
    await panel.getByRole('alert').getByText(/payed/).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the step' }).click();
    await panel.waitFor();
  });

  test('the slider shows the run as it was after any event; the address keeps the moment', async () => {
    const page = await stack.visit(`/runs/${await stack.ended('refunds')}`);
    await page.getByText('booked, failed').waitFor({ state: 'attached' });
    const events = Number(await slider(page).getAttribute('max'));
    await slider(page).focus();
    await page.keyboard.press('Home');
    await page.getByText('As it was after event 1', { exact: true }).waitFor();
    expect(await stepsOf(page)).toEqual(['found, to come', 'paid, to come', 'booked, to come']);
    await page.getByText('It waits for a worker that is free.').waitFor();
    for (let n = 1; n < events; n += 1) {
      if ((await stepsOf(page)).includes('paid, running')) break;
      await page.getByRole('button', { name: 'One event on' }).click();
      await page.getByText(`As it was after event ${n + 1}`, { exact: true }).waitFor();
    }
    expect(await stepsOf(page)).toEqual(['found, succeeded', 'paid, running', 'booked, to come']);
    await page.getByText('paid is running.').waitFor();
    // The address follows the slider a moment later.
    const at = await slider(page).inputValue();
    await page.waitForURL((url) => url.searchParams.get('at') === at);
    await page.reload();
    await page.getByText('paid is running.').waitFor();
    await page.getByRole('button', { name: 'Now' }).click();
    await page.getByText('booked failed: The bank is closed.').waitFor();
  });

  test('many items are a strip of cells; of 10,000 few rows are drawn, and each item is found', async () => {
    const crowd = await stack.baton.start('crowd');
    const page = await stack.visit(`/runs/${await stack.ended('items')}`);
    await page.getByRole('img', { name: '19 succeeded, 1 failed' }).waitFor();
    await page.getByText('[7]', { exact: true }).waitFor();
    // `fail` makes no call: its instant has a mark.
    await page.getByTitle('failed, without a call').first().waitFor();
    await page.getByRole('button', { name: 'Open the 20 items of each' }).click();
    await page.getByText('[0]', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Fold each' }).click();
    await page.getByText('[0]', { exact: true }).waitFor({ state: 'detached' });
    await stack.baton.ended(crowd);
    await page.goto(`${stack.baton.url}/runs/${crowd}`);
    await page.getByRole('img', { name: '9,999 succeeded, 1 failed' }).waitFor();
    await page.getByText('[7777] done').waitFor();
    await page.getByRole('button', { name: 'Open the 10,000 items of each' }).click();
    await page.getByText('[0] done').waitFor();
    await page.getByRole('list', { name: 'Steps' }).focus();
    await page.keyboard.press('End');
    await page.getByText('[9999] done').waitFor();
    expect(await page.getByRole('list', { name: 'Steps' }).getByRole('listitem').count()).toBeLessThan(100);
    await page.getByRole('button', { name: 'One event back' }).click();
    await page.getByText(/^As it was after event \d+$/).waitFor();
  }, 180_000);

  test('each item of a forEach has its name beside its index', async () => {
    await stack.baton.deploy(named);
    const page = await stack.visit(`/runs/${await stack.ended('named')}`);
    await page.getByText('[0] Ada Lovelace · greeted', { exact: false }).waitFor();
    await page.getByText('[1] Charles · greeted', { exact: false }).waitFor();
    expect(await page.getByRole('list', { name: 'Steps' }).locator('.heading').allInnerTexts()).toEqual([
      '[0] New York',
      '[1] Chicago',
    ]);
  });

  test('a live run moves by itself, and is cancelled with a reason', async () => {
    const run = await stack.baton.start('patient');
    const page = await stack.visit(`/runs/${run}`);
    await page.getByText('bell waits for the signal ring.').waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Send a signal…' }).click();
    await page.getByRole('dialog').getByText('bell waits for the signal ring.').waitFor();
    await page.getByLabel('Payload, as JSON').fill('{"by":"hand"}');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/work is running\./).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByLabel('Reason').fill('It takes too long');
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText(/It was cancelled by /).waitFor();
    await page.getByText('It takes too long').first().waitFor();
  });

  test('a queued run says that it waits for its turn, and behind which run', async () => {
    await stack.baton.deploy('workflow: lane\nconcurrency: {}\nsteps:\n  - wait: { signal: go }\n');
    const first = await stack.baton.start('lane');
    const page = await stack.visit(`/runs/${first}`);
    await page.getByText(/waits for the signal go/).waitFor();
    await page.goto(`${new URL(page.url()).origin}/runs/${await stack.baton.start('lane')}`);
    await page.getByText('It waits for its turn behind run').waitFor();
    await page.locator(`.sentence a[href$="${first}"]`).waitFor();
  });

  test('a question is answered in place, by two buttons, and who did it is shown', async () => {
    const run = await stack.baton.start('approval', { title: 'Chapter One' });
    const page = await stack.visit(`/runs/${run}`);
    await page.getByText(/review waits for an answer, which expires /).waitFor();
    await page.getByText(/^It expires in .*: without an answer by then, it counts as rejected\.$/).waitFor();
    await page.getByLabel('note').fill('Well written.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/2 steps succeeded in/).waitFor();
    await page.getByRole('tab', { name: 'Inputs and outputs' }).click();
    await page.getByText('Well written.').first().waitFor();
  });

  test('a question is answered once each field that it requires has a value; a run that kept its promise says *ensured*', async () => {
    await stack.baton.deploy(journey);
    const run = await stack.baton.start('journey');
    const page = await stack.visit(`/runs/${run}`);
    const card = page.getByRole('article', { name: 'Question of journey' });
    const answer = card.getByRole('button', { name: 'Answer' });
    await answer.waitFor();
    expect((await card.locator('label').allInnerTexts()).map((text) => text.trim())).toEqual([
      'Where to · required',
      'Class · required',
      'Budget',
      'By train',
      'Stops',
      'breakfast',
      'parking',
    ]);
    await card.getByRole('group', { name: 'Extras' }).getByLabel('parking').check();
    await card.getByLabel('Where to').fill('Lisbon');
    expect(await answer.isDisabled()).toBe(true);
    await card.getByLabel('Class').selectOption('second');
    await card.getByLabel('Stops').fill('["Paris"]');
    await card.getByLabel('Stops').fill('["Paris", ');
    expect(await answer.isDisabled()).toBe(true);
    await card.getByLabel('Stops').fill('');
    await answer.click();
    await page.getByText(/It ensured 1 condition\./).waitFor();
    await page.getByText('ensured', { exact: true }).waitFor();
    expect((await stack.baton.ended(run)).outputs).toEqual({ to: 'Lisbon', extras: ['parking'] });
  });

  test('a question that is asked after the list was read and before the stream of events begins is shown', async () => {
    const page = await stack.visit('/settings');
    const { promise: isHeldUntil, resolve: letBegin } = Promise.withResolvers<void>();
    await page.route('**/v1/events*', async (route) => {
      await isHeldUntil;
      await route.continue();
    });
    // Of the page before nothing is taken for this one.
    await page.goto('about:blank');
    await page.goto(`${stack.baton.url}/questions`);
    await page.getByText('Nothing waits for an answer').or(page.locator('.question')).first().waitFor();
    await stack.baton.start('approval', { title: 'Chapter Two' });
    await expect
      .poll(async () => JSON.stringify((await stack.baton.api('GET', '/v1/questions')).body))
      .toContain('Chapter Two');
    letBegin();
    const question = page.locator('.question', { hasText: 'Publish Chapter Two?' });
    await question.getByRole('button', { name: 'Reject' }).click();
    await question.waitFor({ state: 'detached' });
    await page.unroute('**/v1/events*');
  });

  test('the graph shows the version that ran with the states of its steps', async () => {
    const page = await stack.visit(`/runs/${await stack.ended('refunds')}?view=graph`);
    await page.getByRole('button', { name: 'booked, tool tools/fail, failed' }).click();
    await page.getByRole('complementary', { name: 'Step booked' }).waitFor();
    await page.getByRole('button', { name: 'found, tool shop/lookup, succeeded' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Step found' }).waitFor();
  });

  test('Parent and child runs are one tree, and lead to each other.', async () => {
    const page = await stack.visit(`/runs/${await stack.ended('parent')}`);
    const tree = page.getByRole('region', { name: 'Parent and child runs' });
    await tree.getByRole('link', { name: /greeting@/ }).click();
    await page
      .getByRole('heading', { name: /greeting/ })
      .first()
      .waitFor();
    await tree.getByRole('link', { name: /parent@/ }).waitFor();
    await tree.getByText('this run').waitFor();
  });

  test('Beneath the timeline is each call with its effect, who decided it, what is known of it, its arguments and what came back.', async () => {
    const page = await stack.visit(`/runs/${await stack.ended('refunds')}`);
    await page.getByText('3 writes, 0 idempotent, 1 read').waitFor();
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    const texts = async (): Promise<string[]> =>
      (await calls.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').split(/ \d{4}-/)[0] ?? '');
    const values = async (): Promise<string[]> =>
      (await calls.locator('.effect-values').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    await expect
      .poll(texts)
      .toEqual([
        'write shop/refund paid effect from the default answered undone',
        'write tools/fail booked effect from the default refused',
        'write shop/refund paid/@undo/tool-1 effect from the default answered',
      ]);
    expect(await values()).toEqual([
      '{"order":"A-1041","amount":42} → done by refund',
      '{"message":"The bank is closed."} → tool-failed: The bank is closed.',
      '{"order":"A-1041","amount":-42} → done by refund',
    ]);
    await page.getByLabel('Show reads').check();
    await expect
      .poll(async () => (await texts())[0])
      .toBe('read shop/lookup found effect from the tool’s annotations answered');
  });

  test('the journal is searched, opened, shown as a moment, and downloaded', async () => {
    const run = await stack.ended('refunds');
    const page = await stack.visit(`/runs/${run}?view=journal`);
    await page.getByLabel('Find events').fill('step.undone');
    await page.getByText(/^1 of \d+ events$/).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe(`${run}.ndjson`);
    await page.getByRole('list', { name: 'Events' }).getByRole('button', { name: 'step.undone' }).click();
    await page.getByRole('dialog').getByText('"type": "step.undone"').waitFor();
    // A window between a phone and a desk.
    await page.setViewportSize({ width: 800, height: 740 });
    expect(await page.evaluate(cellsOutside('.event-row'))).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Show the run after this event' }).click();
    await page.getByText(/^As it was after event \d+$/).waitFor();
  });

  test('a run is started again from a step with other inputs, after what would happen again was said', async () => {
    const run = await stack.ended('refunds');
    const page = await stack.visit(`/runs/${run}`);
    await page.getByRole('button', { name: 'Run again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('select:focus').waitFor();
    expect(await dialog.getByLabel('From the step').inputValue()).toBe('booked');
    await dialog.getByText('The outcome of 1 step is kept.').waitFor();
    await dialog.getByRole('button', { name: 'Run again, and make 2 writes again' }).waitFor();
    await dialog.getByLabel('From the step').selectOption('found');
    await dialog.getByRole('button', { name: 'Run again, and make 2 writes again' }).waitFor();
    for (const noMap of ['{ "order": ', '["Z-3"]']) {
      await dialog.getByLabel('Inputs').fill(noMap);
      expect(await dialog.getByRole('button', { name: /^Run again/ }).isDisabled()).toBe(true);
    }
    await dialog.getByLabel('Inputs').fill('{ "order": "Z-3" }');
    await dialog.getByRole('button', { name: 'Run again, and make 2 writes again' }).click();
    await page.getByRole('link', { name: run.slice(0, 8) }).waitFor();
    await page.getByText('booked failed: The bank is closed.').waitFor();
    await page.getByRole('tab', { name: 'Inputs and outputs' }).click();
    await page.getByText('Z-3').waitFor();
  });

  test('shows the steps that are to come, and once the run has ended those that did not begin', async () => {
    await stack.baton.deploy(`
workflow: cut-short
steps:
  - { id: asked, ask: Go on?, form: { sure: { type: boolean } } }
  - { id: broken, title: Break it, fail: It is broken. }
  - { id: after, set: { n: 1 } }
finally: [{ id: swept, set: { n: 2 } }]
`);
    const run = await stack.baton.start('cut-short');
    const page = await stack.visit(`/runs/${run}`);
    await page.getByRole('article', { name: 'Question of cut-short' }).waitFor();
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.getByText('Break it').waitFor();
    // It is not over, and occupies no worker.
    await page.locator('.run-facts').getByText('So far').waitFor();
    expect(await page.locator('.run-facts').getByText('Worker').count()).toBe(0);
    expect(await stepsOf(page)).toEqual(['asked, waiting', 'Break it, to come', 'after, to come', 'swept, to come']);
    await stack.baton.api('POST', `/v1/runs/${run}/cancel`);
    await steps.getByText('not begun').first().waitFor();
    await page.locator('.sentence.s-cancelled').waitFor();
    expect(await stepsOf(page)).toEqual([
      'asked, cancelled',
      'Break it, not begun',
      'after, not begun',
      'swept, succeeded',
    ]);
    await steps.getByRole('button', { name: 'after' }).click();
    await page.getByText('It did not begin.').waitFor();
  });

  test('a run that failed goes on with a mended version, which is chosen from those that were deployed', async () => {
    const text = (bank: string): string =>
      `workflow: mended\nsteps:\n  - { id: found, tool: shop/lookup, with: { order: A } }\n  - ${bank}\n`;
    await stack.baton.deploy(text('{ id: booked, tool: tools/fail }'));
    const run = await stack.ended('mended');
    await stack.baton.deploy(text('{ id: booked, tool: tools/echo, with: { message: done } }'));
    const page = await stack.visit(`/runs/${run}`);
    await page.getByRole('button', { name: 'Run again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('On the version').selectOption('2');
    await dialog.getByText(/The outcome of 1 step is kept\./).waitFor();
    await dialog.getByRole('button', { name: /^Run again/ }).click();
    await page.getByRole('link', { name: 'mended@2' }).waitFor();
    await page.getByText(/1 step succeeded in .* The outcome of 1 step is kept\./).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Retry' }).click();
    await dialog.getByText('Version 2 is deployed; this goes on with version 1.').waitFor();
    await dialog.getByLabel('On the version').selectOption('2');
    // A busy server may not have said at the deployment that this tool only reads.
    await dialog.getByRole('button', { name: /^Retry/ }).click();
    await page.getByText('A new run continues where this one ended.').waitFor();
    await page.getByRole('link', { name: 'mended@2' }).waitFor();
  });

  test('a step is compared with the same step of another run', async () => {
    const before = await stack.ended('greeting', { name: 'Ada' });
    const page = await stack.visit(`/runs/${await stack.ended('greeting', { name: 'Grace' })}?step=said`);
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByLabel('Compare with').selectOption(before);
    await page.getByText(/^-.*"message": "Hello, Ada"/).waitFor();
    await page.getByText(/^\+.*"message": "Hello, Grace"/).waitFor();
  });

  test('A call whose outcome is unknown is in a list of its own, where a person says that it happened.', async () => {
    await stack.ended('doubtful', { how: 'write' });
    const run = await stack.baton.start('doubtful', { how: 'crash' });
    const page = await stack.visit(`/runs/${run}`);
    const card = page.getByRole('article', { name: 'Question of doubtful' });
    await card.getByText('The call: tools/crash').waitFor();
    await card.getByText('"amount": 7').waitFor();
    await page.getByText('1 write, 0 idempotent, 0 reads, 1 with an unknown outcome').waitFor();
    await card.getByRole('button', { name: 'Yes' }).waitFor();
    await page.getByRole('link', { name: /^Unknown calls/ }).click();
    const row = page.getByRole('row').filter({ has: page.locator(`a[href*="${run}"]`) });
    await row.getByText('{"amount":7}').waitFor();
    await row.getByText('Look at tools, then answer.').waitFor();
    await row.getByRole('button', { name: 'It happened' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await stack.baton.ended(run)).status).toBe('succeeded');
  });

  test('A person says of a failed run that its lost call happened, or did not, and the retry makes the call or not.', async () => {
    const child = 'workflow: nested\nsteps: [{ id: inner, workflow: doubtful, with: { how: lost } }]\n';
    await stack.baton.deploy(child);
    for (const [button, writes] of [
      ['It happened…', 0],
      ['It did not…', 1],
    ] as const) {
      const run = await stack.ended('nested');
      const page = await stack.visit('/unknown');
      const row = page.getByRole('row').filter({ hasText: '{"amount":9}' }).first();
      await row.getByText('Look at tools: no check is declared.').waitFor();
      await row.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('What is known of inner>lost').waitFor();
      const again = dialog.getByText('it did not happen', { exact: false });
      await (writes === 1 ? again : dialog.getByText('No call of the old run is made again.')).waitFor();
      await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
      await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(run));
      const next = await stack.baton.ended(page.url().split('/').at(-1) ?? '');
      // The server dies again.
      expect(next.status).toBe(writes === 0 ? 'succeeded' : 'failed');
    }
    const page = await stack.visit(`/runs/${await stack.ended('doubtful', { how: 'lost' })}`);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 call with the effect write would be made again.').waitFor();
    await dialog.getByLabel('What is known of lost').selectOption('It happened');
    await dialog.getByText('No call of the old run is made again.').waitFor();
    await dialog.getByLabel(/^What it answered/).fill('{"id": 7');
    await dialog.getByText('This is not JSON.').waitFor();
  });

  test('a retry is a new run, after the write that was undone and happens again was said; commands are copied', async () => {
    const run = await stack.ended('refunds');
    const page = await stack.visit(`/runs/${run}`);
    const copied = async (name: string): Promise<string> => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name }).click();
      await page.getByText('Copied.').first().waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    expect(await copied('Copy as baton command')).toBe(`npx baton runs show ${run}`);
    expect(await copied('Copy as curl')).toContain(`${stack.baton.url}/v1/runs/${run}`);
    await page.getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 calls with the effect write would be made again.').waitFor();
    await dialog.getByRole('button', { name: 'Retry, and make 2 writes again' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(run));
    await page.getByRole('link', { name: run.slice(0, 8) }).waitFor();
  });

  test('What a run wrote is undone from its menu, after the dialog has shown the calls and what stays', async () => {
    await stack.baton.deploy(
      `workflow: booked\nsteps:\n  - { id: seat, tool: tools/post, with: { of: 7B } }\n  - { id: note, tool: tools/write }\n`,
    );
    const run = await stack.ended('booked');
    const page = await stack.visit(`/runs/${run}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Undo what it wrote…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo' });
    await dialog.getByText('tools/write {"undoes":"7B"}').waitFor();
    await dialog.getByText('No undo is declared for write').waitFor();
    await dialog.getByRole('button', { name: 'Undo, with 1 call' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(run));
    await page.getByText('Undoes').waitFor();
    await page.getByRole('link', { name: run.slice(0, 8) }).click();
    await page
      .locator('.run-facts')
      .getByText(/^Undo /)
      .waitFor();
  });
}
