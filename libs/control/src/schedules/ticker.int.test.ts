import type { RunEvent } from '@baton/engine';
import { advance, type Clock } from '@baton/runner';
import {
  type Store,
  definitionOf,
  deployWorkflow,
  deleteWorkflow,
  getRun,
  getSchedule,
  lastRefusals,
  listEntries,
  listFirings,
  listRuns,
  openStore,
  queueFirings,
} from '@baton/store';
import { type FreshStore, freshStore, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { QueueBacklog } from '../intake/backlog.ts';
import { type TestTickerOptions, failed, HandClock, testTicker } from '../testing/testTicker.ts';
import type { Ticker } from './ticker.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

/** What was counted and logged, since the test began. */
let counted: string[] = [];
let logged: (readonly string[])[] = [];
beforeEach(() => {
  counted = [];
  logged = [];
});
const httpMetrics = {
  fired: (cause: string, outcome: string, lateMs: number): void => void counted.push(`${cause} ${outcome} ${lateMs}`),
  passedOver: (): void => void counted.push('passed over'),
};

function ticker(clock: Clock, on: Store = store, more: TestTickerOptions = {}): Ticker {
  const onRefused = (id: string, at: number, reason: string): void =>
    void logged.push([id, new Date(at).toISOString(), reason]);
  return testTicker(clock, on, { ...more, onRefused, httpMetrics });
}

/** Another process, as far as Postgres can tell. */
function another(clock: Clock): Ticker {
  const other = openStore({ url: store.url, secretKey: testSecretKey });
  onTestFinished(() => other.close());
  return ticker(clock, other);
}

let workflows = 0;

async function deployed(on: string, inputs = ''): Promise<{ workflow: string; id: string }> {
  workflows += 1;
  const workflow = `scheduled-${workflows}`;
  await deployAs(workflow, on, inputs);
  return { workflow, id: `${workflow}.schedule-1` };
}

async function deployAs(workflow: string, on: string, inputs = ''): Promise<void> {
  const text = `workflow: ${workflow}\non:\n  - ${on}\n${inputs}steps:\n  - set: { a: 1 }\n`;
  await deployWorkflow(store, { workflow, definition: definitionOf(text, 'yaml', {}), findings: [], by: 'test' });
}

const hour = 3_600_000;

async function endAll(workflow: string): Promise<void> {
  const { runs } = await listRuns(store, { workflow, statuses: ['queued'] }, { limit: 100 });
  for (const { id } of runs) {
    await advance(store.journal, id, ({ at, claim }): RunEvent[] => [
      { type: 'run.claimed', at, worker: 'w1', claim: claim + 1 },
      { type: 'run.finished', at, status: 'succeeded' },
    ]);
  }
}

const outcomes = async (id: string): Promise<string[]> =>
  (await listFirings(store, id, 100))
    .toReversed()
    .map(({ instant, outcome }) => `${new Date(instant).toISOString().slice(11, 16)} ${outcome}`);

describe('a schedule', () => {
  test('tries again where too many runs wait, and fires for its instant when there is room', async () => {
    const clock = new HandClock();
    const { id } = await deployed('{ schedule: "0 * * * *" }');
    const backlog = new QueueBacklog({ count: async () => 0, clock, most: 1, onTrouble: failed });
    const full = ticker(clock, store, { backlog });
    await full.tick();
    clock.at += hour;
    backlog.add();
    await expect(full.tick()).rejects.toThrow('1 runs wait for a worker');
    expect(await outcomes(id)).toEqual([]);
    // The next count found room.
    await full.tick();
    expect(await outcomes(id)).toEqual(['13:00 started']);
  });

  test('A schedule about which nothing can be decided holds up no other', async () => {
    const clock = new HandClock();
    const broken = await deployed('{ schedule: "0 * * * *" }');
    const { id } = await deployed('{ schedule: "0 * * * *" }');
    const told: string[] = [];
    const one = ticker(clock, store, { onTrouble: ({ message }, what) => told.push(`${what}: ${message}`) });
    await one.tick();
    await store.pool.query(`update schedule set cron = 'rubbish' where id = $1`, [broken.id]);
    await store.pool.query(`update schedule set next_at = next_at - interval '1 second' where id = $1`, [broken.id]);
    clock.at += hour;
    // It does not hasten the next pass either.
    expect(await one.tick()).toBeGreaterThan(1_000);
    await one.tick();
    expect(told).toEqual([expect.stringMatching(`^schedules .${broken.id}.: .*rubbish`)]);
    expect([await outcomes(broken.id), await outcomes(id)]).toEqual([[], ['13:00 started']]);
    await deleteWorkflow(store, broken.workflow, 'test');
  });

  test('A schedule whose times take long to decide holds up no other one, and starts each of its times in the end', async () => {
    const clock = new HandClock();
    const slow = await deployed('{ schedule: "* * * * *", overlap: allow, catchUp: all }');
    const { id } = await deployed('{ schedule: "0 * * * *" }');
    await ticker(clock).tick();
    clock.at += hour;
    let readings = 0;
    const one = ticker({ now: clock.now, after: clock.after, monotonic: () => (readings += 1) * 1_000 });
    // The rest is due at once.
    expect(await one.tick()).toBeLessThan(1_000);
    expect(await outcomes(id)).toEqual(['13:00 started']);
    const first = await outcomes(slow.id);
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(60);
    for (let ticks = 0; ticks < 60 && (await outcomes(slow.id)).length < 60; ticks += 1) await one.tick();
    expect((await outcomes(slow.id)).filter((outcome) => outcome.endsWith('started'))).toHaveLength(60);
    await deleteWorkflow(store, slow.workflow, 'test');
  });

  test('A schedule whose instants may start is found behind a hundred that wait for long runs', async () => {
    const clock = new HandClock();
    const { workflow, id } = await deployed('{ schedule: "0 * * * *", overlap: queue }');
    const one = ticker(clock);
    await one.tick();
    await store.pool.query(
      `insert into schedule (id, workflow, version, trigger, cron, timezone, overlap, catch_up, catch_up_window_ms)
         select 'a' || n, workflow, version, trigger, cron, timezone, overlap, catch_up, catch_up_window_ms
         from schedule, generate_series(1, 100) as n where id = $1`,
      [id],
    );
    await store.pool.query(
      `insert into firing (schedule, instant, outcome, cause, by)
       select id, now(), 'queued', 'due', 'test' from schedule where workflow = $1`,
      [workflow],
    );
    await store.pool.query(
      `insert into run (id, workflow, definition, status, trigger_kind, trigger_detail, by, tags, priority, depth, inputs, created_at)
       select gen_random_uuid(), workflow, 'd', 'queued', 'schedule', json_build_object('schedule', id), 'x', '{}', 0, 0, '{}', now()
       from schedule where workflow = $1 and id <> $2`,
      [workflow, id],
    );
    for (let ticks = 0; ticks < 3; ticks += 1) await one.tick();
    expect(await listFirings(store, id, 1)).toMatchObject([{ outcome: 'started' }]);
    await store.pool.query('delete from run where workflow = $1', [workflow]);
    await deleteWorkflow(store, workflow, 'test');
  });

  test('is left to others by a process whose clock is wrong, and waits where there is no other', async () => {
    const clock = new HandClock();
    const { id } = await deployed('{ schedule: "0 * * * *" }');
    let why: string | undefined;
    const wrong = ticker(clock, store, { refusal: () => why });
    await wrong.tick();
    clock.at += hour;
    why = 'The clock of this machine is wrong.';
    await expect(wrong.tick()).rejects.toThrow(why);
    expect(await outcomes(id)).toEqual([]);
    await ticker(clock).tick();
    expect(await outcomes(id)).toEqual(['13:00 started']);
  });

  test('starts a run at its instant, with the inputs that it says', async () => {
    const clock = new HandClock();
    const { workflow, id } = await deployed(
      '{ schedule: "0 * * * *", inputs: { org: acme, at: "${{ event.instant }}" } }',
      'inputs: { org: { type: string }, at: { type: string } }\n',
    );
    const one = ticker(clock);
    await one.tick();
    expect((await listRuns(store, { workflow }, { limit: 10 })).runs).toEqual([]);
    clock.at += hour;
    await one.tick();
    await one.tick();
    const { runs } = await listRuns(store, { workflow }, { limit: 10 });
    expect(runs).toMatchObject([
      {
        inputs: { json: { org: 'acme', at: '2030-03-30T13:00:00.000Z' } },
        trigger: { kind: 'schedule', detail: { schedule: id, instant: '2030-03-30T13:00:00.000Z' } },
      },
    ]);
    expect(await listFirings(store, id, 10)).toMatchObject([{ outcome: 'started', runId: runs[0]?.id, cause: 'due' }]);
  });

  test('fires each instant once over the night on which clocks change, with several orchestrators of which some die', async () => {
    const clock = new HandClock();
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
    const all = await Promise.all(
      zones.map((zone) => deployed(`{ schedule: "30 * * * *", timezone: "${zone}", overlap: allow, catchUp: all }`)),
    );
    const living = [ticker(clock), another(clock), another(clock)];
    await living[0]?.tick();
    for (let hours = 0; hours < 24; hours += 1) {
      clock.at += hour;
      await Promise.all(living.map((one) => one.tick()));
      // A new process takes the place of one.
      if (hours % 8 === 0) living[hours % 3] = another(clock);
    }
    for (const { workflow, id } of all) {
      const { runs } = await listRuns(store, { workflow }, { limit: 100 });
      const instants = runs.map(({ trigger }) => trigger.detail?.['instant']);
      expect(runs).toHaveLength(24);
      expect(new Set(instants).size).toBe(24);
      expect(await listFirings(store, id, 100)).toHaveLength(24);
    }
  });

  test.each([
    ['a gap', '30 2 * * *', 'Europe/Berlin', '2030-03-30T12:00Z', ['03-31T01:00']],
    ['a fold', '30 2 * * *', 'Europe/Berlin', '2030-10-26T12:00Z', ['10-27T00:30']],
    [
      'a fold, every half hour',
      '*/30 1-3 * * *',
      'Europe/Berlin',
      '2030-10-26T11:00Z',
      // 01:00 and 01:30, 02:00 and 02:30 twice, 03:00 and 03:30.
      ['26T23:00', '26T23:30', '27T00:00', '27T00:30', '27T01:00', '27T01:30', '27T02:00', '27T02:30'].map(
        (at) => `10-${at}`,
      ),
    ],
    ['a gap of half an hour', '15 2 * * *', 'Australia/Lord_Howe', '2030-10-05T03:00Z', ['10-05T15:30']],
    ['a fold of half an hour', '45 1 * * *', 'Australia/Lord_Howe', '2030-04-06T03:00Z', ['04-06T14:45']],
    ['a day without midnight', '0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00Z', ['11-04T03:00']],
    ['a day that was left out', '0 12 * * *', 'Pacific/Apia', '2011-12-29T12:00Z', ['12-29T22:00', '12-30T22:00']],
    ['a leap day', '0 12 29 2 *', 'Asia/Kathmandu', '2028-02-28T12:00Z', ['02-29T06:15']],
    ['a year without one', '0 12 29 2 *', 'Asia/Kathmandu', '2030-02-28T00:00Z', []],
  ])('fires each instant once over %s: %s in %s', async (_, cron, timezone, from, expected) => {
    const clock = new HandClock();
    clock.at = Date.parse(from);
    const { workflow, id } = await deployed(
      `{ schedule: "${cron}", timezone: "${timezone}", overlap: allow, catchUp: all }`,
    );
    const living = [ticker(clock), another(clock)];
    await living[0]?.tick();
    const year = from.slice(0, 4);
    const last = expected.at(-1);
    // A day and a half where nothing is to fire; else two hours longer than something is.
    const until = last === undefined ? clock.at + 36 * hour : Date.parse(`${year}-${last}Z`) + 2 * hour;
    for (let hours = 0; clock.at < until; hours += 1) {
      clock.at += hour;
      await Promise.all(living.map((one) => one.tick()));
      // One dies, and another comes.
      if (hours % 8 === 0) living[(hours / 8) % 2] = another(clock);
    }
    const instants = expected.map((at) => `${year}-${at}:00.000Z`);
    const { runs } = await listRuns(store, { workflow }, { limit: 100 });
    expect(runs).toHaveLength(instants.length);
    expect(new Set(runs.map(({ trigger }) => trigger.detail?.['instant']))).toEqual(new Set(instants));
    expect(
      (await listFirings(store, id, 100)).map(({ instant }) => new Date(instant).toISOString()).toSorted(),
    ).toEqual(instants);
    await deleteWorkflow(store, workflow, 'test');
  });

  test('A schedule at one time fires once, with several orchestrators, after a time without any, and in later versions', async () => {
    const clock = new HandClock();
    const at = 'at: 2030-03-30T15:00, timezone: Europe/Berlin';
    const { workflow, id } = await deployed(`{ ${at} }`);
    await ticker(clock).tick();
    // Nothing runs at that time. It is caught up with, as far back as a day.
    clock.at += 5 * hour;
    await Promise.all([another(clock).tick(), another(clock).tick(), ticker(clock).tick()]);
    await deployAs(workflow, `{ ${at}, overlap: allow }`);
    await deployAs(workflow, `{ ${at}, id: once }`);
    clock.at += 5 * hour;
    await another(clock).tick();
    expect(await listFirings(store, `${workflow}.once`, 10)).toMatchObject([
      { instant: Date.parse('2030-03-30T14:00:00Z'), outcome: 'started', cause: 'late' },
    ]);
    expect((await listRuns(store, { workflow }, { limit: 10 })).runs).toHaveLength(1);
    expect(await getSchedule(store, id)).toMatchObject({ id: `${workflow}.once`, nextAt: undefined });
  });

  test('A schedule in intervals never drifts, however late orchestrators are, and over a change of clocks', async () => {
    const clock = new HandClock();
    const { id } = await deployed('{ every: 90m, timezone: Europe/Berlin, from: 2030-03-30T13:30, overlap: allow }');
    await ticker(clock).tick();
    for (let minute = 1; minute < 24 * 60; minute += 1) {
      clock.at += 60_000;
      // Each is half a minute late at most; and one process takes the place of another.
      if (minute % 90 === 30) await another(clock).tick();
    }
    const instants = (await listFirings(store, id, 100)).map(({ instant }) => instant).toReversed();
    const first = Date.parse('2030-03-30T12:30:00Z');
    expect(instants).toEqual(Array.from({ length: 16 }, (_, n) => first + n * 90 * 60_000));
  });

  test('that was decided about and not written down is found started', async () => {
    const clock = new HandClock();
    const { workflow, id } = await deployed('{ schedule: "0 * * * *" }');
    const one = ticker(clock);
    await one.tick();
    clock.at += hour;
    await one.tick();
    const [firing] = await listFirings(store, id, 1);
    // As if the process had died between the run and its note of it.
    await store.pool.query('delete from firing where schedule = $1', [id]);
    await store.pool.query('update schedule set next_at = $2 where id = $1', [id, new Date(clock.at)]);
    await another(clock).tick();
    expect(await listFirings(store, id, 10)).toEqual([firing]);
    expect((await listRuns(store, { workflow }, { limit: 10 })).runs).toHaveLength(1);
  });
});

describe('while the run before is not over', () => {
  async function threeHours(overlap: string) {
    const clock = new HandClock();
    const { workflow, id } = await deployed(`{ schedule: "0 * * * *", overlap: ${overlap} }`);
    const one = ticker(clock);
    await one.tick();
    for (let hours = 0; hours < 3; hours += 1) {
      clock.at += hour;
      await one.tick();
    }
    const { runs } = await listRuns(store, { workflow }, { limit: 10 });
    return { one, id, workflow, runs: runs.toReversed() };
  }

  test('the next instant is skipped', async () => {
    const { id } = await threeHours('skip');
    expect(await outcomes(id)).toEqual(['13:00 started', '14:00 skipped', '15:00 skipped']);
  });

  test('the next instant starts all the same', async () => {
    const { id } = await threeHours('allow');
    expect(await outcomes(id)).toEqual(['13:00 started', '14:00 started', '15:00 started']);
  });

  test('the next instants wait, in order', async () => {
    const { one, id, workflow } = await threeHours('queue');
    expect(await outcomes(id)).toEqual(['13:00 started', '14:00 queued', '15:00 queued']);
    expect(counted).toContain('due queued 0');
    await endAll(workflow);
    await one.tick();
    expect(await outcomes(id)).toEqual(['13:00 started', '14:00 started', '15:00 queued']);
    expect(counted).toContain(`due started ${hour}`);
    await endAll(workflow);
    await one.tick();
    expect(await outcomes(id)).toEqual(['13:00 started', '14:00 started', '15:00 started']);
  });

  test('the run before is asked to stop', async () => {
    const { id, runs } = await threeHours('replace');
    expect(await outcomes(id)).toEqual(['13:00 started', '14:00 started', '15:00 started']);
    const states = await Promise.all(runs.map(async (run) => (await getRun(store, run.id))?.isCancelling));
    expect(states).toEqual([true, true, false]);
  });
});

describe('instants that were missed', () => {
  test.each([
    ['none', ['16:00 started'], 'passed over'],
    ['latest', ['16:00 started'], 'passed over'],
    ['all', ['13:00 started', '14:00 started', '15:00 started', '16:00 started'], `late started ${3 * hour}`],
  ])('catchUp: %s', async (catchUp, expected, count) => {
    const clock = new HandClock();
    const { id } = await deployed(`{ schedule: "0 * * * *", overlap: allow, catchUp: ${catchUp} }`);
    const one = ticker(clock);
    await one.tick();
    clock.at += 4 * hour;
    await one.tick();
    expect(await outcomes(id)).toEqual(expected);
    expect(counted).toEqual(expect.arrayContaining(['due started 0', count]));
  });

  test('are made up for one after another, and not twice', async () => {
    const clock = new HandClock();
    const { id, workflow } = await deployed('{ schedule: "0 * * * *" }');
    const one = ticker(clock);
    await one.tick();
    clock.at += hour;
    await one.tick();
    const instants = [-2, -1, 0].map((hours) => clock.at + hours * hour);
    expect(await queueFirings(store, id, { instants, by: 'ada' })).toEqual(instants.slice(0, 2));
    await one.tick();
    expect(await outcomes(id)).toEqual(['11:00 queued', '12:00 queued', '13:00 started']);
    for (let left = 2; left > 0; left -= 1) {
      await endAll(workflow);
      await one.tick();
    }
    expect(await outcomes(id)).toEqual(['11:00 started', '12:00 started', '13:00 started']);
  });
});

describe('a deployment', () => {
  test('changes the schedules, and leaves alone what stays the same', async () => {
    const clock = new HandClock();
    const { workflow, id } = await deployed('{ schedule: "0 * * * *" }');
    const one = ticker(clock);
    await one.tick();
    const first = await getSchedule(store, id);
    clock.at += 1_800_000;
    await deployAs(workflow, '{ schedule: "0 * * * *", overlap: allow }');
    await one.tick();
    expect(await getSchedule(store, id)).toMatchObject({ version: 2, overlap: 'allow', nextAt: first?.nextAt });
    await deployAs(workflow, '{ schedule: "15 * * * *" }');
    await one.tick();
    expect(await getSchedule(store, id)).toMatchObject({ version: 3, nextAt: Date.parse('2030-03-30T13:15:00Z') });
    await deleteWorkflow(store, workflow, 'ada');
    await one.tick();
    expect(await getSchedule(store, id)).toBeUndefined();
  });

  test('that gives a schedule a name repeats none of its instants, and still sees its last run', async () => {
    const clock = new HandClock();
    const { workflow, id } = await deployed('{ schedule: "0 * * * *" }');
    const one = ticker(clock);
    await one.tick();
    clock.at += hour;
    await one.tick();
    await deployAs(workflow, '{ schedule: "0 * * * *", id: hourly }');
    // As if the process had died between the run and its note of it.
    await store.pool.query('update schedule set next_at = $2 where id = $1', [id, new Date(clock.at)]);
    await store.pool.query('delete from firing where schedule = $1', [id]);
    await one.tick();
    const hourly = `${workflow}.hourly`;
    expect(await outcomes(hourly)).toEqual(['13:00 started']);
    clock.at += hour;
    await one.tick();
    expect(await outcomes(hourly)).toEqual(['13:00 started', '14:00 skipped']);
    expect((await listRuns(store, { workflow }, { limit: 10 })).runs).toHaveLength(1);
    expect((await listEntries(store, { target: hourly }, { limit: 9 })).entries).toMatchObject([
      { action: 'schedule.renamed', detail: JSON.stringify({ before: id }) },
    ]);
  });

  test('with inputs that cannot be made is told so at each instant', async () => {
    const clock = new HandClock();
    const { id } = await deployed(
      '{ schedule: "0 * * * *", inputs: { n: "${{ event.nothing }}" } }',
      'inputs: { n: { type: integer } }\n',
    );
    const one = ticker(clock);
    await one.tick();
    clock.at += hour;
    await one.tick();
    expect(await outcomes(id)).toEqual(['13:00 refused']);
    clock.at += hour;
    await one.tick();
    const reason = expect.stringContaining('nothing') as string;
    expect(logged).toEqual([
      [id, '2030-03-30T13:00:00.000Z', reason],
      [id, '2030-03-30T14:00:00.000Z', reason],
    ]);
    expect((await lastRefusals(store, [id])).get(id)).toEqual({ instant: clock.at, reason });
    const { entries } = await listEntries(store, { target: id, action: 'schedule.refused' }, { limit: 9 });
    expect(entries.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([
      { instant: '2030-03-30T13:00:00.000Z', reason },
    ]);
  });
});
