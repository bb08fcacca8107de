/** The triggers (`on`) of deployed definitions, compiled once and cached. */
import { type TriggerPlan, compileTriggers, parsing } from '@baton/language';
import { cachedLoads } from '@baton/primitives';
import { runWithYields } from '@baton/runner';
import { type Store, getDefinition } from '@baton/store';

const keptMax = 500;

/** Takes the digest of a definition. Rejects with `UnavailableError`. */
export type Triggers = (definition: string) => Promise<readonly TriggerPlan[]>;

export const cachedTriggers = (store: Store): Triggers => cachedLoads(keptMax, (digest) => load(store, digest));

async function load(store: Store, digest: string): Promise<readonly TriggerPlan[]> {
  const definition = await getDefinition(store, digest);
  const { workflow } = definition === undefined ? {} : await runWithYields(parsing(definition.source));
  return workflow === undefined ? [] : compileTriggers(workflow);
}
