import { definitionOf, deployWorkflow, listEntries, passOverPolls, readPolls, resetPoll } from '@baton/store';
import { type EventServer, type FreshStore, freshStore, startEventServer } from '@baton/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { PollingOrchestrator, answered, subjectsOf } from '../testing/pollingOrchestrator.ts';

let store: FreshStore;
let server: EventServer;
let orchestrator: PollingOrchestrator;
beforeAll(async () => {
  [store, server] = await Promise.all([freshStore(), startEventServer()]);
  orchestrator = new PollingOrchestrator(store, server, { server: 'github' });
});

afterAll(async () => {
  await orchestrator.end();
  await Promise.all([store.close(), server.close()]);
});

beforeEach(() => {
  server.onPoll = undefined;
  server.fault = undefined;
  server.lost = 0;
});

let count = 0;

/** Resolves to the name of the workflow. `more`: keys of the trigger. */
async function deployed(more = '', name = `issues-${(count += 1)}`): Promise<string> {
  const text = `workflow: ${name}
on:
  - event: github/issue.opened
    params: { repo: acme/shop }
    inputs: { subject: "\${{ event.?title.orValue('gap') }}" }
    ${more}
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`;
  const definition = definitionOf(text, 'yaml', {});
  await deployWorkflow(store, { workflow: name, definition, findings: [], by: 'test' });
  return name;
}

let happened = 0;

/** Resolves to the titles. */
function happen(times: number): string[] {
  const titles = Array.from({ length: times }, () => `issue ${(happened += 1)}`);
  server.log.push(...titles.map((title) => ({ eventId: `id ${title}`, data: { title } })));
  return titles;
}

const idOf = (workflow: string): string => `${workflow}.github/issue.opened`;
const poll = (workflow: string) => answered(orchestrator.poll(workflow));
const sorted = (texts: readonly string[]): string[] => texts.toSorted((a, b) => a.localeCompare(b));
const cursorOf = async (workflow: string) => (await readPolls(store, [idOf(workflow)]))[0]?.cursor;

test('Each event after the first poll starts one run with its payload, and the cursor is kept with the runs.', async () => {
  happen(2);
  const workflow = await deployed();
  expect(await poll(workflow)).toMatchObject({ items: 0, started: 0 });
  const titles = happen(3);
  expect(await poll(workflow)).toMatchObject({ items: 3, started: 3 });
  expect(await subjectsOf(store, workflow)).toEqual(titles);
  expect(await cursorOf(workflow)).toBe(`${server.log.length}`);
  expect(server.polls.at(-1)).toMatchObject({ name: 'issue.opened', arguments: { repo: 'acme/shop' } });
  expect(await poll(workflow)).toMatchObject({ items: 0 });
});

test('An event that is sent again, in another order or with an old cursor, starts no second run; ids differ by case.', async () => {
  const workflow = await deployed();
  await poll(workflow);
  const titles = happen(2);
  await poll(workflow);
  server.onPoll = (_, page) => ({
    ...page,
    events: [...server.log.slice(-2).toReversed(), { eventId: `ID ${titles[0]}`, data: { title: 'other' } }],
  });
  expect(await poll(workflow)).toMatchObject({ seen: 2, started: 1 });
  expect(await subjectsOf(store, workflow)).toEqual(sorted([...titles, 'other']));
});

test('A thousand events at once and more all start their runs, page by page.', async () => {
  const workflow = await deployed();
  await poll(workflow);
  const titles = happen(1_250);
  expect(await orchestrator.poll(workflow)).toMatchObject({
    kind: 'answered',
    hasMore: true,
    found: { started: 1_000 },
  });
  expect(await poll(workflow)).toMatchObject({ started: 250 });
  expect(await subjectsOf(store, workflow)).toEqual(sorted(titles));
});

test('A server that sends more events than it was asked for is asked again from the same cursor, until all have runs.', async () => {
  const workflow = await deployed();
  await poll(workflow);
  const from = server.log.length;
  const titles = happen(1_100);
  server.onPoll = (_, page) => ({ ...page, events: server.log.slice(from), cursor: `${server.log.length}` });
  expect(await poll(workflow)).toMatchObject({ started: 1_000, left: 100 });
  expect(await cursorOf(workflow)).toBe(`${from}`);
  expect(await poll(workflow)).toMatchObject({ started: 100, left: 0 });
  expect(await subjectsOf(store, workflow)).toEqual(sorted(titles));
});

test('Lost events are recorded, and where the trigger says so one run is started in which `event.gap` is true.', async () => {
  const [told, run] = [await deployed(), await deployed('onGap: run')];
  await Promise.all([poll(told), poll(run)]);
  happen(3);
  server.lost = server.log.length;
  const [title = ''] = happen(1);
  expect(await poll(told)).toMatchObject({ gap: true, started: 1 });
  expect(await poll(run)).toMatchObject({ gap: true, started: 2 });
  expect(await subjectsOf(store, told)).toEqual([title]);
  expect(await subjectsOf(store, run)).toEqual(sorted([title, 'gap']));
  const { entries } = await listEntries(store, { target: idOf(told), action: 'poll.gap' }, { limit: 9 });
  expect(entries).toHaveLength(1);
  expect(await poll(run)).not.toHaveProperty('gap');
});

test('A cursor that the server refuses is a gap, and the poll goes on from now.', async () => {
  const workflow = await deployed('onGap: run');
  await poll(workflow);
  await store.pool.query(`update poll set cursor = 'forgotten' where name = $1`, [idOf(workflow)]);
  expect(await poll(workflow)).toMatchObject({ gap: true, started: 1 });
  expect(await cursorOf(workflow)).toBe(`${server.log.length}`);
  expect(await subjectsOf(store, workflow)).toEqual(['gap']);
});

test('A payload that does not fit its schema, an event of another name and one without an id are refused; the others go on.', async () => {
  const workflow = await deployed();
  await poll(workflow);
  const [title] = happen(1);
  server.onPoll = (_, page) => ({
    ...page,
    events: [
      { eventId: 'a', data: { title: 5 } },
      { eventId: 'b', name: 'issue.closed', data: { title: 'b' } },
      { data: { title: 'c' } },
      { eventId: 'x'.repeat(2_000), data: { title: 'd' } },
      'gap',
      null,
      { eventId: 'e', data: 'no object' },
      // Its inputs would fit.
      { eventId: 'f', data: { title: 'f', number: 'five' } },
      server.log.at(-1),
    ],
  });
  expect(await poll(workflow)).toMatchObject({ items: 9, started: 1, refused: 8 });
  expect(await subjectsOf(store, workflow)).toEqual([title]);
});

test.each([
  ['a cursor of a megabyte', (page: object) => ({ ...page, cursor: 'c'.repeat(1_000_000) })],
  ['a cursor that no database keeps', (page: object) => ({ ...page, cursor: 'a\u0000b' })],
  ['a list that is none', (page: object) => ({ ...page, events: {} })],
  ['no page', () => ({})],
  ['twenty megabytes', (page: object) => ({ ...page, events: [{ eventId: 'a', data: { title: 'x'.repeat(2e7) } }] })],
])('A server that answers %s starts nothing, and the reason is recorded.', async (_, answer) => {
  const workflow = await deployed();
  await poll(workflow);
  server.onPoll = (__, page) => answer(page);
  expect(await orchestrator.poll(workflow)).toMatchObject({ kind: 'failed' });
  server.onPoll = undefined;
  const titles = happen(1);
  expect(await poll(workflow)).toMatchObject({ started: 1 });
  expect(await subjectsOf(store, workflow)).toEqual(titles);
});

test('A server that says for ever that it has more is not asked at once again where nothing came.', async () => {
  const workflow = await deployed();
  server.onPoll = (_, page) => ({ ...page, events: [], hasMore: true });
  expect(await orchestrator.poll(workflow)).toMatchObject({ kind: 'answered', hasMore: false });
});

test('The server may ask for a longer pause than the trigger does, up to an hour.', async () => {
  const workflow = await deployed();
  server.onPoll = (_, page) => ({ ...page, nextPollMs: 1e12 });
  await poll(workflow);
  const [{ nextAt, polledAt = 0 } = { nextAt: 0 }] = await readPolls(store, [idOf(workflow)]);
  expect(nextAt - polledAt).toBeGreaterThan(3_500_000);
  expect(nextAt - polledAt).toBeLessThan(3_700_000);
});

test('A poll that is reset, that passes over a lost time, or whose parameters are others, begins from now.', async () => {
  const workflow = await deployed();
  await poll(workflow);
  happen(1);
  const [before] = await readPolls(store, [idOf(workflow)]);
  if (before === undefined) throw new Error('it was polled');
  await resetPoll(store, before, { begins: 'now', by: 'test' });
  expect(await poll(workflow)).toMatchObject({ items: 0 });
  happen(1);
  await passOverPolls(store, [before]);
  expect(await poll(workflow)).toMatchObject({ items: 0 });
  happen(1);
  await store.pool.query(`update poll set basis = 'another' where name = $1`, [idOf(workflow)]);
  expect(await poll(workflow)).toMatchObject({ items: 0 });
  const titles = happen(1);
  expect(await poll(workflow)).toMatchObject({ started: 1 });
  expect(await subjectsOf(store, workflow)).toEqual(titles);
});

test('With BATON_EVENTS=off no server is asked for events, and the trigger says why.', async () => {
  const workflow = await deployed();
  const off = new PollingOrchestrator(store, server, { server: 'github', withEvents: false });
  const asked = server.polls.length;
  const reason = expect.stringContaining('BATON_EVENTS');
  expect(await off.poll(workflow)).toMatchObject({ kind: 'failed', reason });
  expect(server.polls).toHaveLength(asked);
  await off.end();
});

test('Two orchestrators that ask at once start one run for each event.', async () => {
  const second = new PollingOrchestrator(store, server, { server: 'github' });
  const workflow = await deployed();
  await poll(workflow);
  const titles = happen(20);
  await Promise.all([orchestrator.poll(workflow), second.poll(workflow)]);
  await second.end();
  expect(await subjectsOf(store, workflow)).toEqual(sorted(titles));
});
