/**
 * Callers with thousands of runs beside callers with one at a time, on workers that share their slots by the rules of
 * production (`libs/runner/src/sharing`), in virtual time. A run takes a slot for a while, and does nothing else.
 */
import { unawaited, Semaphore } from '@baton/primitives';
import {
  type Channels,
  type Clock,
  type NeglectedRun,
  type WaitingRuns,
  Crowding,
  RunOffers,
  ServedCallers,
  StartOffers,
  WaitingRunPoll,
} from '@baton/runner';
import { type QueuedRun, fairPicks, MemoryBus } from '@baton/testing';

import { World } from './world.ts';

/** What can be switched off, each with what it is for. */
export const fairnessSafeguards = {
  shares: 'a worker takes waiting runs of the caller with the fewest first',
  ownSlots: 'a worker has slots that bells cannot fill',
  lastSlot: 'the last slot is given to a caller that has no run in the worker',
  leastRecent: 'of the callers without a run in the worker, the one that was served least recently is next',
  offers: 'a crowded worker is offered the runs of callers with few',
} as const;

export type FairnessSafeguard = keyof typeof fairnessSafeguards;

interface Run extends QueuedRun {
  readonly createdAt: number;
  /** How long it takes. */
  readonly ms: number;
  readonly onEnd: () => void;
  begunAt?: number;
}

/** Some 40 s of a worker's life. */
const horizonMs = 40_000;
/** The callers with few begin when the workers are full. */
const fullMs = 3_000;
/** A poll of a crowded worker comes each second, its look takes a run that waited for 150 ms, and answers take time. */
const withoutOffersMs = 2_500;
const withOffersMs = 300;
/** The next poll of a crowded worker, and its look. */
const nextPollMs = 1_200;

class GreedyPoll extends WaitingRunPoll {
  protected override fitting(neglected: readonly NeglectedRun[]): readonly NeglectedRun[] {
    return neglected;
  }
}

export interface FairnessOutcome {
  /** Runs of callers with few that waited for too long. */
  readonly late: readonly string[];
  /** Runs that began, of the callers with few and of those with many. */
  readonly begun: { readonly few: number; readonly many: number };
  /** The most runs that one look at offered runs named. */
  readonly offeredMax: number;
}

/** Plays one history. */
export async function playFairness(seed: string, off: readonly FairnessSafeguard[] = []): Promise<FairnessOutcome> {
  const fairness = new Fairness(seed, new Set(off));
  return fairness.play();
}

class Fairness {
  readonly #world: World;
  readonly #off: ReadonlySet<FairnessSafeguard>;
  readonly #clock: Clock;
  readonly #concurrency: number;
  readonly #arriving: number;
  readonly #workflows: number;
  /** Number of callers with many. */
  readonly #greedy: number;
  /** How long a run of a caller with many takes at most. */
  readonly #longestMs: number;
  readonly #channels: Channels;
  readonly #offers: StartOffers;
  /** Those that have not begun, in the order of their ids. */
  readonly #waiting = new Map<string, Run>();
  readonly #bells: string[] = [];
  readonly #workers: Worker[];
  readonly #late: string[] = [];
  readonly #begun = { few: 0, many: 0 };
  #offeredMax = 0;
  #runs = 0;

  constructor(seed: string, off: ReadonlySet<FairnessSafeguard>) {
    const world = new World(seed);
    const { random } = world;
    this.#world = world;
    this.#off = off;
    this.#clock = {
      now: () => world.now,
      monotonic: () => world.now,
      after: (ms, callback) =>
        world.after(ms, () => {
          world.touch();
          callback();
        }),
    };
    this.#greedy = random.pick([1, 1, 3, 5]);
    // Several callers share the slots of small workers.
    this.#concurrency = this.#greedy > 1 ? 2 : random.int(2, 8);
    this.#workflows = random.int(1, 6);
    this.#longestMs = random.pick([300, 5_000, 60_000]);
    // All messages arrive, or some, or none.
    this.#arriving = random.pick([1, 1, 0.5, 0]);
    const bus = new MemoryBus();
    this.#channels = {
      send: (channel, text) => {
        if (random.chance(this.#arriving)) bus.send(channel, text);
      },
      listen: (channel, listener) => bus.listen(channel, listener),
    };
    const offers = new RunOffers(this.#channels);
    this.#offers = new StartOffers({ offers, clock: this.#clock });
    const look = (own: ReadonlyMap<string, Run>): WaitingRuns => this.#waitingRuns(own);
    const parts = { clock: this.#clock, concurrency: this.#concurrency, offers, off, look };
    const release = (worker: Worker): void => this.#ring(worker);
    this.#workers = Array.from(
      { length: random.int(1, 2) },
      (_, at) => new Worker(`w${at}`, { ...parts, begin: (id) => this.#begin(id), release }),
    );
  }

  async play(): Promise<FairnessOutcome> {
    const { random } = this.#world;
    const ms = this.#longestMs;
    for (let count = random.int(1_000, 3_000); count > 0; count -= 1) {
      const by = `many-${count % this.#greedy}`;
      this.#start(by, random.int(ms / 2, ms), () => this.#start(by, ms));
    }
    for (const worker of this.#workers) this.#ring(worker);
    this.#clock.after(fullMs, () => this.#startFew(1));
    await this.#world.run(() => false, horizonMs);
    for (const worker of this.#workers) worker.close();
    for (const run of this.#waiting.values()) this.#judge(run);
    return { late: this.#late, begun: this.#begun, offeredMax: this.#offeredMax };
  }

  /** A run of a caller with few; the next one starts when it has ended. */
  #startFew(number: number): void {
    const { random } = this.#world;
    this.#start(`few-${number % 3}`, random.int(10, 500), () =>
      this.#clock.after(random.int(10, 1_500), () => this.#startFew(number + 1)),
    );
  }

  #start(by: string, ms: number, onEnd: () => void = () => undefined): void {
    const { random, now } = this.#world;
    this.#runs += 1;
    const id = String(this.#runs).padStart(8, '0');
    const workflow = `w${random.int(1, this.#workflows)}`;
    this.#waiting.set(id, { id, by, workflow, priority: 0, createdAt: now, ms, onEnd });
    this.#bells.push(id);
    if (now > 0) for (const worker of this.#workers) this.#ring(worker);
    if (now > 0 && !this.#off.has('offers')) this.#offers.offer(id, by);
  }

  /** Bells fill the worker's slots in the order in which they were rung. */
  #ring(worker: Worker): void {
    for (;;) {
      const [id] = this.#bells;
      const slot = id === undefined ? undefined : worker.tryTakeSlot();
      if (id === undefined || slot === undefined) return;
      this.#bells.shift();
      unawaited(worker.take(id).finally(slot));
    }
  }

  /** Undefined where the run has begun in a worker already. */
  #begin(id: string): Run | undefined {
    const run = this.#waiting.get(id);
    if (run === undefined) return undefined;
    this.#waiting.delete(id);
    run.begunAt = this.#world.now;
    this.#judge(run);
    this.#begun[isOfFew(run) ? 'few' : 'many'] += 1;
    return run;
  }

  #judge(run: Run): void {
    const waitedMs = (run.begunAt ?? this.#world.now) - run.createdAt;
    if (isOfFew(run) && waitedMs > this.#waitMax) this.#late.push(`${run.by} waited for ${Math.round(waitedMs)} ms`);
  }

  /** Several callers with many share the slot that is kept free beside one: each may have its turn before. */
  get #waitMax(): number {
    if (this.#greedy > 1) return this.#greedy * (this.#longestMs + nextPollMs);
    return this.#arriving === 1 ? withOffersMs : withoutOffersMs;
  }

  /** Postgres: it answers after some milliseconds. */
  #waitingRuns(own: ReadonlyMap<string, Run>): WaitingRuns {
    const ask = <Answer>(answer: () => Answer): Promise<Answer> =>
      new Promise((resolve) => void this.#clock.after(this.#world.random.int(1, 20), () => resolve(answer())));
    return {
      atWork: () => ask(() => ({ hasActive: true, hasDue: false, hasCancelling: false })),
      cancellingAmong: () => ask(() => []),
      due: ({ forMs, limit }) =>
        ask(() => [...this.#waitedFor(forMs)].slice(0, limit).map(({ id }) => ({ runId: id }))),
      silent: () => ask(() => []),
      unknown: () => ask(() => []),
      neglected: (share, offered) =>
        ask(() => {
          this.#offeredMax = Math.max(this.#offeredMax, offered?.length ?? 0);
          const named = offered?.flatMap((id) => this.#waiting.get(id) ?? []);
          const waiting = named ?? this.#waitedFor(share.forMs);
          if (this.#off.has('shares')) return waiting.slice(0, share.limit).map(({ id, by }) => ({ runId: id, by }));
          const limit = this.#off.has('lastSlot') ? share.limit + 2 : share.limit;
          return fairPicks(waiting, own.values(), { ...share, limit }).slice(0, share.limit);
        }),
    };
  }

  #waitedFor(ms: number): Run[] {
    return [...this.#waiting.values()].filter(({ createdAt }) => createdAt <= this.#world.now - ms);
  }
}

const isOfFew = ({ by }: QueuedRun): boolean => by.startsWith('few');

interface WorkerParts {
  readonly clock: Clock;
  readonly concurrency: number;
  readonly offers: RunOffers;
  readonly off: ReadonlySet<FairnessSafeguard>;
  readonly look: (own: ReadonlyMap<string, Run>) => WaitingRuns;
  readonly begin: (id: string) => Run | undefined;
  /** A slot is free again. */
  readonly release: (worker: Worker) => void;
}

class Worker {
  readonly #runs = new Map<string, Run>();
  readonly #served = new ServedCallers();
  readonly #parts: WorkerParts;
  readonly #slots: Semaphore;
  readonly #crowding: Crowding;
  readonly #poll: WaitingRunPoll;

  constructor(name: string, parts: WorkerParts) {
    const { clock, concurrency, offers, off } = parts;
    this.#parts = parts;
    this.#slots = new Semaphore(off.has('ownSlots') ? 4 * concurrency : concurrency);
    const onCrowded = (): void => offers.sayCrowded({ worker: name, callers: this.#poll.callersWithShare() });
    this.#crowding = new Crowding({ clock, concurrency, onCrowded });
    const Poll = off.has('lastSlot') ? GreedyPoll : WaitingRunPoll;
    const runs = this.#runs;
    this.#poll = new Poll({
      waiting: parts.look(runs),
      clock,
      drives: {
        get size() {
          return runs.size;
        },
        get runIds() {
          return [...runs.keys()];
        },
        runsByCaller: () =>
          new Map([...Map.groupBy(runs.values(), ({ by }) => by)].map(([by, own]) => [by, own.length])),
        servedCallers: () => (off.has('leastRecent') ? [] : this.#served.inOrder()),
        routeHint: () => undefined,
      },
      take: (id) => this.take(id),
      setAside: { ids: () => [] },
      onTrouble: (error) => {
        throw error;
      },
      bells: this,
      concurrency,
      measureWait: () => () => 0,
    });
    offers.onOffer(name, (id) => this.#poll.consider(id));
  }

  tryTakeSlot(): (() => void) | undefined {
    const slot = this.#slots.tryTake();
    return (
      slot &&
      (() => {
        slot();
        this.#parts.release(this);
      })
    );
  }

  /** Resolves at the end of the run. */
  async take(id: string): Promise<void> {
    const run = this.#parts.begin(id);
    if (run === undefined) return;
    const { clock } = this.#parts;
    this.#runs.set(id, run);
    this.#crowding.noteRuns(this.#runs.size);
    this.#crowding.noteWait(clock.monotonic() - run.createdAt);
    await new Promise<void>((resolve) => void clock.after(run.ms, resolve));
    this.#runs.delete(id);
    this.#served.note(run.by);
    this.#crowding.noteRuns(this.#runs.size);
    run.onEnd();
  }

  close(): void {
    this.#poll.close();
    this.#crowding.close();
  }
}
