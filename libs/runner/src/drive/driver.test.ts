/** Real drives, on a journal whose commits may be lost, make every move of the table and no other. */
import { type Run, type RunEvent, type Value, replay } from '@baton/engine';
import { Semaphore } from '@baton/primitives';
import { MemoryJournal, planOf, requestedEvent, testPorts, textResult, type AppendFate } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import type { Ports } from '../drivePorts.ts';
import { systemClock } from '../ports/clock.ts';
import { UnavailableError } from '../ports/journal.ts';
import { advance } from '../record/advance.ts';
import { RecentActivity } from '../sharing/recentActivity.ts';
import { Slices } from '../sharing/slices.ts';
import { BlobCache } from '../values/blobCache.ts';
import { driveMoves } from './driveMoves.ts';
import { Driver } from './driver.ts';
import { openDriver } from './openDriver.ts';

const runId = '0197a000-0000-7000-8000-000000000001';

interface World {
  readonly driver: Driver;
  readonly journal: MemoryJournal;
  /** Resolves when the claim of this worker is durable. */
  readonly claimed: Promise<void>;
  /** Ends the call that is under way. */
  readonly answer: () => void;
}

interface Scenario {
  /** Default: one call of a tool that reads. */
  readonly steps?: string;
  /** What becomes of the next commits; those after are written. */
  readonly fates?: readonly AppendFate[];
  readonly ports?: Partial<Ports>;
  /** During the first drive: called before each move. */
  readonly onMove?: (move: string, world: World) => void;
  /** Before the first drive. */
  readonly before?: (world: World) => void;
  /** While the worker is asked whether the run may begin. */
  readonly onAdmit?: (world: World) => unknown;
  /** Drives that come before, on the same journal. */
  readonly drivesBefore?: number;
  /** Default: none. */
  readonly inputs?: Value;
  /** What other processes append before the drive. */
  readonly appended?: (run: Run) => RunEvent[];
  readonly outcome: string;
  readonly moves: readonly string[];
}

const made = new Set<string>();

async function play({ steps = '{ id: a, tool: s/t }', ...scenario }: Scenario): Promise<unknown> {
  const { fates = [], drivesBefore = 0, before, onMove, onAdmit } = scenario;
  const left: AppendFate[] = [];
  const claimed = Promise.withResolvers<void>();
  const journal = new MemoryJournal({
    schedule: setImmediate,
    fate: () => left.shift() ?? 'written',
    onWritten: (_id, _seq, events) => {
      if (events.some(({ type }) => type === 'run.claimed')) claimed.resolve();
    },
  });
  const inputs = "inputs: { x: { type: string, default: '' } }";
  const plan = planOf(`workflow: w\n${inputs}\nsteps:\n  - ${steps}\n`, { 's/t': 'read' });
  const call = Promise.withResolvers<void>();
  if (onMove === undefined) call.resolve();
  let world: World | undefined;
  const ports = testPorts({
    worker: 'w1',
    journal,
    blobs: journal.blobs,
    cache: new BlobCache(0),
    plans: async () => plan,
    calls: {
      callTool: async () => {
        await call.promise;
        return { result: textResult('ok') };
      },
    },
    clock: clockThatGains(0),
    workers: { isAlive: async () => true },
    admit: async () => {
      if (world !== undefined) onAdmit?.(world);
      return undefined;
    },
    ...scenario.ports,
  });
  const open = async (): Promise<Driver> => {
    const activity = new RecentActivity(ports.clock);
    const driver = await openDriver(
      { ports, time: { slices: new Slices(ports.clock, activity), activity }, hold: async () => false },
      runId,
    );
    if (!(driver instanceof Driver)) throw new Error(`the run cannot be driven: ${driver}`);
    return driver;
  };
  await journal.request({ runId, event: requestedEvent({ inputs: scenario.inputs ?? { json: {} } }) });
  for (let n = 0; n < drivesBefore; n++) await (await open()).drive();
  if (scenario.appended !== undefined) await advance(journal, runId, scenario.appended);
  const driver = await open();
  world = { driver, journal, claimed: claimed.promise, answer: call.resolve };
  left.push(...fates);
  before?.(world);
  const moves: string[] = [];
  const outcome = await driver.drive((state, input) => {
    moves.push(`${state} ${input}`);
    if (world !== undefined) onMove?.(`${state} ${input}`, world);
  });
  call.resolve();
  await driver.awaitSentCalls();
  moves.forEach((move) => made.add(move));
  return { outcome, moves };
}

const wait = '{ wait: { signal: paid } }';
const needsInputs = '{ id: a, set: { x: "${{ inputs.x }}" } }';
const lostValue: Value = { blob: { sha256: 'a'.repeat(64), bytes: 70_000, preview: '{' } };
const endedChild = replay('0197a000-0000-7000-8000-000000000002', [
  requestedEvent({ parent: { runId, path: 'a', attempt: 1 } }),
  { type: 'run.claimed', at: 1_800_000_000_000, worker: 'w2', claim: 1 },
  { type: 'run.finished', at: 1_800_000_000_001, status: 'failed', failure: { code: 'tool-failed', message: 'no' } },
]);
const ownerIsAlive = answering(false, 'away', true);

/** The answers in this order, again and again; `away`: an `UnavailableError`. */
function answering<Answer>(...answers: readonly (Answer | 'away')[]): () => Answer {
  let asked = 0;
  return () => {
    const answer = answers[asked++ % answers.length];
    if (answer === 'away' || answer === undefined) throw new UnavailableError('the database is away');
    return answer;
  };
}

const scenarios: Record<string, Scenario> = {
  'a run of one call begins, waits for it and ends': {
    outcome: 'finished',
    moves: ['claiming happened', 'driving busy', 'driving happened', 'driving ended', 'ending durable'],
  },
  'a run that can only wait is released': {
    steps: wait,
    outcome: 'waiting',
    moves: ['claiming happened', 'driving idle', 'resting durable', 'resting rung'],
  },
  'a bell that comes too early changes nothing': {
    steps: wait,
    drivesBefore: 1,
    outcome: 'waiting',
    moves: ['claiming idle'],
  },
  'a worker that leaves takes no run': {
    before: ({ driver }) => driver.leave('soon'),
    outcome: 'left',
    moves: ['claiming unwanted'],
  },
  'a worker that is asked to leave while it claims lets go at once': {
    onAdmit: ({ driver }) => driver.leave('soon'),
    outcome: 'left',
    moves: ['claiming leaveAsked', 'leaving released', 'releasing durable', 'releasing rung'],
  },
  'a long decision is made in slices': {
    steps: '{ id: a, set: { x: 1 } }\n  - { id: b, set: { x: 2 } }',
    ports: { clock: clockThatGains(100) },
    outcome: 'finished',
    moves: [
      'claiming happened',
      'driving sliceOver',
      'driving happened',
      'driving sliceOver',
      'driving happened',
      'driving ended',
      'ending durable',
    ],
  },
  'what another process appended is read before anything else': {
    onMove: (move, { driver, answer }) => {
      if (move === 'recovering happened') answer();
      else if (move === 'driving busy') nudgeOnce(driver);
    },
    outcome: 'finished',
    moves: [
      'claiming happened',
      'driving busy',
      'driving stale',
      'recovering happened',
      'driving busy',
      'driving happened',
      'driving ended',
      'ending durable',
    ],
  },
  'a worker that leaves waits for its calls': {
    onMove: (move, { driver, answer }) => {
      if (move === 'driving busy') driver.leave('soon');
      if (move === 'leaving busy') answer();
    },
    outcome: 'left',
    moves: [
      'claiming happened',
      'driving busy',
      'driving leaveAsked',
      'leaving busy',
      'leaving leaveAsked',
      'leaving released',
      'releasing durable',
      'releasing rung',
    ],
  },
  'a worker that leaves records the end of a child that came in the last moment': {
    steps: '{ id: a, workflow: other }',
    ports: {
      waitingPlaces: new Semaphore(2),
      children: { request: async () => ({ kind: 'running', runId: endedChild.id }), cancel: async () => false },
    },
    onMove: (move, { driver }) => {
      // The child has been asked for.
      if (move === 'driving happened') driver.leave('soon');
      if (move === 'driving leaveAsked') void driver.takeChildEnd(endedChild);
    },
    outcome: 'left',
    moves: [
      'claiming happened',
      'driving busy',
      'driving happened',
      'driving busy',
      'driving leaveAsked',
      'leaving busy',
      'leaving leaveAsked',
      'leaving released',
      'releasing durable',
      'releasing rung',
    ],
  },
  'a worker that leaves reads what another process appended': {
    onMove: (move, { driver, answer }) => {
      if (move === 'driving busy') driver.leave('soon');
      if (move === 'leaving busy') nudgeOnce(driver);
      if (move === 'recovering leaveAsked') answer();
    },
    outcome: 'left',
    moves: [
      'claiming happened',
      'driving busy',
      'driving leaveAsked',
      'leaving busy',
      'leaving stale',
      'recovering leaveAsked',
      'leaving busy',
      'leaving leaveAsked',
      'leaving released',
      'releasing durable',
      'releasing rung',
    ],
  },
  'an end that was lost is appended again': {
    steps: '{ id: a, set: { x: 1 } }',
    fates: ['lost'],
    outcome: 'finished',
    moves: [
      'claiming happened',
      'driving ended',
      'ending stale',
      'recovering unclaimed',
      'claiming happened',
      'driving ended',
      'ending durable',
    ],
  },
  'an end that was written without an answer is found in the journal': {
    steps: '{ id: a, set: { x: 1 } }',
    fates: ['unheard'],
    outcome: 'finished',
    moves: ['claiming happened', 'driving ended', 'ending stale', 'recovering endedHere'],
  },
  'a release that was lost is appended again': {
    steps: wait,
    fates: ['lost'],
    outcome: 'waiting',
    moves: [
      'claiming happened',
      'driving idle',
      'resting stale',
      'recovering unclaimed',
      'claiming happened',
      'driving idle',
      'resting durable',
      'resting rung',
    ],
  },
  'a worker that leaves, and whose claim was lost with its release, has nothing to release': {
    onAdmit: ({ driver }) => driver.leave('soon'),
    fates: ['lost'],
    outcome: 'left',
    moves: ['claiming leaveAsked', 'leaving released', 'releasing stale', 'recovering unclaimed', 'claiming unwanted'],
  },
  'whether a run may begin is asked again where the answer could not be read': {
    onAdmit: answering('away', true),
    steps: '{ id: a, set: { x: 1 } }',
    outcome: 'finished',
    moves: ['claiming stale', 'recovering unclaimed', 'claiming happened', 'driving ended', 'ending durable'],
  },
  'whether the owner of a run is alive is asked again where the answer could not be read': {
    appended: ({ at, claim }) => [{ type: 'run.claimed', at, worker: 'w2', claim: claim + 1 }],
    steps: '{ id: a, set: { x: 1 } }',
    fates: ['lost'],
    ports: { workers: { isAlive: async () => ownerIsAlive() } },
    outcome: 'lost',
    moves: ['claiming happened', 'driving ended', 'ending stale', 'recovering stale', 'recovering taken'],
  },
  'a run whose next step needs a lost value is stopped': {
    steps: `${wait}\n  - ${needsInputs}`,
    inputs: lostValue,
    drivesBefore: 1,
    appended: ({ at }) => [{ type: 'signal.received', at, name: 'paid', payload: null, by: 'ada' }],
    outcome: 'finished',
    moves: ['claiming valueLost', 'driving happened', 'driving ended', 'ending durable'],
  },
  'a run that cannot be stopped in order without a lost value is ended': {
    steps: `${needsInputs}\nfinally:\n  - ${needsInputs.replace('id: a', 'id: b')}`,
    inputs: lostValue,
    outcome: 'finished',
    moves: [
      'claiming happened',
      'driving valueLost',
      'driving happened',
      'driving valueLost',
      'driving ended',
      'ending durable',
    ],
  },
  'a run that another worker claimed is lost': {
    onMove: (move, { driver, journal, claimed }) => {
      if (move !== 'driving busy') return;
      const follow = ({ at, claim }: Run): RunEvent[] => [{ type: 'run.claimed', at, worker: 'w2', claim: claim + 1 }];
      void claimed.then(() => advance(journal, runId, follow)).then(() => driver.nudge(Infinity));
    },
    outcome: 'lost',
    moves: ['claiming happened', 'driving busy', 'driving stale', 'recovering taken'],
  },
  'a worker that leaves at once waits for no journal': {
    onMove: (move, { driver }) => {
      if (move !== 'driving busy') return;
      driver.nudge(Infinity);
      driver.leave('now');
    },
    outcome: 'left',
    moves: ['claiming happened', 'driving busy', 'driving stale', 'recovering unreadable'],
  },
};

const nudged = new WeakSet<Driver>();

function nudgeOnce(driver: Driver): void {
  if (!nudged.has(driver)) driver.nudge(Infinity);
  nudged.add(driver);
}

/** Each look at the clock takes `ms`: with none a slice of a decision never ends, with many it ends at once. */
function clockThatGains(ms: number): Ports['clock'] {
  let nowMs = 0;
  return { ...systemClock, monotonic: () => (nowMs += ms) };
}

describe('a real drive', () => {
  test.each(Object.entries(scenarios))('%s', async (_, { outcome, moves, ...scenario }) => {
    expect(await play({ ...scenario, outcome, moves })).toEqual({ outcome, moves });
  });

  test('makes every move of the table, and no other', async () => {
    for (const scenario of Object.values(scenarios)) await play(scenario);
    const listed = Object.entries(driveMoves).flatMap(([state, moves]) =>
      Object.keys(moves).map((input) => `${state} ${input}`),
    );
    expect([...made].toSorted()).toEqual(listed.toSorted());
  });
});
