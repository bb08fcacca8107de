import { limits } from '@baton/expressions';
import { advance } from '@baton/runner';
import { countKeys, listEntries, listRuns, readPolls } from '@baton/store';
import { type FreshStore, type Mailbox, TestClock, freshStore, startMailbox } from '@baton/testing';
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
  mailbox.fault = undefined;
});

test('Of more keys than are kept, the oldest are forgotten, and those that the tool answers now are not, however old they are.', async () => {
  const workflow = await deployPolling(store, `start: all\n${subjectInput}`);
  const name = pollNameFor(workflow);
  mailbox.messages = mails('old');
  await orchestrator.poll(workflow);
  await store.pool.query(
    `insert into poll_key (poll, key, seen_at) select $1, 'k' || n, now() - interval '1 day' + n * interval '1 ms'
     from generate_series(1, $2::int) n`,
    [name, limits.poll.keys],
  );
  await store.pool.query(`update poll_key set seen_at = now() - interval '2 days' where key = 'old'`);
  mailbox.messages = mails('old', 'new');
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 1, seen: 1 });
  expect(await countKeys(store, [name])).toEqual(new Map([[name, limits.poll.keys]]));
  const { rows } = await store.pool.query<{ key: string }>(
    `select key from poll_key where poll = $1 and key in ('old', 'new', 'k1', 'k2', 'k3') order by key`,
    [name],
  );
  expect(rows.map(({ key }) => key)).toEqual(['k3', 'new', 'old']);
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 0, seen: 2 });
});

test('A poll that has failed for an hour has one entry in the audit, and the next such hour has its own.', async () => {
  const workflow = await deployPolling(store, `every: 10m\n${subjectInput}`);
  const clock = new TestClock();
  const failing = new PollingOrchestrator(store, mailbox, { clock, more: { now: () => clock.now() } });
  onTestFinished(() => failing.end());
  const entries = async (): Promise<number> =>
    (await listEntries(store, { target: pollNameFor(workflow), action: 'poll.failing' }, { limit: 9 })).entries.length;
  const counts: number[] = [];
  for (const fault of ['locked', 'locked', 'locked', 'locked', undefined, 'locked', 'locked', 'locked']) {
    mailbox.fault = fault;
    await failing.poll(workflow);
    counts.push(await entries());
    const [state] = await readPolls(store, [pollNameFor(workflow)]);
    clock.pass((state?.nextAt ?? 0) - clock.now());
  }
  // The pauses are 20, 40 and 60 minutes.
  expect(counts).toEqual([0, 0, 1, 1, 1, 1, 1, 2]);
});

test('A poll of a tool that is another than the version was checked against fails, and starts nothing.', async () => {
  const digest = '0'.repeat(64);
  const pins = { 'mail/search': { contract: digest, text: digest, effect: 'read', from: 'annotations' } as const };
  const workflow = await deployPolling(store, `start: all\n${subjectInput}`, { pins });
  mailbox.messages = mails('a');
  expect(await orchestrator.poll(workflow)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('changed') as string,
  });
  expect(await subjectsOf(store, workflow)).toEqual([]);
});

test('While a poll has as many unfinished runs as it may have, Baton does not ask the server, and starts the new runs later.', async () => {
  const limited = new PollingOrchestrator(store, mailbox, { runsMax: 2 });
  onTestFinished(() => limited.end());
  const workflow = await deployPolling(store, `start: all\n${subjectInput}`);
  mailbox.messages = mails('a', 'b', 'c');
  expect(await answered(limited.poll(workflow))).toMatchObject({ started: 2, left: 1 });
  const asked: unknown[] = [];
  mailbox.onSearch = async (request) => void asked.push(request);
  onTestFinished(() => (mailbox.onSearch = undefined));
  const reason = `2 runs of "poll ${pollNameFor(workflow)}" are unfinished, the maximum for it.`;
  expect(await limited.poll(workflow)).toEqual({ kind: 'failed', reason });
  expect(asked).toEqual([]);
  const { runs } = await listRuns(store, { workflow }, { limit: 9 });
  for (const { id } of runs)
    await advance(store.journal, id, ({ at }) => [
      { type: 'run.claimed', at, worker: 'w', claim: 1 },
      { type: 'run.finished', at, status: 'succeeded' },
    ]);
  await expect.poll(() => limited.poll(workflow)).toMatchObject({ kind: 'answered', found: { started: 1, seen: 2 } });
});

/** Until the test ends, the server answers no search for `slow`. Says how many it was asked for. */
function holdSlow(): { readonly count: number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = { count: 0 };
  mailbox.onSearch = async (asked) => {
    if ((asked as { query?: string }).query !== 'slow') return;
    held.count += 1;
    await promise;
  };
  onTestFinished(() => {
    mailbox.onSearch = undefined;
    resolve();
  });
  return held;
}

const slow = `with: { query: slow }\nstart: all\n${subjectInput}`;
test('A server that is slow for one project keeps no poll of another project from being asked.', async () => {
  const others = new PollingOrchestrator(store, mailbox);
  onTestFinished(() => others.end());
  for (let n = 0; n < 20; n += 1) await deployPolling(store, slow, { name: `a-project/${n}` });
  const workflow = await deployPolling(store, `start: all\n${subjectInput}`, { name: 'z-project/mails' });
  mailbox.messages = mails('one');
  const held = holdSlow();
  await others.poller.tick();
  await expect.poll(() => subjectsOf(store, workflow)).toEqual(['mail one']);
  await expect.poll(() => held.count).toBe(12);
});

test('Where more polls are due than have places, that which is due the longest is asked first.', async () => {
  const names: string[] = [];
  for (let n = 0; n < 18; n += 1) names.push(await deployPolling(store, slow, { name: `project-${n}/mails` }));
  const longest = await deployPolling(store, `start: all\n${subjectInput}`, { name: 'z-longest/mails' });
  for (const name of [...names, longest]) await orchestrator.poll(name);
  await store.pool.query(`update poll set next_at = now() - interval '1 minute' where name like 'project-%'`);
  await store.pool.query(`update poll set next_at = now() - interval '1 hour' where name like 'z-longest/%'`);
  mailbox.messages = mails('late');
  holdSlow();
  const others = new PollingOrchestrator(store, mailbox);
  onTestFinished(() => others.end());
  await others.poller.tick();
  await expect.poll(() => subjectsOf(store, longest)).toEqual(['mail late']);
});
