/**
 * Polls for triggers. Every orchestrator runs one; each trigger is polled by one orchestrator, and by another when that
 * one dies. What two of them do at once is written once: see `commitPoll`.
 */
import { projectOf } from '@baton/language';
import { unawaited } from '@baton/primitives';
import { type TaskTrouble, BackgroundTask, UnavailableError } from '@baton/runner';
import { Ownership, readPolls } from '@baton/store';

import type { DeployedTriggers } from '../deploy/deployedTriggers.ts';
import { type DeployedEvent, type DeployedPoll, nextPollAt, pollNameOf } from './deployedPoll.ts';
import { type PostedRequest, type ReceivedEvent, receiveEvent, takeStreamed, terminated } from './eventDeliveries.ts';
import { EventStreams } from './eventStreams.ts';
import { type PollOptions, type Polled, checkHistory, pollOnce } from './pollOnce.ts';

export interface PollerOptions extends Omit<PollOptions, 'streams'> {
  readonly deployed: DeployedTriggers;
  readonly onTrouble: TaskTrouble;
}

/** How long until new deployments and polls without an owner are noticed. */
const everyMs = 5_000;
const leastMs = 200;
/** Polls at once; the others wait, and those that are due the longest come first. */
const togetherMax = 16;
/** Of one project: the slow server of one leaves places for the others. */
const ofProjectMax = 12;

export class Poller {
  readonly #options: PollerOptions & PollOptions;
  readonly #ownership: Ownership;
  readonly #rounds: BackgroundTask;
  readonly #owned = new Set<string>();
  readonly #underWay = new Map<string, { readonly project: string; readonly ended: Promise<unknown> }>();
  readonly #closing = new AbortController();
  #isStarted = false;
  /** A poll that is due waits for a place. */
  #isFull = false;

  constructor(options: PollerOptions) {
    this.#options = { ...options, streams: this.#openStreams() };
    this.#ownership = new Ownership(options.store, () => {
      this.#owned.clear();
      this.#options.streams.leaveAll();
    });
    const { clock, onTrouble } = options;
    this.#rounds = new BackgroundTask({ name: 'polls', clock, run: () => this.tick(), onTrouble });
  }

  start(): void {
    this.#isStarted = true;
    this.#rounds.start();
  }

  /** Resolves when no poll is under way. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('this process stops'));
    await this.#rounds.close();
    await Promise.allSettled(this.#endsUnderWay());
    await this.#options.streams.close();
    this.#ownership.close();
  }

  /** Begins the polls that are due and that no other orchestrator owns. Rejects with `UnavailableError`. */
  async tick(): Promise<number> {
    const { clock } = this.#options;
    await checkHistory(this.#options.store);
    const all = await this.all();
    await this.#disownOthers(new Set(all.map(pollNameOf)));
    const nextOf = await this.#nextTimes(all);
    let [nextMs, isFull] = [everyMs, false];
    const dueAt = (poll: DeployedPoll): number => nextOf.get(pollNameOf(poll)) ?? 0;
    for (const poll of all.toSorted((a, b) => dueAt(a) - dueAt(b))) {
      const name = pollNameOf(poll);
      if (this.#rounds.isClosed) break;
      if (this.#underWay.has(name)) continue;
      if (!(await this.#ownership.own(name))) {
        // A person asked for it here.
        this.#options.streams.leave(name);
        continue;
      }
      this.#owned.add(name);
      if (this.#options.streams.isOpen(name, poll.trigger.basis)) continue;
      const inMs = dueAt(poll) - clock.now();
      if (inMs > 0) nextMs = Math.min(nextMs, inMs);
      else if (this.#hasPlaceFor(poll)) this.#begin(name, poll);
      else isFull = true;
    }
    this.#isFull = isFull;
    return Math.max(leastMs, nextMs);
  }

  /** The polls of deployed workflows, in order of the workflows. Rejects with `UnavailableError`. */
  all(): Promise<readonly DeployedPoll[]> {
    return this.#options.deployed.of('poll', 'event');
  }

  /** Polls now, whichever process owns the trigger. Rejects with `UnavailableError`. */
  async now(poll: DeployedPoll): Promise<Polled> {
    await checkHistory(this.#options.store);
    return this.#poll(poll);
  }

  /** What a server has posted. Rejects with `ProblemError` and `UnavailableError`. */
  async receive(request: PostedRequest): Promise<ReceivedEvent> {
    const deployed = await this.#options.deployed.in(request.workflow, 'event');
    return receiveEvent(this.#options, deployed, request, this.#closing.signal);
  }

  /** Resolves when the polls that are under way have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#endsUnderWay());
  }

  #hasPlaceFor({ workflow }: DeployedPoll): boolean {
    if (this.#underWay.size >= togetherMax) return false;
    const project = projectOf(workflow);
    return [...this.#underWay.values()].filter((one) => one.project === project).length < ofProjectMax;
  }

  #endsUnderWay(): Promise<unknown>[] {
    return [...this.#underWay.values()].map(({ ended }) => ended);
  }

  #begin(name: string, poll: DeployedPoll): void {
    const ended = this.#rounds
      .tryRow(name, () => this.#poll(poll))
      .then((polled) => {
        if (polled?.kind === 'answered' && polled.hasMore) this.#rounds.wake();
      })
      .catch((error: unknown) => {
        if (!(error instanceof UnavailableError)) throw error;
        if (!this.#rounds.isClosed) this.#options.onTrouble(error, `the poll ${name}`);
      })
      .finally(() => {
        this.#underWay.delete(name);
        if (this.#isFull && this.#isStarted) this.#rounds.wake();
      });
    this.#underWay.set(name, { project: projectOf(poll.workflow), ended });
    unawaited(ended);
  }

  async #poll(poll: DeployedPoll): Promise<Polled> {
    const { streams } = this.#options;
    const name = pollNameOf(poll);
    let polled: Polled | undefined;
    try {
      polled = await pollOnce(this.#options, poll, this.#closing.signal);
      return polled;
    } finally {
      if (polled?.kind === 'answered') streams.flow(name);
      else streams.leave(name);
    }
  }

  #openStreams(): EventStreams {
    const deployedAs = async (name: string): Promise<DeployedEvent | undefined> =>
      (await this.#options.deployed.of('event')).find((one) => pollNameOf(one) === name);
    return new EventStreams({
      take: async (name, streamed) => {
        const one = await deployedAs(name);
        const { signal } = this.#closing;
        return one !== undefined && (await takeStreamed(this.#options, { one, signal }, streamed));
      },
      onFarewell: async (name, reason) => {
        const one = await deployedAs(name);
        if (one !== undefined) await terminated(this.#options, one, reason);
      },
      onTrouble: (name, error) => {
        if (!(error instanceof Error)) throw error;
        if (!this.#rounds.isClosed) this.#options.onTrouble(error, `the stream of ${name}`);
      },
      onOver: () => {
        if (this.#isStarted) this.#rounds.wake();
      },
    });
  }

  async #nextTimes(all: readonly DeployedPoll[]): Promise<ReadonlyMap<string, number>> {
    if (all.length === 0) return new Map();
    const states = await readPolls(this.#options.store, all.map(pollNameOf));
    const byName = new Map(all.map((poll) => [pollNameOf(poll), poll]));
    return new Map(
      states.flatMap((state) => {
        const poll = byName.get(state.name);
        return poll === undefined ? [] : [[state.name, nextPollAt(poll, state)] as const];
      }),
    );
  }

  async #disownOthers(wanted: ReadonlySet<string>): Promise<void> {
    for (const name of this.#owned) {
      if (wanted.has(name)) continue;
      this.#owned.delete(name);
      this.#options.hooks?.leave(name);
      this.#options.streams.leave(name);
      await this.#ownership.disown(name);
    }
  }
}
