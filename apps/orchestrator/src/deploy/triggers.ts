/** The triggers (`on`) of deployed definitions, compiled once and cached. */
import { type TriggerPlan, compileTriggers, parsing } from '@baton/language';
import { runWithYields } from '@baton/runner';
import { type Store, getDefinition } from '@baton/store';

const keptMax = 500;

/** Takes the digest of a definition. Rejects with `UnavailableError`. */
export type Triggers = (definition: string) => Promise<readonly TriggerPlan[]>;

export function cachedTriggers(store: Store): Triggers {
  const kept = new Map<string, Promise<readonly TriggerPlan[]>>();
  return (digest) => {
    const triggers = kept.get(digest) ?? load(store, digest);
    kept.delete(digest);
    kept.set(digest, triggers);
    const [oldest] = kept.keys();
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
    triggers.catch(() => kept.delete(digest));
    return triggers;
  };
}

async function load(store: Store, digest: string): Promise<readonly TriggerPlan[]> {
  const definition = await getDefinition(store, digest);
  const { workflow } = definition === undefined ? {} : await runWithYields(parsing(definition.source));
  return workflow === undefined ? [] : compileTriggers(workflow);
}
