/**
 * The bell and the bus, as bad as they may be: rings are lost, doubled and late, jobs of dead workers come again or
 * never.
 */
import { type Bell, type Bus, type HintScope, type Hint, type Ring, UnavailableError } from '@baton/runner';

import type { Machine } from './machine.ts';
import type { Rates } from './rates.ts';
import type { World } from './world.ts';

interface Consumer {
  readonly machine: Machine;
  readonly concurrency: number;
  readonly take: (runId: string) => Promise<void>;
  readonly active: string[];
}

/** After so long a queue notices that a worker is gone. */
const stalledMs = { least: 5_000, most: 40_000 };

export class Queue {
  readonly #world: World;
  readonly #rates: () => Rates;
  readonly #consumers = new Set<Consumer>();
  readonly #listeners = new Map<
    (hint: Hint) => void,
    { readonly machine: Machine; readonly hearing: HintScope | undefined }
  >();
  #waiting: string[] = [];
  isAway = false;

  constructor(world: World, rates: () => Rates) {
    this.#world = world;
    this.#rates = rates;
  }

  bellFor(machine: Machine): Bell {
    return {
      ring: async (rings) => {
        if (!machine.operate()) return new Promise(() => undefined);
        if (this.isAway) throw new UnavailableError('the queue is away');
        machine.send(() => rings.forEach((ring) => this.#arrive(ring, machine)));
        return undefined;
      },
      close: async () => undefined,
    };
  }

  busFor(machine: Machine): Bus {
    return {
      publish: (hint) => {
        if (machine.operate()) machine.send(() => this.#announce(hint, machine));
      },
      subscribe: (listener, hearing) => {
        this.#listeners.set(listener, { machine, hearing });
        return () => this.#listeners.delete(listener);
      },
      close: async () => undefined,
    };
  }

  /** Until the machine dies, `take` is called for its share of the bells. */
  listen(machine: Machine, concurrency: number, take: (runId: string) => Promise<void>): void {
    this.#consumers.add({ machine, concurrency, take, active: [] });
    this.#deliver();
  }

  /** FLUSHALL. */
  empty(): void {
    this.#waiting = [];
  }

  back(): void {
    this.isAway = false;
    this.#deliver();
  }

  /** A worker has died: what it had taken comes again some time, or not. */
  bury(machine: Machine): void {
    for (const [listener, owner] of this.#listeners) if (owner.machine === machine) this.#listeners.delete(listener);
    for (const consumer of this.#consumers) {
      if (consumer.machine !== machine) continue;
      this.#consumers.delete(consumer);
      if (machine.random.chance(0.3)) continue;
      this.#world.after(machine.random.int(stalledMs.least, stalledMs.most), () => {
        consumer.active.forEach((runId) => this.#put(runId));
      });
    }
  }

  #arrive({ runId, delayMs = 0 }: Ring, { random }: Machine): void {
    const { bellLost, bellDoubled, bellLate } = this.#rates();
    if (random.chance(bellLost)) return;
    const times = random.chance(bellDoubled) ? random.int(2, 5) : 1;
    for (let i = 0; i < times; i++) {
      const lateMs = random.chance(bellLate) ? random.int(100, 20_000) : 0;
      if (delayMs + lateMs === 0) this.#put(runId);
      else this.#world.after(delayMs + lateMs, () => this.#put(runId));
    }
  }

  #put(runId: string): void {
    if (this.isAway) return;
    this.#waiting.push(runId);
    this.#deliver();
  }

  #deliver(): void {
    if (this.isAway) return;
    for (const consumer of this.#consumers) {
      const { machine, concurrency, active } = consumer;
      while (machine.isRunning && !machine.isCutOff && active.length < concurrency) {
        const runId = this.#waiting.shift();
        if (runId === undefined) return;
        active.push(runId);
        machine.receive(() => {
          consumer.take(runId).then(
            () => {
              active.splice(active.indexOf(runId), 1);
              this.#deliver();
            },
            (error: unknown) => this.#world.fail(error),
          );
        });
      }
    }
  }

  #announce(hint: Hint, { random }: Machine): void {
    if (this.isAway) return;
    const { hintLost, hintDoubled } = this.#rates();
    for (const [listener, { machine, hearing }] of this.#listeners) {
      if (hearing === 'foreign' && hint.isOwn === true) continue;
      if (random.chance(hintLost)) continue;
      for (let times = random.chance(hintDoubled) ? 2 : 1; times > 0; times--) machine.receive(() => listener(hint));
    }
  }
}
