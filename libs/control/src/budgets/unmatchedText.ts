/** A pattern that matches no deployed workflow: it may be misspelt, or come before its workflow. */
import { didYouMean } from '@baton/expressions';
import { type Store, listWorkflows } from '@baton/store';

const namesMax = 1_000;

/**
 * Undefined: a workflow is deployed that it matches. `isNearestNamed`: also says which one is meant, to who may see all
 * workflows. Rejects with `UnavailableError`.
 */
export async function unmatchedText(store: Store, on: string, isNearestNamed: boolean): Promise<string | undefined> {
  if (on === '*' || (await listWorkflows(store, { limit: 1, among: [on] })).workflows.length > 0) return undefined;
  const all = isNearestNamed ? (await listWorkflows(store, { limit: namesMax })).workflows : [];
  const projects = all.flatMap(({ id }) => (id.includes('/') ? [id.slice(0, id.indexOf('/') + 1).concat('*')] : []));
  const meant = didYouMean(on, new Set(on.endsWith('/*') ? projects : all.map(({ id }) => id)));
  return `No workflow ${on} is deployed${meant === undefined ? '.' : `: ${meant}`}`;
}
