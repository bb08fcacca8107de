import type { Store } from '@baton/store';
import { getWorkflow, getWorkflowVersion } from '@baton/store';

import type { NamedWorkflow } from '../intake/unknownWorkflow.ts';
import { unknownWorkflow } from '../intake/unknownWorkflow.ts';
import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';

/** The text of a deployed version. Rejects with `ProblemError` if the key may see none, and with `UnavailableError`. */
export async function workflowSource(
  { store }: { readonly store: Store },
  principal: Principal,
  wanted: NamedWorkflow,
): Promise<object> {
  const { workflow } = wanted;
  const newest = maySee(principal, workflow) ? await getWorkflow(store, workflow) : undefined;
  const found = newest && (await getWorkflowVersion(store, workflow, wanted.version ?? newest.version));
  if (newest === undefined || found === undefined) throw await unknownWorkflow(store, wanted, principal);
  const { version, definition } = found;
  return { workflow, version, newest: newest.version, source: definition.source };
}
