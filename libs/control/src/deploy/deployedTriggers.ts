/** The triggers of all deployed workflows' newest versions, read again when they change. */
import type { TriggerPlan } from '@baton/language';
import { type TaskTrouble, RowTroubles } from '@baton/runner';
import { type FoundVersion, type Store, listWorkflows } from '@baton/store';

import type { Triggers } from './triggers.ts';

export interface DeployedTrigger<Trigger extends TriggerPlan = TriggerPlan> {
  readonly workflow: string;
  readonly version: number;
  /** Who deployed it, as actors are written. */
  readonly deployedBy: string;
  readonly trigger: Trigger;
}

interface CachedTriggers {
  readonly definition: string;
  readonly triggers: readonly TriggerPlan[];
}

const pageSize = 200;

export class DeployedTriggers {
  readonly #store: Store;
  readonly #triggers: Triggers;
  readonly #troubles: RowTroubles;
  /** By workflow. */
  #kept = new Map<string, CachedTriggers>();

  constructor(store: Store, triggers: Triggers, onTrouble: TaskTrouble) {
    this.#store = store;
    this.#triggers = triggers;
    this.#troubles = new RowTroubles('triggers', onTrouble);
  }

  /**
   * The current triggers, ordered by workflow name; of a workflow whose definition was changed there are none. Rejects with
   * `UnavailableError`.
   */
  async of<Kind extends TriggerPlan['kind']>(
    ...kinds: readonly Kind[]
  ): Promise<readonly DeployedTrigger<Extract<TriggerPlan, { kind: Kind }>>[]> {
    const found: DeployedTrigger<Extract<TriggerPlan, { kind: Kind }>>[] = [];
    const kept = new Map<string, CachedTriggers>();
    for await (const { workflow, version, deployedBy, definition } of this.#newest()) {
      const before = this.#kept.get(workflow);
      const read = () => this.#triggers(definition);
      const isKept = before?.definition === definition;
      const triggers = isKept ? before.triggers : await this.#troubles.tryRow(workflow, read);
      if (triggers === undefined) continue;
      kept.set(workflow, { definition, triggers });
      for (const trigger of triggers) if (isOf(trigger, kinds)) found.push({ workflow, version, deployedBy, trigger });
    }
    this.#kept = kept;
    return found;
  }

  /** Those of one workflow. Rejects with `UnavailableError`. */
  async in<Kind extends TriggerPlan['kind']>(
    workflow: string,
    kind: Kind,
  ): Promise<readonly DeployedTrigger<Extract<TriggerPlan, { kind: Kind }>>[]> {
    const found = await this.#store.findVersion({ workflow });
    if (found === undefined) return [];
    const { version, deployedBy } = found;
    const triggers = await this.#triggers(found.definition);
    return triggers.flatMap((trigger) => (isOf(trigger, [kind]) ? [{ workflow, version, deployedBy, trigger }] : []));
  }

  async *#newest(): AsyncGenerator<FoundVersion & { readonly workflow: string }> {
    let after: string | undefined;
    do {
      const page = await listWorkflows(this.#store, { limit: pageSize, ...(after === undefined ? {} : { after }) });
      const versions = page.workflows.map(({ id: workflow }) => this.#store.findVersion({ workflow }));
      for (const [index, found] of (await Promise.all(versions)).entries()) {
        const workflow = page.workflows[index]?.id;
        // The workflow was removed in between.
        if (found !== undefined && workflow !== undefined) yield { workflow, ...found };
      }
      after = page.next;
    } while (after !== undefined);
  }
}

function isOf<Kind extends TriggerPlan['kind']>(
  trigger: TriggerPlan,
  kinds: readonly Kind[],
): trigger is Extract<TriggerPlan, { kind: Kind }> {
  return kinds.some((kind) => trigger.kind === kind);
}
