/**
 * One trigger: hears of changes, waits until they are over, reads what is there now and has it start a run where it is
 * not what it was. What cannot be read or started now is tried again.
 */
import { ProblemError } from '@baton/api';
import { FailureError } from '@baton/engine';
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';
import type { ResourceUpdate, Servers, Subscription } from '@baton/transports';

import type { ChangeOptions, ResourceContent, ResourceTriggerTarget } from './startOnChange.ts';
import { pastRuns, readContent, startOnChange } from './startOnChange.ts';

export interface ResourceWatchOptions extends ChangeOptions {
  readonly servers: Pick<Servers, 'calls' | 'subscribe'>;
  readonly clock: Clock;
  /** What did not go well, as a sentence, and why. */
  readonly onTrouble: (what: string, error?: unknown) => void;
}

const againMs = 5_000;
/** A server that refused may think better of it. */
const refusedAgainMs = 60_000;
/** Resources below the one that is subscribed to. */
const knownMax = 1_000;

interface WatchedContent {
  digest: string | undefined;
  /** Runs that were on record when it was looked at last. */
  runs: ReadonlySet<string>;
}

export class ResourceWatch {
  readonly #options: ResourceWatchOptions;
  readonly #closing = new AbortController();
  readonly #known = new Map<string, WatchedContent>();
  /** By resource: not before the timer has run down. `true`: it is said to have changed. */
  readonly #pending = new Map<string, { isChange: boolean; cancel: () => void }>();
  #taker: ResourceTriggerTarget;
  #subscription: Subscription | undefined;
  #cancelAgain: () => void = () => {};
  #working: Promise<void> = Promise.resolve();

  constructor(options: ResourceWatchOptions, taker: ResourceTriggerTarget) {
    this.#options = options;
    this.#taker = taker;
    this.#subscribe();
  }

  /** Another version says the same of the resource. */
  set taker(taker: ResourceTriggerTarget) {
    this.#taker = taker;
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the trigger is no longer watched'));
    this.#cancelAgain();
    this.#subscription?.close();
    for (const { cancel } of this.#pending.values()) cancel();
    this.#pending.clear();
    await this.#working;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #subscribe(): void {
    const { servers, clock, onTrouble } = this.#options;
    const { server, uri } = this.#taker.trigger;
    servers
      .subscribe(server, uri, (update) => this.#hear(update))
      .then((subscription) => {
        if (this.#isClosed) return subscription.close();
        this.#subscription = subscription;
        // It may have changed since the last run, while no orchestrator listened.
        return this.#plan(uri, false, 0);
      })
      .catch((error: unknown) => {
        if (!(error instanceof FailureError)) throw error;
        if (this.#isClosed) return;
        onTrouble(`${this.#name} is not told of changes`, error);
        this.#cancelAgain = clock.after(refusedAgainMs, () => this.#subscribe());
      });
  }

  #hear({ uri, isGap }: ResourceUpdate): void {
    if (this.#isClosed) return;
    this.#plan(uri, !isGap, this.#taker.trigger.debounceMs ?? 0);
  }

  /** After so much quiet. */
  #plan(uri: string, isChange: boolean, quietMs: number): void {
    const before = this.#pending.get(uri);
    before?.cancel();
    const cancel = this.#options.clock.after(quietMs, () => {
      this.#working = this.#working.then(() => this.#work(uri));
    });
    this.#pending.set(uri, { isChange: isChange || before?.isChange === true, cancel });
  }

  async #work(uri: string): Promise<void> {
    const pending = this.#pending.get(uri);
    if (pending === undefined || this.#isClosed) return;
    this.#pending.delete(uri);
    try {
      await this.#look(uri, pending.isChange);
    } catch (error) {
      const isToBeTriedAgain =
        error instanceof FailureError || error instanceof UnavailableError || error instanceof ProblemError;
      if (!isToBeTriedAgain) throw error;
      if (this.#isClosed) return;
      this.#options.onTrouble(`${this.#name}: ${uri} could not be looked at`, error);
      // Unless it has been planned again meanwhile.
      if (!this.#pending.has(uri)) this.#plan(uri, pending.isChange, againMs);
    }
  }

  async #look(uri: string, isChange: boolean): Promise<void> {
    const { trigger } = this.#taker;
    const content = await readContent(this.#options, trigger.server, uri, this.#closing.signal);
    const known = this.#knownOf(uri);
    if (known.digest === content.digest) return;
    const past = await pastRuns(this.#options, this.#taker, uri);
    const [last] = past;
    const isFirst = known.digest === undefined;
    const others = past.filter(({ id }) => !known.runs.has(id));
    known.runs = new Set(past.map(({ id }) => id));
    // Where nothing was ever heard of it: what is there is what later changes are measured by.
    const isOld = isFirst ? !isChange && (last === undefined || last.digest === content.digest) : false;
    const isStarted = isFirst
      ? last?.digest === content.digest
      : others.some(({ digest }) => digest === content.digest);
    if (!isOld && !isStarted) await this.#start(uri, content, last?.id, known);
    known.digest = content.digest;
  }

  async #start(
    uri: string,
    content: ResourceContent,
    before: string | undefined,
    known: WatchedContent,
  ): Promise<void> {
    const started = await startOnChange(this.#options, this.#taker, { uri, content, before });
    if (started === undefined) return;
    if ('runId' in started) known.runs = new Set([...known.runs, started.runId]);
    else this.#options.onTrouble(`${this.#name} started no run: ${started.refused}`);
  }

  #knownOf(uri: string): WatchedContent {
    const known = this.#known.get(uri) ?? { digest: undefined, runs: new Set() };
    this.#known.delete(uri);
    this.#known.set(uri, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }

  get #name(): string {
    return `the trigger ${this.#taker.workflow}.${this.#taker.trigger.key}`;
  }
}
