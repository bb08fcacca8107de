/**
 * Runs that share the event loop of one worker by the rules of production (`FairStarts`, `Slices`), in virtual time: many
 * quick runs of one caller, decisions about thousands of items of others, and one small run after another of a third.
 * What a run computes keeps all others from the loop; commits and calls only take time.
 */
import { unawaited } from '@baton/primitives';
import { type Clock, FairStarts, RecentActivity, Slices } from '@baton/runner';

import { World } from './world.ts';

/** What can be switched off, each with what it is for. */
export const loopSafeguards = {
  heldStarts: 'quick runs of a caller with many are held back beside a caller with few',
  slices: 'a decision about thousands of items is made in slices',
  shortSlices: 'slices are short, and rest, beside the active run of another caller',
  turns: 'slices take turns by caller, and not by run',
} as const;

export type LoopSafeguard = keyof typeof loopSafeguards;

/** Some seconds of a worker's life. */
const horizonMs = 3_000;
/** The small runs begin when all others are at work. */
const warmMs = 300;
/** A small run beside others takes at most so many times what it takes alone. */
const slowedMax = 4;
/** A decision beside those of another caller gets at least this part of the time that it would get in turns of two. */
const turnPartMin = 0.5;

export interface LoopOutcome {
  /** Small runs that took too long, and decisions that had too little of the loop. */
  readonly late: readonly string[];
  /** Small runs that ended, quick ones that ended, and slices. */
  readonly done: { small: number; quick: number; slices: number };
}

/** Plays one history. */
export async function playEventLoop(seed: string, off: readonly LoopSafeguard[] = []): Promise<LoopOutcome> {
  return new SharedLoop(seed, new Set(off)).play();
}

class SharedLoop {
  readonly #world: World;
  readonly #off: ReadonlySet<LoopSafeguard>;
  readonly #clock: Clock;
  readonly #activity: RecentActivity;
  readonly #starts: FairStarts;
  readonly #slices: Slices;
  readonly #tasks: { readonly ms: number; readonly done: () => void }[] = [];
  #isBusy = false;
  readonly #late: string[] = [];
  readonly #done = { small: 0, quick: 0, slices: 0 };
  readonly #sliceMs = new Map<string, number>();
  readonly #moves: number;
  readonly #moveMs: number;
  readonly #commitMs: number;

  constructor(seed: string, off: ReadonlySet<LoopSafeguard>) {
    const world = new World(seed);
    const { random } = world;
    this.#world = world;
    this.#off = off;
    this.#clock = {
      now: () => world.now,
      monotonic: () => world.now,
      after: (ms, callback) => world.after(ms, () => this.#enqueue(0, callback)),
    };
    this.#activity = new RecentActivity(this.#clock);
    this.#starts = new FairStarts(this.#clock, this.#activity);
    this.#slices = new Slices(this.#clock, off.has('shortSlices') ? new RecentActivity(this.#clock) : this.#activity);
    this.#moves = random.int(4, 12);
    this.#moveMs = random.pick([0.5, 1]);
    this.#commitMs = random.int(3, 8);
  }

  async play(): Promise<LoopOutcome> {
    const { random } = this.#world;
    const hasQuick = random.chance(0.5);
    const greedy = hasQuick ? 0 : random.int(2, 20);
    for (let count = hasQuick ? random.int(40, 60) : 0; count > 0; count -= 1) unawaited(this.#quickRuns(count));
    for (let count = greedy; count > 0; count -= 1) unawaited(this.#decide('greedy', `greedy-${count}`));
    if (greedy > 0) unawaited(this.#decide('single', 'single-1'));
    this.#clock.after(warmMs, () => unawaited(this.#smallRuns()));
    await this.#world.run(() => false, horizonMs);
    this.#judgeDecisions();
    return { late: this.#late, done: this.#done };
  }

  async #quickRuns(slot: number): Promise<void> {
    for (let number = 1; ; number += 1) {
      await this.#quickRun('many', `many-${slot}-${number}`);
      this.#done.quick += 1;
    }
  }

  async #smallRuns(): Promise<void> {
    const { random } = this.#world;
    const aloneMs = this.#moves * (this.#moveMs + this.#commitMs);
    for (let number = 1; ; number += 1) {
      const begunMs = this.#world.now;
      await this.#quickRun('few', `few-${number}`);
      this.#done.small += 1;
      const tookMs = this.#world.now - begunMs;
      // The first begins beside runs that were begun when their caller was alone.
      if (number > 1 && tookMs > slowedMax * aloneMs)
        this.#late.push(`few-${number} took ${Math.round(tookMs)} ms, alone ${aloneMs}`);
      await this.#wait(random.int(1, 60));
    }
  }

  async #quickRun(by: string, id: string): Promise<void> {
    if (!this.#off.has('heldStarts')) await this.#starts.next({ id, by, seq: 1 });
    for (let move = 0; move < this.#moves; move += 1) {
      await this.#compute(this.#moveMs);
      this.#activity.note(id, by);
      await this.#wait(this.#commitMs);
    }
    this.#activity.forget(id);
  }

  /** A run that decides for longer than the history lasts. */
  async #decide(by: string, id: string): Promise<void> {
    this.#activity.note(id, by);
    let saved: Promise<unknown> = Promise.resolve();
    for (;;) {
      const ms = await this.#slices.next(this.#off.has('turns') ? id : by, saved);
      const sliceMs = this.#off.has('slices') ? 150 : ms;
      await this.#compute(sliceMs);
      this.#done.slices += 1;
      this.#sliceMs.set(by, (this.#sliceMs.get(by) ?? 0) + sliceMs);
      saved = this.#wait(this.#commitMs);
    }
  }

  #judgeDecisions(): void {
    const [single, greedy] = [this.#sliceMs.get('single'), this.#sliceMs.get('greedy')];
    if (single === undefined || greedy === undefined) return;
    if (single < (turnPartMin * (single + greedy)) / 2)
      this.#late.push(`single decided for ${single} of ${single + greedy} ms`);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve));
  }

  #compute(ms: number): Promise<void> {
    return new Promise((resolve) => this.#enqueue(ms, resolve));
  }

  /** The loop does one thing after another; timers that are due wait for it like all else. */
  #enqueue(ms: number, done: () => void): void {
    this.#tasks.push({ ms, done });
    if (!this.#isBusy) this.#serve();
  }

  #serve(): void {
    const task = this.#tasks.shift();
    this.#isBusy = task !== undefined;
    if (task === undefined) return;
    this.#world.after(task.ms, () => {
      this.#world.touch();
      task.done();
      this.#serve();
    });
  }
}
