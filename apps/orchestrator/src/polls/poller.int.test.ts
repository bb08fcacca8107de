import { systemClock as clock } from '@baton/runner';
import {
  type RunRequest,
  countKeys,
  definitionOf,
  deployWorkflow,
  listEntries,
  listRuns,
  newestItems,
  passOverPolls,
  pauseWorkflow,
  readPolls,
  resetPoll,
  Vault,
  putSecret,
} from '@baton/store';
import { type FreshStore, type Mailbox, freshStore, startMailbox, testSecretKey } from '@baton/testing';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';

import {
  PollingOrchestrator,
  answered,
  deployPolling,
  mails,
  pollNameFor as nameOf,
  subjectInput as input,
  subjectsOf as subjectsIn,
} from '../testing/pollingOrchestrator.ts';

let store: FreshStore;
let mailbox: Mailbox;
let orchestrator: PollingOrchestrator;
beforeAll(async () => {
  [store, mailbox] = await Promise.all([freshStore(), startMailbox()]);
  orchestrator = another();
});

afterAll(async () => {
  await orchestrator.end();
  await Promise.all([store.close(), mailbox.close()]);
});

beforeEach(() => {
  mailbox.messages = [];
  mailbox.fault = undefined;
});

const another = (more = {}) => new PollingOrchestrator(store, mailbox, { more });

const deployed = (more: string, name?: string, key?: string): Promise<string> =>
  deployPolling(store, more, { ...(name && { name }), ...(key && { key }) });

const named = (workflow: string, basis = 'mail/search item.id') => ({ name: nameOf(workflow), workflow, basis });

const subjectsOf = (workflow: string): Promise<unknown[]> => subjectsIn(store, workflow);

test('The first poll marks what is there as seen, and each item after it starts one run, however often it is answered.', async () => {
  const workflow = await deployed(input);
  mailbox.messages = mails('old', 'older');
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ items: 2, passedOver: 2, started: 0 });
  mailbox.messages = mails('new', 'old', 7, 'new');
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ items: 4, seen: 1, started: 2, repeated: 1 });
  // Dropped, and answered again in another order.
  mailbox.messages = mails('old');
  await orchestrator.poll(workflow);
  mailbox.messages = mails(7, 'old', 'older', 'new');
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ seen: 4, started: 0 });
  expect(await subjectsOf(workflow)).toEqual(['mail 7', 'mail new']);
  const { runs } = await listRuns(store, { workflow, trigger: 'poll' }, { limit: 9 });
  expect(new Set(runs.map(({ trigger }) => trigger.detail?.['key']))).toEqual(new Set(['7', 'new']));
  expect(runs.map(({ by }) => by)).toEqual([`poll ${nameOf(workflow)}`, `poll ${nameOf(workflow)}`]);
  expect(orchestrator.bell.waiting.map(({ runId }) => runId)).toEqual(expect.arrayContaining(runs.map(({ id }) => id)));
});

test('Of thousands of items at once, a poll starts a thousand runs and says how many are left, also beside other orchestrators.', async () => {
  const workflow = await deployed(`start: all\n${input}`);
  mailbox.messages = mails(...Array.from({ length: 5_000 }, (_, n) => n));
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ items: 5_000, started: 1_000, left: 4_000 });
  const [{ nextAt } = { nextAt: 0 }] = await readPolls(store, [nameOf(workflow)]);
  expect(nextAt).toBeLessThan(clock.now() + 11_000);
  const others = [another(), another()];
  onTestFinished(async () => void (await Promise.all(others.map((one) => one.end()))));
  for (let left = 4_000; left > 0;) {
    const polled = await Promise.all([orchestrator, ...others].map((one) => one.poll(workflow)));
    const founds = polled.flatMap((one) => (one.kind === 'answered' ? [one.found] : []));
    left = Math.min(...founds.map((found) => found.left));
  }
  const subjects = await subjectsOf(workflow);
  expect([subjects.length, new Set(subjects).size]).toEqual([5_000, 5_000]);
});

test('A process that ends between the answer and the commit has started nothing, and the next poll starts each item once.', async () => {
  const workflow = await deployed(`start: all\n${input}`);
  mailbox.messages = mails('a', 'b');
  const dying = another({
    requestWithin: async (client: PoolClient, requests: readonly RunRequest[]) => {
      await store.requestWithin(client, requests);
      await client.query('select pg_terminate_backend(pg_backend_pid())');
      return new Map();
    },
  });
  onTestFinished(() => dying.end());
  await expect(dying.poll(workflow)).rejects.toThrow('terminating connection');
  expect(await subjectsOf(workflow)).toEqual([]);
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 2 });
  expect(await subjectsOf(workflow)).toEqual(['mail a', 'mail b']);
});

test('An item that has no key, or whose inputs do not fit, is refused with its reason, and the others go on.', async () => {
  const workflow = await deployed('start: all\ninputs: { subject: "${{ item.subject + \'!\' }}" }');
  mailbox.messages = [{ subject: 'keyless' }, { id: null, subject: 'null' }, { id: 1, subject: 5 }, ...mails('fine')];
  const found = await answered(orchestrator.poll(workflow));
  expect(found).toMatchObject({ started: 1, refused: 3 });
  expect(found.refusals.map(({ index, key }) => [index, key])).toEqual([
    [0, undefined],
    [1, undefined],
    [2, '1'],
  ]);
  expect(found.refusals[1]?.reason).toBe('The key is null, and has to be a text or a number.');
  const { entries } = await listEntries(store, { target: nameOf(workflow), action: 'poll.refused' }, { limit: 9 });
  expect(entries).toHaveLength(found.reasons.length);
  expect(found.reasons.map(({ items }) => items)).toEqual([1, 1, 1]);
  // A version that can take it starts the run that was refused.
  await deployed('start: all\ninputs: { subject: "${{ string(item.subject) }}" }', workflow);
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 1, refused: 2 });
  expect(await subjectsOf(workflow)).toEqual(['5', 'mail fine!']);
});

test('A poll that fails says why, waits longer each time, and goes on where it was.', async () => {
  const workflow = await deployed(`every: 10s\n${input}`);
  mailbox.messages = mails('old');
  await orchestrator.poll(workflow);
  mailbox.fault = 'The mailbox is locked.';
  const pauses: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const before = clock.now();
    expect(await orchestrator.poll(workflow)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('locked'),
    });
    const [state] = await readPolls(store, [nameOf(workflow)]);
    pauses.push(Math.floor(((state?.nextAt ?? 0) - before) / 10_000));
    expect(state?.failing?.times).toBe(n + 1);
  }
  expect(pauses).toEqual([2, 4, 8]);
  mailbox.fault = undefined;
  mailbox.messages = mails('old', 'new');
  await orchestrator.poll(workflow);
  expect(await subjectsOf(workflow)).toEqual(['mail new']);
  expect((await readPolls(store, [nameOf(workflow)]))[0]?.failing).toBeUndefined();
});

test('A batch is one run with all new items, and none where nothing is new.', async () => {
  const workflow = await deployed('start: all\nbatch: true\ninputs: { subject: "${{ items.map(i, i.id) }}" }');
  mailbox.messages = mails('a', 'b');
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 2 });
  mailbox.messages = mails('b', 'c', 'a');
  await orchestrator.poll(workflow);
  await orchestrator.poll(workflow);
  expect(await subjectsOf(workflow)).toEqual([['a', 'b'], ['c']]);
});

test('A poll halves a batch that is refused, so that an item that does not fit is refused alone, and tells each new reason once.', async () => {
  const text = 'items.map(i, i.subject == "bad" ? string(i.lacking) : i.subject == "null" ? string(1 / 0) : i.subject)';
  const workflow = await deployed(
    `start: all\nbatch: true\ninputs: { subject: "\${{ ${text.replaceAll('"', "'")} }}" }`,
  );
  const bad = (id: string, subject = 'bad') => ({ id, subject });
  const long = 'ä'.repeat(100);
  mailbox.messages = [
    ...mails('a', 'b', 'c'),
    bad(long),
    ...mails('d', '1', 1),
    ...Array.from({ length: 12 }, (_, n) => bad(`x${n}`)),
  ];
  const found = await answered(orchestrator.poll(workflow));
  expect(found).toMatchObject({ items: 19, started: 5, refused: 13, repeated: 1, left: 0, reasons: [{ items: 13 }] });
  expect(new Set((await subjectsOf(workflow)).flat())).toEqual(
    new Set(['mail 1', 'mail a', 'mail b', 'mail c', 'mail d']),
  );
  expect(found.refusals[0]?.key).toMatch(/^ä{79}…$/);
  // A second reason has its place although the first has more items than are shown.
  mailbox.messages = [...mailbox.messages, bad('y', 'null')];
  const again = await answered(orchestrator.poll(workflow));
  expect(again).toMatchObject({ started: 0, seen: 5, refused: 14, reasons: [{ items: 13 }, { items: 1 }] });
  expect(again.refusals.map(({ key }) => key)).toContain('y');
  const { entries } = await listEntries(store, { target: nameOf(workflow), action: 'poll.refused' }, { limit: 9 });
  expect(entries).toHaveLength(2);
  mailbox.messages = mails(long);
  await orchestrator.poll(workflow);
  const [newest] = await newestItems(store, nameOf(workflow), 1);
  expect(newest).toMatchObject({ key: expect.stringMatching(/^sha256 /), text: expect.stringMatching(/^ä{79}…$/) });
});

test('A poll that was never made is reset as well, and begins with what is marked as seen after a lost time.', async () => {
  const workflow = await deployed(input);
  await resetPoll(store, named(workflow), { begins: 'all', by: 'test' });
  mailbox.messages = mails('a');
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 1 });
  const [first, second, third] = [await deployed(`start: all\n${input}`), await deployed(input), await deployed(input)];
  await orchestrator.poll(third);
  await resetPoll(store, named(second), { begins: 'all', by: 'test' });
  await passOverPolls(
    store,
    [first, second, third].map((one) => named(one)),
  );
  mailbox.messages = mails('a', 'b');
  for (const one of [first, second, third])
    expect(await answered(orchestrator.poll(one))).toMatchObject({ started: 0 });
  mailbox.messages = mails('c');
  for (const one of [first, second, third])
    expect(await answered(orchestrator.poll(one))).toMatchObject({ started: 1 });
});

test('A version with a shorter pause, or one after failures, is polled without waiting for the pause before it.', async () => {
  const workflow = await deployed(`every: 1h\n${input}`);
  const isDue = async (): Promise<boolean> => {
    const searches = mailbox.searches.length;
    await orchestrator.poller.tick();
    await orchestrator.poller.idle();
    return mailbox.searches.length > searches;
  };
  await orchestrator.poll(workflow);
  await store.pool.query(`update poll set polled_at = now() - interval '1 minute' where name = $1`, [nameOf(workflow)]);
  expect(await isDue()).toBe(false);
  await deployed(`every: 10s\n${input}`, workflow);
  expect(await isDue()).toBe(true);
  mailbox.fault = 'Locked.';
  await deployed(`every: 2h\n${input}`, workflow);
  await orchestrator.poll(workflow);
  expect(await isDue()).toBe(false);
  await deployed(`every: 3h\n${input}`, workflow);
  expect(await isDue()).toBe(true);
});

test('A run that the concurrency limit rejects leaves its item for the next poll.', async () => {
  const workflow = await deployed(input);
  const text = `workflow: ${workflow}
on: [{ poll: mail/search, items: result.output.messages, key: item.id, start: all, ${input} }]
concurrency: { limit: 1, whenFull: reject }
inputs: { subject: {} }
steps: [{ set: { a: 1 } }]
`;
  await deployWorkflow(store, { workflow, definition: definitionOf(text, 'yaml', {}), findings: [], by: 'test' });
  mailbox.messages = mails('a', 'b', 'c');
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 1, left: 2 });
  expect(await subjectsOf(workflow)).toHaveLength(1);
});

test('Another key of items begins anew, and so does a poll that a person resets; a paused workflow is not polled.', async () => {
  const workflow = await deployed(input);
  mailbox.messages = mails('a', 'b');
  await orchestrator.poll(workflow);
  await deployed(input, workflow, 'item.subject');
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ passedOver: 2, started: 0 });
  expect(await countKeys(store, [nameOf(workflow)])).toEqual(new Map([[nameOf(workflow), 2]]));
  await resetPoll(store, named(workflow, 'mail/search item.subject'), { begins: 'all', by: 'test' });
  expect(await answered(orchestrator.poll(workflow))).toMatchObject({ started: 2 });
  const before = mailbox.searches.length;
  await pauseWorkflow(store, workflow, 'test');
  expect(await orchestrator.poll(workflow)).toEqual({ kind: 'paused' });
  expect(mailbox.searches.length).toBe(before);
});

test('The arguments of a poll may hold secrets, which nothing of its outcome shows.', async () => {
  const value = 'correct-horse-battery';
  await putSecret(store, new Vault(testSecretKey), { name: 'MAIL_TOKEN', value, by: 'test' });
  const workflow = await deployed('with: { token: "${{ secrets.MAIL_TOKEN }}" }\n' + input);
  mailbox.fault = 'No mailbox for correct-horse-battery.';
  const polled = await orchestrator.poll(workflow);
  expect(mailbox.searches.at(-1)).toEqual({ token: 'correct-horse-battery' });
  expect(JSON.stringify(polled)).toMatch(/No mailbox for/);
  expect(JSON.stringify([polled, await readPolls(store, [nameOf(workflow)])])).not.toContain('horse');
});

test('A server that exists for some workflows answers the polls of these, and of no others.', async () => {
  const entry = { ...mailbox.entry, baton: { allow: ['team/*'] } };
  const held = new PollingOrchestrator(store, { ...mailbox, entry });
  onTestFinished(() => held.end());
  const [ours, theirs] = [await deployed(input, 'team/mails'), await deployed(input)];
  expect(await held.poll(ours)).toMatchObject({ kind: 'answered' });
  expect(await held.poll(theirs)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('No server') });
});

test('One orchestrator polls each trigger when it is due, and another one when that one has ended.', async () => {
  const workflow = await deployed(`every: 1h\nstart: all\n${input}`);
  mailbox.messages = mails('a');
  const [first, second] = [another(), another()];
  onTestFinished(() => second.end());
  await first.poller.tick();
  await first.poller.idle();
  await second.poller.tick();
  const searches = mailbox.searches.length;
  await store.pool.query(`update poll set next_at = now() where name = $1`, [nameOf(workflow)]);
  await second.poller.tick();
  await second.poller.idle();
  expect(mailbox.searches.length).toBe(searches);
  await first.end();
  await expect
    .poll(async () => {
      await second.poller.tick();
      await second.poller.idle();
      return mailbox.searches.length;
    })
    .toBeGreaterThan(searches);
  expect(await subjectsOf(workflow)).toEqual(['mail a']);
});
