/**
 * Watches resources that start runs. Every orchestrator runs one; each trigger is watched by one orchestrator, and by
 * another when that one dies.
 */
import { unawaited } from '@baton/primitives';
import { type TaskTrouble, BackgroundTask } from '@baton/runner';
import { Ownership } from '@baton/store';

import type { DeployedTriggers } from '../deploy/deployedTriggers.ts';
import { type ResourceWatchOptions, ResourceWatch } from './resourceWatch.ts';
import type { ResourceTriggerTarget } from './startOnChange.ts';

export interface ResourceWatcherOptions extends ResourceWatchOptions {
  readonly deployed: DeployedTriggers;
  readonly onTrouble: TaskTrouble;
}

/** How long until new deployments and unwatched triggers are noticed. */
const everyMs = 5_000;

export class ResourceWatcher {
  readonly #options: ResourceWatcherOptions;
  readonly #ownership: Ownership;
  readonly #watches = new Map<string, ResourceWatch>();
  readonly #rounds: BackgroundTask;

  constructor(options: ResourceWatcherOptions) {
    this.#options = options;
    this.#ownership = new Ownership(options.store, () => unawaited(this.#leave()));
    const run = async (): Promise<number> => {
      await this.tick();
      return everyMs;
    };
    const { clock, onTrouble } = options;
    this.#rounds = new BackgroundTask({ name: 'triggers of resources', clock, run, onTrouble });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Resolves when it watches nothing and all work has ended. */
  async close(): Promise<void> {
    await this.#rounds.close();
    await this.#leave();
    this.#ownership.close();
  }

  /** Watches deployed triggers that no other orchestrator watches. Rejects with `UnavailableError`. */
  async tick(): Promise<void> {
    const wanted = new Map<string, ResourceTriggerTarget>();
    for (const taker of await this.#options.deployed.of('resource')) wanted.set(nameOf(taker), taker);
    for (const [name, watch] of this.#watches) {
      if (wanted.has(name)) continue;
      this.#watches.delete(name);
      await watch.close();
      await this.#ownership.disown(name);
    }
    for (const [name, taker] of wanted) {
      if (this.#rounds.isClosed) return;
      const isOurs = await this.#ownership.own(name);
      const watch = this.#watches.get(name);
      if (watch !== undefined) watch.taker = taker;
      else if (isOurs) this.#watches.set(name, new ResourceWatch(this.#options, taker));
    }
  }

  async #leave(): Promise<void> {
    const watches = [...this.#watches.values()];
    this.#watches.clear();
    await Promise.all(watches.map((watch) => watch.close()));
  }
}

const nameOf = ({ workflow, trigger: { key, server, uri } }: ResourceTriggerTarget): string =>
  `${workflow}.${key} ${server} ${uri}`;
