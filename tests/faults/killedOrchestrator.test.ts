/**
 * Orchestrators that are killed with SIGKILL while they poll and while they follow runs. The mailbox lies; its ledger, and
 * that of the runs that ended, waited or spent, say which runs there have to be. No process drives runs.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';

import { advance, requested } from '@baton/runner';
import { type Store, openStore } from '@baton/store';
import { type EventServer, type Mailbox, startEventServer, startMailbox, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation, isAlive } from '../installation.ts';

let mailbox: Mailbox;
let events: EventServer;
let posting: EventServer;
let streaming: EventServer;
let baton: Installation;
let store: Store;

beforeAll(async () => {
  mailbox = await startMailbox();
  [events, posting, streaming] = await Promise.all([startEventServer(), startEventServer(), startEventServer()]);
  posting.delivery = ['webhook'];
  streaming.delivery = ['push'];
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const publicUrl = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const env = { BATON_SECRET_KEY: testSecretKey.toString('base64'), BATON_PUBLIC_URL: publicUrl };
  baton = await Installation.start({
    servers: { mail: mailbox.entry, github: events.entry, crm: posting.entry, desk: streaming.entry },
    workers: 0,
    orchestrators: 2,
    env,
  });
  store = openStore({ url: baton.databaseUrl, secretKey: testSecretKey });
});

afterAll(async () => {
  await store.close();
  await baton.stop();
  door.closeAllConnections();
  door.close();
  await Promise.all([mailbox.close(), events.close(), posting.close(), streaming.close()]);
});

/** The public address: whichever orchestrator lives. */
const door = createServer((request, response) => {
  const passed = async (): Promise<void> => {
    const headers = Object.entries(request.headers).filter(([name]) => /^(webhook-.*|content-type)$/.test(name));
    const init = { method: 'POST', headers: headers as [string, string][], body: await text(request) };
    const answered = await fetch(`${baton.url}${request.url}`, init);
    response.writeHead(answered.status).end(await answered.text());
  };
  passed().catch(() => response.writeHead(502).end('{}'));
});

/** Kills the orchestrator that the API is asked at. */
async function killOne(): Promise<void> {
  await baton.orchestrators.findLast(({ child }) => isAlive(child))?.kill('SIGKILL');
}

/** Undefined: the orchestrator died meanwhile. */
async function pollNow(poll: string): Promise<{ readonly left?: number; readonly outcome?: unknown } | undefined> {
  try {
    const { body } = await baton.api('POST', `/v1/polls/${encodeURIComponent(poll)}/poll`);
    return { outcome: body['outcome'], ...(body['found'] as object) };
  } catch {
    return undefined;
  }
}

/** Resolves while a transaction is open that writes runs for a row of this table. */
async function runsAreWrittenFor(table: 'poll' | 'run_cursor' | 'run_notice' | 'run_watch'): Promise<void> {
  const text = `select from pg_locks one join pg_locks other using (pid, database)
    where one.relation = 'run'::regclass and one.mode = 'RowExclusiveLock' and other.relation = $1::regclass
    and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(async () => (await store.pool.query(text, [table])).rowCount, { interval: 5 }).toBeGreaterThan(0);
}

const valuesOf = async (workflow: string, name: string): Promise<string[]> => {
  const rows = await store.pool.query<{ value: string }>(
    `select inputs->'json'->>$2 as value from run where workflow = $1`,
    [workflow, name],
  );
  return rows.rows.map(({ value }) => value).toSorted((a, b) => a.localeCompare(b));
};

const sorted = (texts: readonly string[]): string[] => texts.toSorted((a, b) => a.localeCompare(b));

const mails = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => ({ id: from + n, subject: `mail ${from + n}` }));

const workflow = `workflow: team/mails
state: { cursor: { type: string, default: "" } }
on:
  - poll: mail/search
    id: p
    every: 10s
    start: all
    with: { after: "\${{ state.cursor }}" }
    items: result.output.messages
    key: item.id
    state: { cursor: "\${{ result.output.?next.orValue(state.cursor) }}" }
    inputs: { subject: "\${{ item.subject }}" }
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`;

test('Each item of a mailbox that lies starts one run, and none is lost, whenever an orchestrator that polls is killed.', async () => {
  const all = mails(0, 1_120);
  let arrived = 1_100;
  let lies = 0;
  mailbox.onSearch = (asked) => {
    const after = Number((asked as { readonly after?: string }).after ?? '');
    lies += 1;
    mailbox.fault = lies % 4 === 3 ? 'The mailbox is away.' : undefined;
    const fresh = all.slice(after, arrived);
    // In another order, with items from before, and twice.
    mailbox.messages = [...fresh.toReversed(), ...all.slice(Math.max(0, after - 20), after), ...fresh.slice(0, 5)];
    mailbox.next = lies % 3 === 2 ? undefined : `${arrived}`;
  };
  await baton.deploy(workflow);
  const polled = pollNow('team/mails.p');
  await runsAreWrittenFor('poll');
  await killOne();
  await polled;
  for (;;) {
    const later = await pollNow('team/mails.p');
    const cursor = (await baton.api('GET', '/v1/workflows/team~mails/state')).body['values'];
    const isAtEnd = JSON.stringify(cursor).includes(`"value":"${arrived}"`);
    if (!isAtEnd || later?.outcome !== 'answered') continue;
    if (arrived === all.length) break;
    arrived += 10;
  }
  expect(await valuesOf('team/mails', 'subject')).toEqual(sorted(all.map(({ subject }) => subject)));
});

test('Each event of a server that repeats, reorders and fails starts one run, and none is lost, whenever an orchestrator that asks is killed.', async () => {
  await baton.startOrchestrator();
  await baton.deploy(`workflow: team/issues
on:
  - event: github/issue.opened
    id: e
    params: { repo: acme/shop }
    inputs: { subject: "\${{ event.title }}" }
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`);
  while ((await pollNow('team/issues.e'))?.outcome !== 'answered') continue;
  const titles = Array.from({ length: 1_120 }, (_, n) => `issue ${n}`);
  events.log.push(...titles.map((title) => ({ eventId: title, data: { title } })));
  let lies = 0;
  events.onPoll = (_, page) => {
    lies += 1;
    events.fault = lies % 4 === 2 ? { code: -32_603, message: 'The events are away.' } : undefined;
    const { events: sent, cursor } = page as { readonly events: readonly object[]; readonly cursor: string };
    // In another order, with events from before, and twice.
    const before = events.log.slice(Math.max(0, Number(cursor) - 1_020), Number(cursor) - 1_000);
    return { ...page, events: [...sent.toReversed(), ...before, ...sent.slice(0, 5)] };
  };
  const polled = pollNow('team/issues.e');
  await runsAreWrittenFor('poll');
  await killOne();
  await polled;
  const isAtEnd = async (): Promise<boolean> => {
    const text = `select from poll where name = 'team/issues.e' and cursor = '1120'`;
    return (await store.pool.query(text)).rowCount === 1;
  };
  while (!(await isAtEnd())) {
    events.fault = undefined;
    await pollNow('team/issues.e');
  }
  expect(await valuesOf('team/issues', 'subject')).toEqual(sorted(titles));
});

test('Each event that a server posts until it is taken starts one run, whenever an orchestrator that takes them is killed.', async () => {
  await baton.startOrchestrator();
  await baton.deploy(`workflow: team/leads
on: [{ event: crm/issue.opened, id: e, params: { repo: a }, inputs: { subject: "\${{ event.title }}" } }]
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`);
  while ((await pollNow('team/leads.e'))?.outcome !== 'answered') continue;
  const titles = Array.from({ length: 120 }, (_, n) => `lead ${n}`);
  const delivered = titles.map(async (title) => {
    const event = { eventId: title, name: 'issue.opened', data: { title }, cursor: '1' };
    while ((await posting.post(event)).status >= 300) await setImmediate();
    // It is sent again, as if the answer had been lost.
    while ((await posting.post(event)).status >= 300) await setImmediate();
  });
  await runsAreWrittenFor('poll');
  await killOne();
  await Promise.all(delivered);
  expect(await valuesOf('team/leads', 'subject')).toEqual(sorted(titles));
  expect((await posting.post({ eventId: 'forged' }, { secret: 'whsec_' + 'A'.repeat(43) + '=' })).status).toBe(401);
});

test('Each event of a stream that repeats, breaks and has gaps starts one run, and none is lost, whenever an orchestrator that reads it is killed.', async () => {
  await baton.startOrchestrator();
  await baton.deploy(`workflow: team/calls
on:
  - event: desk/issue.opened
    id: e
    params: { repo: a }
    onGap: run
    inputs: { subject: "\${{ event.?title.orValue('gap') }}" }
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`);
  await expect.poll(() => streaming.streams.size).toBeGreaterThan(0);
  streaming.onStream = ({ params }) => [params, ...streaming.log.slice(-3), params];
  const titles = Array.from({ length: 1_120 }, (_, n) => `call ${n}`);
  const happen = (from: number, to: number): void =>
    streaming.happen(...titles.slice(from, to).map((title) => ({ eventId: title, data: { title } })));
  const killed = runsAreWrittenFor('poll').then(killOne);
  happen(0, 600);
  await killed;
  happen(600, 700);
  const isWritten = async (cursor: string): Promise<boolean> => {
    const text = `select from poll where name = 'team/calls.e' and cursor = $1`;
    return (await store.pool.query(text, [cursor])).rowCount === 1;
  };
  await expect.poll(() => isWritten('700')).toBe(true);
  happen(700, 900);
  streaming.streams.break();
  happen(900, titles.length);
  await expect.poll(() => isWritten('1120')).toBe(true);
  expect(await valuesOf('team/calls', 'subject')).toEqual(sorted(titles));
  streaming.streams.break();
  await expect.poll(() => streaming.streams.size).toBe(0);
  streaming.happen({ eventId: 'lost', data: { title: 'lost' } });
  streaming.lost = streaming.log.length;
  await expect.poll(() => valuesOf('team/calls', 'subject')).toEqual(sorted([...titles, 'gap']));
  expect(streaming.polls).toEqual([]);
});

/** Runs of the deployed workflow, as if they had been accepted. */
async function accepted(workflow: string, count: number): Promise<string[]> {
  const { definition, version } = (await store.findVersion({ workflow })) ?? { definition: '' };
  const order = { workflow, version, definition, inputs: {}, trigger: { kind: 'api' }, by: 'test' } as const;
  const requests = Array.from({ length: count }, () => store.request(requested(order, Date.now())));
  return (await Promise.all(requests)).map(({ runId }) => runId);
}

const claimed = (at: number) => ({ type: 'run.claimed' as const, at, worker: 'w', claim: 1 });

/** Deploys a workflow that is started for others, and resolves when the orchestrators follow them. */
async function deployAlert(workflow: string, on: string): Promise<void> {
  await baton.deploy(`workflow: ${workflow}
on: [{ run: { ${on} }, inputs: { run: "\${{ event.run }}" } }]
inputs: { run: { type: string } }
steps: [{ set: { a: 1 } }]
`);
  // The first look that knows of it has passed when another one, after it, has.
  const position = async (): Promise<unknown> => (await store.pool.query('select position from run_cursor')).rows[0];
  for (let looks = 0; looks < 2; looks += 1) {
    const before = await position();
    await accepted('nothing', 1);
    await expect.poll(position).not.toEqual(before);
  }
}

test('Each of a thousand runs that fail starts one run of an alert, with two orchestrators of which one is killed midway.', async () => {
  await baton.startOrchestrator();
  for (const name of ['pay', 'nothing']) await baton.deploy(`workflow: ${name}\nsteps: [{ set: { a: 1 } }]\n`);
  await deployAlert('alert', 'workflow: pay');
  const failed = await accepted('pay', 1_000);
  const failing = failed.map((runId) =>
    advance(store.journal, runId, ({ at }) => [
      claimed(at),
      { type: 'run.finished', at, status: 'failed', failure: { code: 'timeout', message: 'Too slow.' } },
    ]),
  );
  await runsAreWrittenFor('run_cursor');
  await killOne();
  await Promise.all(failing);
  await expect.poll(async () => (await valuesOf('alert', 'run')).length).toBe(failed.length);
  expect(await valuesOf('alert', 'run')).toEqual(sorted(failed));
});

test('Each of many runs that spend their budget, and each that waits for long, starts one run, whenever an orchestrator that starts them is killed.', async () => {
  await baton.startOrchestrator();
  await baton.deploy('workflow: dear\nbudget: { toolCalls: 2 }\nsteps: [{ set: { a: 1 } }]\n');
  await baton.deploy('workflow: form\nsteps: [{ set: { a: 1 } }]\n');
  await deployAlert('spent', 'workflow: dear, budget: 50%');
  await deployAlert('slow', 'workflow: form, waiting: 10s');
  const spending = await accepted('dear', 150);
  const call = { verb: 'tool', server: 's', tool: 't', arguments: { json: {} }, effect: 'read' } as const;
  // In the order of the engine: statements read the text of events.
  const stepAt = (at: number, path: string) =>
    ({ type: 'step.started', at, path, verb: 'tool', attempt: 1, call }) as const;
  const spent = spending.map(async (runId) => {
    await advance(store.journal, runId, ({ at }) => [claimed(at), stepAt(at, 'one')]);
    await advance(store.journal, runId, ({ at }) => [stepAt(at, 'two')]);
  });
  await runsAreWrittenFor('run_notice');
  await killOne();
  await Promise.all(spent);
  await expect.poll(async () => (await valuesOf('spent', 'run')).length).toBe(spending.length);
  await baton.startOrchestrator();
  const waiting = await accepted('form', 150);
  const wait = (runId: string) => advance(store.journal, runId, ({ at }) => [claimed(at), { type: 'run.waiting', at }]);
  await Promise.all(waiting.map(wait));
  await runsAreWrittenFor('run_watch');
  await killOne();
  await expect.poll(async () => (await valuesOf('slow', 'run')).length).toBe(waiting.length);
  expect(await valuesOf('spent', 'run')).toEqual(sorted(spending));
  expect(await valuesOf('slow', 'run')).toEqual(sorted(waiting));
});
