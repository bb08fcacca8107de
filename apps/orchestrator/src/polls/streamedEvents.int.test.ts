/** Events that a server sends on a stream (SEP-3415, `events/stream`). */
import { systemClock } from '@baton/runner';
import {
  definitionOf,
  deployWorkflow,
  listEntries,
  pauseWorkflow,
  readPolls,
  resetPoll,
  resumeWorkflow,
} from '@baton/store';
import { type EventServer, type FreshStore, freshStore, startEventServer } from '@baton/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { PollingOrchestrator, answered, subjectsOf } from '../testing/pollingOrchestrator.ts';

let store: FreshStore;
let server: EventServer;
let orchestrator: PollingOrchestrator;
/** How far the clock of the orchestrators is ahead, in milliseconds. */
let ahead = 0;
const clock = { ...systemClock, now: () => systemClock.now() + ahead };

beforeAll(async () => {
  [store, server] = await Promise.all([freshStore(), startEventServer()]);
  orchestrator = new PollingOrchestrator(store, server, { server: 'github', clock });
});

afterAll(async () => {
  await orchestrator.end();
  await Promise.all([store.close(), server.close()]);
});

beforeEach(() => {
  server.delivery = ['poll', 'push'];
  server.onStream = undefined;
  server.lost = 0;
});

let count = 0;

const textOf = (name: string, more: string): string => `workflow: ${name}
on:
  - event: github/issue.opened
    params: { repo: acme/shop }
    inputs: { subject: "\${{ event.?title.orValue('gap') }}" }
    ${more}
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`;

/** Resolves to the name of a workflow whose stream is open. */
async function streaming(more = '', name = `streamed-${(count += 1)}`): Promise<string> {
  const definition = definitionOf(textOf(name, more), 'yaml', {});
  await deployWorkflow(store, { workflow: name, definition, findings: [], by: 'test' });
  await answered(orchestrator.poll(name));
  return name;
}

let happened = 0;

/** The titles. */
function happen(times: number): string[] {
  const titles = Array.from({ length: times }, () => `issue ${(happened += 1)}`);
  server.happen(...titles.map((title) => ({ eventId: `id ${title}`, data: { title } })));
  return titles;
}

const idOf = (workflow: string): string => `${workflow}.github/issue.opened`;
const rowOf = async (workflow: string) => (await readPolls(store, [idOf(workflow)]))[0];
const sorted = (texts: readonly string[]): string[] => texts.toSorted((a, b) => a.localeCompare(b));
const cursorOf = async (workflow: string) => (await rowOf(workflow))?.cursor;

/** Questions whose time has come are asked. */
async function opensAgain(): Promise<void> {
  ahead += 60_000;
  const asked = server.streams.asked.length;
  await expect
    .poll(async () => {
      await orchestrator.poller.tick();
      return server.streams.asked.length;
    })
    .toBeGreaterThan(asked);
  await orchestrator.poller.idle();
}

test('A server that streams is not polled: each event on the stream starts one run, however often it is sent, and the cursor is kept.', async () => {
  happen(1);
  const polls = server.polls.length;
  const workflow = await streaming();
  server.onStream = ({ params }) => [params, params];
  const titles = happen(3);
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(titles));
  await expect.poll(() => cursorOf(workflow)).toBe(`${server.log.length}`);
  expect(server.polls).toHaveLength(polls);
  expect((await rowOf(workflow))?.failing).toBeUndefined();
});

test('A stream that breaks is opened again at the cursor that was written, and nothing that happened meanwhile is lost.', async () => {
  const workflow = await streaming();
  const before = happen(2);
  await expect.poll(() => cursorOf(workflow)).toBe(`${server.log.length}`);
  const cursor = `${server.log.length}`;
  server.streams.break();
  const meanwhile = happen(2);
  await expect.poll(() => server.streams.size).toBe(0);
  await opensAgain();
  expect(server.streams.asked).toContain(cursor);
  const after = happen(1);
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted([...before, ...meanwhile, ...after]));
});

test('Where a stream is open no further question is asked, by any orchestrator.', async () => {
  const workflow = await streaming();
  await orchestrator.poller.tick();
  const asked = server.streams.asked.length;
  ahead += 3_600_000;
  const second = new PollingOrchestrator(store, server, { server: 'github', clock });
  await orchestrator.poller.tick();
  await second.poller.tick();
  await Promise.all([orchestrator.poller.idle(), second.poller.idle()]);
  await second.end();
  expect(server.streams.asked).toHaveLength(asked);
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(happen(1)));
});

test('A stream that a person opened at an orchestrator that does not own the trigger is left, and both start one run for each event.', async () => {
  const workflow = await streaming();
  await orchestrator.poller.tick();
  const open = server.streams.size;
  const second = new PollingOrchestrator(store, server, { server: 'github', clock });
  await answered(second.poll(workflow));
  expect(server.streams.size).toBe(open + 1);
  const titles = happen(5);
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(titles));
  await second.poller.tick();
  await expect.poll(() => server.streams.size).toBe(open);
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted([...titles, ...happen(1)]));
  await second.end();
});

test('Lost events are recorded, whether the stream begins after them or the server says so on it, and start one run where the trigger says so.', async () => {
  const workflow = await streaming('onGap: run');
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(happen(1)));
  server.streams.say('active', { cursor: `${server.log.length}`, truncated: true });
  await expect.poll(async () => (await subjectsOf(store, workflow)).includes('gap')).toBe(true);
  server.streams.break();
  happen(3);
  server.lost = server.log.length;
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ gap: true });
  const { entries } = await listEntries(store, { target: idOf(workflow), action: 'poll.gap' }, { limit: 9 });
  expect(entries).toHaveLength(2);
});

test('A heartbeat moves the cursor, and what the server says of a failure that passes ends nothing.', async () => {
  const workflow = await streaming();
  server.streams.say('error', { error: { code: -32_603, message: 'Away.' } });
  server.streams.say('heartbeat', { cursor: 'far' });
  await expect.poll(() => cursorOf(workflow)).toBe('far');
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(happen(1)));
});

test('A server that ends the stream is asked again later, and the reason is shown.', async () => {
  const workflow = await streaming();
  server.streams.say('terminated', { error: { code: -32_012, message: 'Access was revoked.' } });
  await expect
    .poll(async () => (await rowOf(workflow))?.failing?.reason)
    .toBe('The server has ended the subscription: Access was revoked.');
  await answered(orchestrator.poll(workflow));
  expect((await rowOf(workflow))?.failing).toBeUndefined();
});

test.each([
  ['an event whose payload does not fit', () => ({ eventId: 'a', name: 'issue.opened', data: { title: 5 } })],
  ['an event of another name', () => ({ eventId: 'b', name: 'issue.closed', data: { title: 'b' } })],
  ['an event without an id', () => ({ name: 'issue.opened', data: { title: 'c' } })],
])('On a stream, %s starts no run, and the others go on.', async (_, lie) => {
  const workflow = await streaming();
  server.streams.say('event', lie());
  const titles = happen(1);
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(titles));
});

test('A stream whose cursor no database keeps is left, and opened again at the one of before.', async () => {
  const workflow = await streaming();
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(happen(1)));
  const before = (await rowOf(workflow))?.cursor;
  server.streams.say('event', { eventId: 'x', name: 'issue.opened', data: { title: 'x' }, cursor: 'a\u0000b' });
  await expect.poll(async () => (await rowOf(workflow))?.failing?.reason ?? '').toContain('something else');
  await answered(orchestrator.poll(workflow));
  expect(server.streams.asked.at(-1)).toBe(before);
});

test('What comes on the stream while the workflow is paused starts its runs when it is resumed.', async () => {
  const workflow = await streaming();
  const open = server.streams.size;
  await pauseWorkflow(store, workflow, 'test');
  const titles = happen(2);
  await expect.poll(() => server.streams.size).toBeLessThan(open);
  await resumeWorkflow(store, workflow, 'test');
  await opensAgain();
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(titles));
});

test('A trigger that a person resets begins from now.', async () => {
  const workflow = await streaming();
  const before = await rowOf(workflow);
  if (before === undefined) throw new Error('it was polled');
  await resetPoll(store, before, { begins: 'now', by: 'test' });
  happen(1);
  await answered(orchestrator.poll(workflow));
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(sorted(happen(1)));
});

test('A thousand events at once and more all start their runs.', async () => {
  const workflow = await streaming();
  const titles = happen(2_300);
  await expect.poll(() => cursorOf(workflow)).toBe(`${server.log.length}`);
  expect(await subjectsOf(store, workflow)).toEqual(sorted(titles));
});

test('A server that refuses to stream is polled, where it can be.', async () => {
  const polls = server.polls.length;
  server.refusesStreams = true;
  const workflow = await streaming();
  expect(server.polls.length).toBeGreaterThan(polls);
  server.delivery = ['push'];
  const second = new PollingOrchestrator(store, server, { server: 'github', clock });
  expect(await second.poll(workflow)).toMatchObject({ kind: 'failed' });
  server.refusesStreams = false;
  await answered(second.poll(workflow));
  await second.end();
});
