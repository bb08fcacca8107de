/** Keeps so many runs of a workflow unfinished: starts those that are missing, at all orchestrators in turn. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

import { poster } from '../sides/restClient.ts';

interface FeedOptions {
  /** Connected, to the installation's database. */
  readonly database: Client;
  readonly urls: readonly string[];
  readonly key: string;
  readonly workflow: string;
  /** Runs to keep unfinished. */
  readonly wanted: () => number;
}

const lookMs = 250;
const atOnce = 64;

export class Feeding {
  readonly #options: FeedOptions;
  readonly #post = poster(new Agent({ keepAlive: true, maxSockets: atOnce }));
  readonly #ended: Promise<void>;
  #isOver = false;
  #started = 0;
  #refused = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#ended = this.#feed();
  }

  /** Starts that were not taken, to be tried again. */
  get refused(): number {
    return this.#refused;
  }

  async unfinished(): Promise<number> {
    const text = 'select count(*) as n from run where ended_at is null';
    const { rows } = await this.#options.database.query<{ n: string }>(text);
    return Number(rows[0]?.n);
  }

  /** Starts no more runs. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #feed(): Promise<void> {
    while (!this.#isOver) {
      let missing = this.#options.wanted() - (await this.unfinished());
      const starters = Array.from({ length: Math.min(atOnce, Math.max(0, missing)) }, async () => {
        while (missing > 0 && !this.#isOver) {
          missing -= 1;
          await this.#start();
        }
      });
      await Promise.all(starters);
      await sleep(lookMs);
    }
  }

  async #start(): Promise<void> {
    const { urls, key, workflow } = this.#options;
    const url = urls[this.#started % urls.length];
    this.#started += 1;
    const headers = { authorization: `Bearer ${key}` };
    const answer = this.#post(`${url}/v1/workflows/${workflow}/runs`, '{}', headers);
    // A connection that an overloaded orchestrator cuts is a start that was not taken.
    const status = await answer.then((taken) => taken.status).catch(() => 0);
    if (status !== 202) this.#refused += 1;
  }
}
