/**
 * Watches the resource of one trigger: waits until changes stop, reads the resource, and starts a run if its content
 * differs. Retries failed reads and starts.
 */
import { NewestMap } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import type { ResourceUpdate, Servers, Subscription } from '@baton/transports';

import {
  type ChangeOptions,
  type ResourceContent,
  type ResourceTriggerTarget,
  pastRuns,
  readContent,
  startOnChange,
} from './startOnChange.ts';

export interface ResourceWatchOptions extends ChangeOptions {
  readonly servers: Pick<Servers, 'calls' | 'subscribe'>;
  readonly clock: Clock;
  /** Called with a sentence about a trigger that is not watched, or started no run, and the cause. */
  readonly onUnwatched: (what: string, error?: unknown) => void;
}

const againMs = 5_000;
/** The delay before asking a server that refused again. */
const refusedAgainMs = 60_000;
/** Resources below the subscribed one. */
const knownMax = 1_000;

interface WatchedContent {
  digest: string | undefined;
  /** Runs recorded at the last read. */
  runs: ReadonlySet<string>;
}

export class ResourceWatch {
  readonly #options: ResourceWatchOptions;
  readonly #closing = new AbortController();
  readonly #known = new NewestMap<string, WatchedContent>(knownMax);
  /** By resource: reads no earlier than the timer. `true`: the server announced a change. */
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

  /** Another version of the workflow has the same trigger. */
  set taker(taker: ResourceTriggerTarget) {
    this.#taker = taker;
  }

  /** Resolves when the work in progress has ended. */
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
    const { servers, clock, onUnwatched } = this.#options;
    const { server, uri } = this.#taker.trigger;
    servers
      .subscribe(server, uri, (update) => this.#hear(update))
      .then((subscription) => {
        if (this.#isClosed) return subscription.close();
        this.#subscription = subscription;
        // The resource may have changed while no orchestrator listened.
        return this.#plan(uri, false, 0);
      })
      .catch((error: unknown) => {
        if (this.#isClosed) return;
        onUnwatched(`the server does not report changes to ${this.#name}`, error);
        this.#cancelAgain = clock.after(refusedAgainMs, () => this.#subscribe());
      });
  }

  #hear({ uri, isGap }: ResourceUpdate): void {
    if (this.#isClosed) return;
    this.#plan(uri, !isGap, this.#taker.trigger.debounceMs ?? 0);
  }

  /** The quiet time after the last change. */
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
      if (this.#isClosed) return;
      this.#options.onUnwatched(`${this.#name}: ${uri} could not be read`, error);
      // Unless another read was planned meanwhile.
      if (!this.#pending.has(uri)) this.#plan(uri, pending.isChange, againMs);
    }
  }

  async #look(uri: string, isChange: boolean): Promise<void> {
    const content = await readContent(this.#options, this.#taker, uri, this.#closing.signal);
    const known = this.#knownOf(uri);
    if (known.digest === content.digest) return;
    const past = await pastRuns(this.#options, this.#taker, uri);
    const [last] = past;
    const isFirst = known.digest === undefined;
    const others = past.filter(({ id }) => !known.runs.has(id));
    known.runs = new Set(past.map(({ id }) => id));
    // The first content ever read is the base for later comparisons.
    const isOld = isFirst && !isChange && (last === undefined || last.digest === content.digest);
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
    else this.#options.onUnwatched(`${this.#name} started no run: ${started.refused}`);
  }

  #knownOf(uri: string): WatchedContent {
    const known = this.#known.get(uri) ?? { digest: undefined, runs: new Set() };
    this.#known.set(uri, known);
    return known;
  }

  get #name(): string {
    return `the trigger ${this.#taker.workflow}.${this.#taker.trigger.key}`;
  }
}
