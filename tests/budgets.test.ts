/**
 * Goal: a budget holds over all processes. The count is that of the events on record, also where a worker dies; no call begins that the
 * budget does not have, but for those that begin at the same moment. Method: real processes, and a server that writes down
 * its calls.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readLedger, soon, toolsServer } from '@baton/testing';
import { expect, inject, onTestFinished, test } from 'vitest';

import { Installation, type InstallationOptions } from './installation.ts';

interface Installed {
  readonly baton: Installation;
  /** How many calls reached the server. */
  readonly called: () => number;
}

async function installed(more: Partial<InstallationOptions> = {}): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-budgets-'));
  const ledger = join(folder, 'ledger');
  const baton = await Installation.start({ servers: { work: toolsServer(ledger) }, workers: 2, ...more });
  onTestFinished(async () => {
    await baton.stop();
    rmSync(folder, { recursive: true });
  });
  const called = (): number => readLedger(ledger).filter(({ call }) => call !== undefined).length;
  return { baton, called };
}

const { redisUrl } = inject('services');
const [runs, items, most, atOnce] = [10, 8, 30, 2];

test('writes of many runs on two workers, one of which is killed, end where the budget does, and each is counted once', async () => {
  const { baton, called } = await installed({ workers: 0, ...(redisUrl !== undefined && { redisUrl }) });
  await baton.deploy(`workflow: shop/order
steps:
  - id: all
    forEach: "\${{ range(${items}) }}"
    maxParallel: ${atOnce}
    steps: [{ id: one, tool: work/echo, effect: write, with: { message: x } }]
`);
  const name = 'shop';
  await baton.client.budgets.set(name, { on: 'shop/*', per: 'month', writes: most });
  // A process that runs when the first budget is set counts from the moment at which it hears of it.
  await Promise.all([baton.startWorker(), baton.startWorker()]);
  const start = (count: number) => Promise.all(Array.from({ length: count }, () => baton.start('shop/order')));
  // They do not spend it, and the killed worker may have all of them.
  const first = await start(3);
  await soon(() => expect(called()).toBeGreaterThan(2));
  await baton.workers[0]?.kill('SIGKILL');
  const ids = [...first, ...(await start(runs - first.length))];
  const ended = await Promise.all(ids.map((id) => baton.ended(id)));

  const begun = await Promise.all(
    ids.map(async (id) => {
      const { data } = (await baton.api('GET', `/v1/runs/${id}/events?limit=200`)).body as unknown as {
        data: { type: string; call?: object }[];
      };
      return data.filter(({ type, call }) => type === 'step.started' && call !== undefined).length;
    }),
  );
  const count = begun.reduce((sum, one) => sum + one, 0);
  const { data } = await baton.client.budgets.list();
  expect(data).toMatchObject([{ name, limits: [{ unit: 'writes', most, spent: count }] }]);
  expect(count).toBeGreaterThanOrEqual(most);
  expect(count).toBeLessThan(most + runs * atOnce);
  expect(called()).toBeLessThanOrEqual(count);
  const codes = new Set(ended.flatMap(({ error }) => error?.code ?? []));
  codes.delete('outcome-unknown');
  expect([...codes]).toEqual(['budget-exceeded']);
  const failed = ended.find(({ error }) => error?.code === 'budget-exceeded');
  expect(failed?.error?.message).toMatch(
    /^The budget shop \(shop\/\*, each month\) is spent: \d+ of 30 writes, until .*T00:00:00\.000Z\. The call was not made\.$/,
  );
  await expect(baton.start('shop/order')).rejects.toMatchObject({ code: 'budget-spent', status: 429 });
});

test('tokens of models count over the runs of several workflows, and a child run is refused where it would be accepted', async () => {
  const { baton } = await installed({ workers: 1 });
  await baton.deploy('workflow: ai/ask\nsteps: [{ id: a, sample: { append: Say hello. } }]\n');
  await baton.deploy('workflow: ai/again\nsteps: [{ id: a, sample: { append: Say it again. } }]\n');
  await baton.deploy('workflow: outside\nsteps: [{ id: c, workflow: ai/ask }]\n');
  expect((await baton.ended(await baton.start('ai/ask'))).status).toBe('succeeded');
  const tokens = (await baton.client.costs({})).total.inputTokens + (await baton.client.costs({})).total.outputTokens;
  await baton.client.budgets.set('ai', { on: 'ai/*', per: 'day', tokens: tokens + 1 });
  expect((await baton.ended(await baton.start('outside'))).status).toBe('succeeded');
  const refused = await baton.ended(await baton.start('outside'));
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'child-failed' } });
  expect(refused.error?.message).toContain('The budget ai (ai/*, each day) is spent');
  await expect(baton.start('ai/again')).rejects.toMatchObject({ code: 'budget-spent' });
  await baton.client.budgets.remove('ai');
  expect((await baton.ended(await baton.start('outside'))).status).toBe('succeeded');
});
