/** Events that a server posts (SEP-3415, webhook delivery). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { ProblemError } from '@baton/api';
import { EventHooks } from '@baton/control';
import { limits } from '@baton/expressions';
import { definitionOf, deleteWorkflow, deployWorkflow, listEntries, pauseWorkflow, readPolls } from '@baton/store';
import { type EventServer, type FreshStore, freshStore, startEventServer } from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { PollingOrchestrator, answered, subjectsOf } from '../testing/pollingOrchestrator.ts';

let store: FreshStore;
let server: EventServer;
let orchestrator: PollingOrchestrator;
/** The address of the hooks, in this process: as the route has it. */
const door = createServer((request, response) => {
  const answer = async (): Promise<object> => {
    const [, workflow = '', hook = ''] = /^\/v1\/hooks\/(.*)\/([^/]*)$/.exec(request.url ?? '') ?? [];
    return orchestrator.poller.receive({ workflow, hook, headers: request.headers, body: await buffer(request) });
  };
  answer().then(
    (body) => response.writeHead(200).end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(error instanceof ProblemError ? error.status : 503).end('{}'),
  );
});

beforeAll(async () => {
  [store, server] = await Promise.all([freshStore(), startEventServer()]);
  server.delivery = ['webhook'];
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const publicUrl = `http://127.0.0.1:${(door.address() as AddressInfo).port}/`;
  const hooks = new EventHooks({ publicUrl, keys: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] });
  orchestrator = new PollingOrchestrator(store, server, { server: 'github', hooks });
});

afterAll(async () => {
  await orchestrator.end();
  door.closeAllConnections();
  door.close();
  await Promise.all([store.close(), server.close()]);
});

let count = 0;

/** Resolves to the name of a workflow that is subscribed. */
async function subscribed(more = '', name = `team/posted-${(count += 1)}`, repo = 'acme/shop'): Promise<string> {
  const text = `workflow: ${name}
on:
  - event: github/issue.opened
    params: { repo: ${repo} }
    inputs: { subject: "\${{ event.?title.orValue('gap') }}" }
    ${more}
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`;
  const definition = definitionOf(text, 'yaml', {});
  await deployWorkflow(store, { workflow: name, definition, findings: [], by: 'test' });
  await answered(orchestrator.poll(name));
  return name;
}

const idOf = (workflow: string): string => `${workflow}.github/issue.opened`;
const rowOf = async (workflow: string) => (await readPolls(store, [idOf(workflow)]))[0];

const event = (id: string, title: unknown = id, cursor: string | null = '7') => ({
  eventId: id,
  name: 'issue.opened',
  timestamp: '2026-11-27T12:00:00Z',
  data: { title },
  cursor,
});

test('A trigger subscribes with a secret, answers the challenge, and each posted event starts one run, however often it comes.', async () => {
  const workflow = await subscribed();
  const { delivery, ttlMs, arguments: given } = server.subscriptions.at(-1) ?? {};
  expect(delivery).toMatchObject({ mode: 'webhook', secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) });
  expect({ ttlMs, given }).toEqual({ ttlMs: 3_600_000, given: { repo: 'acme/shop' } });
  const before = await rowOf(workflow);
  expect(await server.post(event('one'))).toMatchObject({ status: 200, body: { kind: 'run' } });
  expect(await server.post(event('one'))).toMatchObject({ status: 200, body: { kind: 'ignored' } });
  expect(await server.post(event('ONE'))).toMatchObject({ status: 200, body: { kind: 'run' } });
  expect(await subjectsOf(store, workflow)).toEqual(['one', 'ONE']);
  const after = await rowOf(workflow);
  expect(after?.cursor).toBe('7');
  // A delivery puts off no renewal, which comes before the subscription ends.
  expect(Math.abs((after?.nextAt ?? 0) - (before?.nextAt ?? 0))).toBeLessThan(1_000);
  expect((after?.nextAt ?? 0) - Date.now()).toBeLessThan(1_800_001);
  expect((after?.nextAt ?? 0) - Date.now()).toBeGreaterThan(1_700_000);
});

test('A server whose clock is a day behind is asked for a new subscription no sooner than a poll may be made.', async () => {
  server.aheadMs = -86_400_000;
  onTestFinished(() => void (server.aheadMs = 0));
  const begun = Date.now();
  const workflow = await subscribed();
  const row = await rowOf(workflow);
  // Else it is due in later tests.
  await deleteWorkflow(store, workflow, 'test');
  expect((row?.nextAt ?? 0) - begun).toBeGreaterThanOrEqual(limits.poll.everyMsMin);
});

test('A renewal hands back the cursor that came last, and keeps the address and the secret.', async () => {
  const workflow = await subscribed();
  const first = server.subscriptions.at(-1);
  await server.post(event('renewed', 'renewed', '9'));
  await answered(orchestrator.poll(workflow));
  expect(server.subscriptions.at(-1)).toMatchObject({ cursor: '9', delivery: first?.delivery });
});

test('A forged delivery, one that is older than five minutes, and one to another address are refused alike.', async () => {
  const workflow = await subscribed();
  const { url = '' } = server.subscriptions.at(-1)?.delivery ?? {};
  const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  for (const how of [
    { secret: other },
    { away: -301_000 },
    { away: 301_000 },
    { url: url.replace(/event\..*$/, 'event.aaaaaaaaaaaaaaaaaaaaaa') },
    { url: url.replace(workflow, 'team/none') },
  ])
    expect(await server.post(event('forged'), how)).toEqual({ status: 401, body: {} });
  expect(await subjectsOf(store, workflow)).toEqual([]);
});

test('The delivery of one trigger is none of another one.', async () => {
  const mine = await subscribed();
  const { secret = '' } = server.subscriptions.at(-1)?.delivery ?? {};
  const theirs = await subscribed();
  expect(await server.post(event('x'), { secret })).toMatchObject({ status: 401 });
  expect([await subjectsOf(store, mine), await subjectsOf(store, theirs)]).toEqual([[], []]);
});

test('Two hundred deliveries at a time, some of them twice, start one run each.', async () => {
  const workflow = await subscribed();
  const ids = Array.from({ length: 200 }, (_, n) => `at once ${n}`);
  const posted = await Promise.all([...ids, ...ids.slice(0, 50)].map(async (id) => server.post(event(id))));
  expect(posted.filter(({ status }) => status !== 200)).toEqual([]);
  expect(await subjectsOf(store, workflow)).toEqual(ids.toSorted((a, b) => a.localeCompare(b)));
});

test('Baton records that a server has lost events, starts a run of it where the trigger says so, and tells the end of a subscription.', async () => {
  const workflow = await subscribed('onGap: run');
  expect(await server.post({ type: 'gap', cursor: '12' })).toMatchObject({ status: 200, body: { kind: 'run' } });
  expect(await server.post({ type: 'gap', cursor: '12' })).toMatchObject({ status: 200, body: { kind: 'ignored' } });
  expect(await subjectsOf(store, workflow)).toEqual(['gap']);
  expect((await rowOf(workflow))?.cursor).toBe('12');
  const { entries } = await listEntries(store, { target: idOf(workflow), action: 'poll.gap' }, { limit: 9 });
  expect(entries).toHaveLength(2);
  await server.post({ type: 'terminated', error: { code: -32_012, message: 'revoked' } });
  expect((await rowOf(workflow))?.failing?.reason).toContain('revoked');
  await answered(orchestrator.poll(workflow));
  expect((await rowOf(workflow))?.failing).toBeUndefined();
});

test.each([
  ['does not fit its schema', event('unfit', 5)],
  ['has no payload', { eventId: 'bare' }],
  ['is an event of another name', { ...event('other'), name: 'issue.closed' }],
])('A signed delivery that %s starts nothing, is not posted again, and its reason is recorded.', async (_, body) => {
  const workflow = await subscribed();
  expect(await server.post(body)).toMatchObject({ status: 200, body: { kind: 'ignored' } });
  expect((await rowOf(workflow))?.found).toMatchObject({ refused: 1 });
  expect(await subjectsOf(store, workflow)).toEqual([]);
});

test('What a paused workflow gets is to be posted again, and so is what comes before the subscription is written down.', async () => {
  const workflow = await subscribed();
  await store.pool.query('update poll set polled_at = null where name = $1', [idOf(workflow)]);
  expect(await server.post(event('early'))).toMatchObject({ status: 503 });
  await answered(orchestrator.poll(workflow));
  await pauseWorkflow(store, workflow, 'test');
  expect(await server.post(event('paused'))).toMatchObject({ status: 503 });
  expect(await subjectsOf(store, workflow)).toEqual([]);
});

test('A trigger with other parameters, and one that is gone, are unsubscribed, and their addresses refuse.', async () => {
  const workflow = await subscribed();
  await orchestrator.poller.tick();
  await orchestrator.poller.idle();
  const { url = '', secret = '' } = server.subscriptions.at(-1)?.delivery ?? {};
  await subscribed('', workflow, 'acme/other');
  await expect.poll(() => server.left).toContain(url);
  expect(await server.post(event('late'), { url, secret })).toMatchObject({ status: 401 });
  const next = server.subscriptions.at(-1)?.delivery.url;
  await deleteWorkflow(store, workflow, 'test');
  await orchestrator.poller.tick();
  await expect.poll(() => server.left).toContain(next);
});
