/**
 * Goal: a Postgres that falls silent is told, and one silent connection is enough to learn that the others are dead too.
 * Method: a proxy that passes nothing for a while, or forgets the connections that are open; compared is who was told no.
 */
import { UnavailableError } from '@baton/runner';
import { type FaultProxy, faultProxy, freshStore, requestedEvent, testSecretKey } from '@baton/testing';
import { type TestContext, expect, test } from 'vitest';

import { getApiKey } from '../keys/apiKeys.ts';
import { type Store, openStore } from '../openStore.ts';
import { queryRows } from './queryRows.ts';
import { inTransaction } from './transaction.ts';

/** Longer than a request takes on a machine that others load, and than Prisma waits for a transaction by itself. */
const answerMs = 2_500;

async function throughProxy(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options: { readonly answerMs?: number },
): Promise<{ store: Store; proxy: FaultProxy }> {
  const direct = await freshStore();
  const url = new URL(direct.url);
  const proxy = await faultProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const store = openStore({ url: url.href, secretKey: testSecretKey, ...options });
  onTestFinished(async () => {
    proxy.cutAll();
    await store.close();
    await proxy.close();
    await direct.close();
  });
  return { store, proxy };
}

const ping = (store: Store): Promise<unknown> => queryRows(store.pool, 'select 1');

/** By every kind of connection: Prisma's, the pool's, a transaction, and the three that are kept. */
const requests: readonly ((store: Store) => Promise<unknown>)[] = [
  ping,
  (store) => getApiKey(store, 'key'),
  ({ prisma }) => prisma.$transaction((transaction) => transaction.$queryRaw`select 1`),
  ({ pool }) => inTransaction(pool, (client) => client.query('select 1')),
  (store) => store.request({ event: requestedEvent() }),
  ({ journal }) => journal.open('0190a000-0000-7000-8000-000000000000'),
  async (store) => {
    const { runId } = await store.request({ event: requestedEvent() });
    const run = await store.journal.open(runId);
    await run?.log.append({ events: [{ type: 'run.claimed', at: 1, worker: 'w1', claim: 1 }] });
  },
];

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof UnavailableError ? 'later' : String(error)),
  );

const inTurn = async (store: Store): Promise<string[]> => {
  const outcomes: string[] = [];
  for (const request of requests) outcomes.push(await outcomeOf(request(store)));
  return outcomes;
};

const all = (outcome: string): string[] => requests.map(() => outcome);

/** As many connections as the pool has. */
const busy = (store: Store): Promise<unknown> => Promise.all(Array.from({ length: 10 }, () => ping(store)));

// Each waits for its one answer that does not come.
test.concurrent.for([0, 2, 4, 5])(
  'connections that a firewall forgot cost one request an answer, and no more (%i)',
  async (first, context) => {
    const { expect } = context;
    const { store, proxy } = await throughProxy(context, { answerMs });
    await inTurn(store);
    await busy(store);
    proxy.forget();
    const request = requests[first];
    expect(request && (await outcomeOf(request(store)))).toBe('later');
    expect(await inTurn(store)).toEqual(all('answered'));
  },
);

test('a Postgres that hangs is reported to every caller, and is asked again as soon as it answers', async (context) => {
  const { store, proxy } = await throughProxy(context, { answerMs });
  await inTurn(store);
  proxy.silence(true);
  expect(await Promise.all(requests.map((request) => outcomeOf(request(store))))).toEqual(all('later'));
  proxy.silence(false);
  expect([await inTurn(store), await inTurn(store), await inTurn(store)].flat()).not.toContain('later');
});

test('a request waits five seconds, where nothing else was said', async (context) => {
  const { store, proxy } = await throughProxy(context, {});
  const url = new URL(store.pool.options.connectionString ?? '');
  // One that waits for half a second less or more has its answer before it or after it.
  const [sooner, later] = [4_500, 5_500].map((ms) =>
    openStore({ url: url.href, secretKey: testSecretKey, answerMs: ms }),
  );
  context.onTestFinished(async () => {
    proxy.cutAll();
    await Promise.all([sooner?.close(), later?.close()]);
  });
  const stores = { sooner, five: store, later };
  for (const one of Object.values(stores)) await (one && ping(one));
  proxy.silence(true);
  const told: string[] = [];
  const asking = Object.entries(stores).map(async ([name, one]) => {
    expect(one && (await outcomeOf(ping(one)))).toBe('later');
    told.push(name);
  });
  await Promise.all(asking);
  expect(told).toEqual(['sooner', 'five', 'later']);
});
