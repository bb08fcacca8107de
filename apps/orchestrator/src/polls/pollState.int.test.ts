import { listEntries, listStateWrites, readPolls, setState } from '@baton/store';
import { type FreshStore, type Mailbox, freshStore, startMailbox } from '@baton/testing';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';

import {
  PollingOrchestrator,
  answered,
  deployPolling,
  mails,
  pollNameFor,
  subjectInput,
  subjectsOf,
} from '../testing/pollingOrchestrator.ts';

let store: FreshStore;
let mailbox: Mailbox;
let orchestrator: PollingOrchestrator;
beforeAll(async () => {
  [store, mailbox] = await Promise.all([freshStore(), startMailbox()]);
  orchestrator = new PollingOrchestrator(store, mailbox);
});

afterAll(async () => {
  await orchestrator.end();
  await Promise.all([store.close(), mailbox.close()]);
});

beforeEach(() => {
  mailbox.messages = [];
  mailbox.next = undefined;
  mailbox.fault = undefined;
  mailbox.onSearch = undefined;
});

const head = 'state: { cursor: { type: string, default: "" } }';
const cursor = `start: all
with: { after: "\${{ state.cursor }}" }
state: { cursor: "\${{ result.output.?next.orValue(state.cursor) }}" }
${subjectInput}`;

const stored = async (workflow: string): Promise<unknown[]> =>
  (await listStateWrites(store, { workflow, isInline: false, key: 'cursor' }, { limit: 9 })).writes.map(
    ({ value }) => value,
  );

const reset = async (workflow: string): Promise<void> => {
  await setState(store, { workflow, key: 'cursor', value: 'reset', by: 'ada' });
};

test('A poll asks from its cursor on, and writes the next one with its runs; a cursor that stays is not written again.', async () => {
  const workflow = await deployPolling(store, cursor, { head, name: 'team/mails' });
  mailbox.messages = mails('a', 'b');
  mailbox.next = '2';
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 2 });
  expect(mailbox.searches.at(-1)).toEqual({ after: '' });
  for (const next of [undefined, '2', '3']) {
    mailbox.next = next;
    mailbox.messages = mails('b', 'c');
    await orchestrator.poll(workflow);
    expect(mailbox.searches.at(-1)).toEqual({ after: '2' });
  }
  expect(await subjectsOf(store, workflow)).toEqual(['mail a', 'mail b', 'mail c']);
  expect(await stored(workflow)).toEqual(['3', '2']);
  const { writes } = await listStateWrites(store, { workflow, isInline: false, key: 'cursor' }, { limit: 1 });
  expect(writes).toMatchObject([{ by: `poll ${pollNameFor(workflow)}`, runId: undefined }]);
  const { entries } = await listEntries(store, { target: workflow, action: 'state.set' }, { limit: 9 });
  expect(entries.map(({ by }) => by)).toEqual(Array.from({ length: 2 }, () => `poll ${pollNameFor(workflow)}`));
});

test('A cursor waits for the items that a poll has to leave: the next poll asks from the same place, until all have started.', async () => {
  const workflow = await deployPolling(store, cursor, { head });
  mailbox.messages = mails(...Array.from({ length: 1_005 }, (_, n) => n));
  mailbox.next = 'end';
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 1_000, left: 5 });
  expect(await stored(workflow)).toEqual([]);
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 5, left: 0 });
  expect(mailbox.searches.at(-1)).toEqual({ after: '' });
  expect(await stored(workflow)).toEqual(['end']);
});

test('A process that ends before the commit leaves neither runs nor cursor, and the next poll starts each item once.', async () => {
  const workflow = await deployPolling(store, cursor, { head });
  mailbox.messages = mails('a', 'b');
  mailbox.next = '2';
  const dying = new PollingOrchestrator(store, mailbox, {
    more: {
      requestWithin: async (client, requests) => {
        await store.requestWithin(client, requests);
        await client.query('select pg_terminate_backend(pg_backend_pid())');
        return new Map();
      },
    },
  });
  onTestFinished(() => dying.end());
  await expect(dying.poll(workflow)).rejects.toThrow('terminating connection');
  expect([await subjectsOf(store, workflow), await stored(workflow)]).toEqual([[], []]);
  await orchestrator.poll(workflow);
  expect([await subjectsOf(store, workflow), await stored(workflow)]).toEqual([['mail a', 'mail b'], ['2']]);
});

test('A cursor that a person sets while a poll is under way stays: that poll writes nothing, and the next one asks from there.', async () => {
  const workflow = await deployPolling(store, cursor, { head });
  mailbox.messages = mails('a');
  mailbox.next = '2';
  mailbox.onSearch = () => reset(workflow);
  expect(await orchestrator.poll(workflow)).toEqual({ kind: 'overtaken' });
  mailbox.onSearch = undefined;
  expect([await subjectsOf(store, workflow), await stored(workflow)]).toEqual([[], ['reset']]);
  await orchestrator.poll(workflow);
  expect(mailbox.searches.at(-1)).toEqual({ after: 'reset' });
  expect([await subjectsOf(store, workflow), await stored(workflow)]).toEqual([['mail a'], ['2', 'reset']]);
});

test('A cursor that does not fit, or is too large, fails the poll with the reason, and starts nothing.', async () => {
  const typed = cursor.replace(
    'state: { cursor: "${{ result.output.?next.orValue(state.cursor) }}" }',
    'state: { cursor: "${{ result.output }}" }',
  );
  const unfit = await deployPolling(store, typed, { head });
  mailbox.messages = mails('a');
  expect(await orchestrator.poll(unfit)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('does not fit') as string,
  });
  const large = await deployPolling(store, cursor, { head });
  mailbox.next = 'x'.repeat(70_000);
  expect(await orchestrator.poll(large)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('65536 bytes') as string,
  });
  expect([await subjectsOf(store, unfit), await subjectsOf(store, large)]).toEqual([[], []]);
});

test('What is stored and does not fit a new version fails its polls until a person sets it.', async () => {
  const workflow = await deployPolling(store, cursor, { head });
  mailbox.messages = mails('a');
  mailbox.next = 'seven';
  await orchestrator.poll(workflow);
  const counted = { head: 'state: { cursor: { type: integer, default: 0 } }', name: workflow };
  await deployPolling(
    store,
    cursor
      .replace('state.cursor }}" }\nstate', 'string(state.cursor) }}" }\nstate')
      .replace('?next.orValue(state.cursor)', 'messages.size()'),
    counted,
  );
  expect(await orchestrator.poll(workflow)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('does not fit what the workflow declares now') as string,
  });
  await setState(store, { workflow, key: 'cursor', value: 7, by: 'ada' });
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ seen: 1 });
  expect(mailbox.searches.at(-1)).toEqual({ after: '7' });
  expect((await readPolls(store, [pollNameFor(workflow)]))[0]?.failing).toBeUndefined();
});
