/**
 * A process: it has a clock of its own, reaches the rest of the world over a network, and can be killed or stopped between
 * any two of its awaits. A message that is on its way when it dies may still arrive.
 */
import { type Clock, UnavailableError } from '@baton/runner';

import type { Random } from './random.ts';
import type { World } from './world.ts';

/** When the world began, by clocks that are right. */
export const epochMs = 1_700_000_000_000;

/** A fault that hits a process: after how many further operations, at which of them, and what. */
export interface Doom {
  readonly operations: number;
  readonly what: () => void;
}

export class Machine {
  readonly name: string;
  readonly world: World;
  readonly random: Random;
  readonly clock: Clock;
  /** Of its wall clock. */
  skewMs = 0;
  #isCutOff = false;
  /** When it was last stopped or cut off, or its heartbeat got lost. */
  #troubledAt = -Infinity;
  #state: 'running' | 'stopped' | 'dead' = 'running';
  #held: (() => void)[] = [];
  #doom: Doom | undefined;
  #operations = 0;

  constructor(name: string, world: World) {
    this.name = name;
    this.world = world;
    this.random = world.random.stream(name);
    this.clock = {
      now: () => epochMs + Math.round(world.now + this.skewMs),
      monotonic: () => world.now,
      after: (ms, callback) => world.after(ms, () => this.deliver(callback)),
    };
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** No packet goes in or out. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  set isCutOff(isCutOff: boolean) {
    this.#isCutOff = isCutOff;
    this.noteTrouble();
  }

  /** Others may take it for dead for a while. */
  noteTrouble(): void {
    this.#troubledAt = this.world.now;
  }

  /** Nothing was wrong with it in the last `ms`. */
  isHealthyFor(ms: number): boolean {
    return this.isRunning && !this.isCutOff && this.#troubledAt < this.world.now - ms;
  }

  /** SIGKILL: nothing of what it was doing goes on. */
  kill(): void {
    this.#state = 'dead';
    this.#held = [];
  }

  /** SIGSTOP: clocks go on, it does not. */
  stop(): void {
    if (this.#state === 'running') this.#state = 'stopped';
  }

  /** SIGCONT: what arrived meanwhile is found in any order, for timers and sockets have queues of their own. */
  resume(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'running';
    this.noteTrouble();
    const held = this.#held;
    this.#held = [];
    while (held.length > 0) {
      const [one] = held.splice(this.random.int(0, held.length - 1), 1);
      this.world.after(0, () => this.deliver(one ?? (() => undefined)));
    }
  }

  /** A fault hits it at one of its next operations, in the middle of what it does. */
  doom(doom: Doom): void {
    this.#doom = doom;
    this.#operations = 0;
  }

  /** No further fault hits it. */
  heal(): void {
    this.#doom = undefined;
    this.isCutOff = false;
    this.resume();
  }

  /** Something has arrived. */
  deliver(work: () => void): void {
    if (this.#state === 'dead') return;
    if (this.#state === 'stopped') {
      this.#held.push(work);
      return;
    }
    this.world.touch();
    work();
  }

  /** One step out of the process: false where it did not live to take it. */
  operate(): boolean {
    if (this.#doom !== undefined && this.#state === 'running' && this.#operations++ >= this.#doom.operations) {
      const { what } = this.#doom;
      this.#doom = undefined;
      what();
    }
    return this.#state !== 'dead';
  }

  /** A packet: it arrives, or, where its sender dies or is cut off, perhaps not. */
  send(arrive: () => void, drop: () => void = () => undefined, mostMs = 20): void {
    const go = (): void => {
      const wasCutOff = this.isCutOff;
      this.world.after(this.random.next() * mostMs, () => {
        this.world.touch();
        if (wasCutOff || (this.isDead && this.random.chance(0.5))) drop();
        else arrive();
      });
    };
    if (this.#state === 'stopped') this.#held.push(go);
    else go();
  }

  /** A packet to it. */
  receive(arrive: () => void, mostMs = 20): void {
    this.world.after(this.random.next() * mostMs, () => {
      if (!this.isCutOff) this.deliver(arrive);
    });
  }

  /**
   * Asks a database: `work` is done there. Rejects with what it throws, or, cut off from it, with `UnavailableError`.
   */
  ask<T>(work: () => T | Promise<T>, withinMs = answerMs): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.operate()) return;
      const forget = this.clock.after(withinMs, () => reject(new UnavailableError('the database did not answer')));
      this.send(() => {
        Promise.resolve()
          .then(work)
          .then(
            (value) =>
              this.receive(() => {
                forget();
                resolve(value);
              }),
            (error: unknown) =>
              this.receive(() => {
                forget();
                reject(error);
              }),
          );
      });
    });
  }
}

/** After which a database that does not answer counts as away. */
const answerMs = 5_000;
