/** Compiled definitions, by digest: compiled once, the most recently used ones kept. */
import { invariant } from '@baton/engine';
import type { Plan } from '@baton/language';
import { compile, parseWorkflow } from '@baton/language';
import type { Plans } from '@baton/runner';
import type { Store } from '@baton/store';
import { getDefinition } from '@baton/store';

const keptMax = 500;

export function cachedPlans(store: Store): Plans {
  const kept = new Map<string, Promise<Plan>>();
  return async (digest) => {
    const known = kept.get(digest);
    kept.delete(digest);
    const plan = known ?? load(store, digest);
    kept.set(digest, plan);
    const [oldest] = kept.keys();
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
    plan.catch(() => kept.delete(digest));
    return plan;
  };
}

async function load(store: Store, digest: string): Promise<Plan> {
  const definition = await getDefinition(store, digest);
  invariant(definition !== undefined, `no definition has the digest ${digest}`);
  const { workflow } = parseWorkflow(definition.source);
  invariant(workflow !== undefined, `the definition ${digest} was stored, and does not parse`);
  return compile(workflow, { effects: (server, tool) => definition.pins[`${server}/${tool}`] });
}
