/**
 * Clients of the gateway. An agent makes a call again, with the same arguments, until it has an answer: because its
 * connection broke, or because it was told to.
 */
import { UnavailableError } from '@baton/runner';

import type { AgentCall, Gateway } from './gateway.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** An agent that waits longer for an answer takes its connection for broken. */
const answerMs = 20_000;

export class Agent {
  readonly #world: World;
  readonly #random: Random;
  readonly #session: string;
  readonly #via: () => Gateway | undefined;
  readonly #onRepeated: () => void;
  isDone = false;

  constructor(world: World, session: string, via: () => Gateway | undefined, onRepeated: () => void) {
    this.#world = world;
    this.#random = world.random.stream(session);
    this.#session = session;
    this.#via = via;
    this.#onRepeated = onRepeated;
  }

  /** Makes so many calls, one after the other, and ends its session. */
  async work(calls: number): Promise<void> {
    for (let n = 1; n <= calls; n++) {
      const tool = this.#random.weighted({ pay: 2, book: 2, get: 1 });
      // The policy of a write whose outcome is unknown is part of the key, as in workflows.
      const call: AgentCall = { session: this.#session, tool, key: `${this.#session}/${n}/fail/` };
      await this.#insist((gateway, signal) => gateway.call(call, signal));
    }
    await this.#insist(async (gateway) => {
      await gateway.close(this.#session);
      return true;
    });
    this.isDone = true;
  }

  async #insist(ask: (gateway: Gateway, signal: AbortSignal) => Promise<boolean>): Promise<void> {
    while (!(await this.#isAnswered(ask))) {
      this.#onRepeated();
      await this.#pause(this.#random.int(100, 1_500));
    }
  }

  async #isAnswered(ask: (gateway: Gateway, signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
    const gateway = this.#via();
    if (gateway === undefined) return false;
    const broken = new AbortController();
    const answered = Promise.withResolvers<boolean>();
    const forget = this.#world.after(answerMs, () => {
      this.#world.touch();
      broken.abort();
      answered.resolve(false);
    });
    ask(gateway, broken.signal).then(answered.resolve, (error: unknown) => {
      if (!(error instanceof UnavailableError)) this.#world.fail(error);
      answered.resolve(false);
    });
    const isAnswered = await answered.promise;
    forget();
    return isAnswered;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#world.after(ms, () => {
        this.#world.touch();
        resolve();
      });
    });
  }
}
