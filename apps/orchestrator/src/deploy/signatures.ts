/** What deployed workflows take and give, for those that run them as children. */
import type { WorkflowSignature } from '@baton/language';
import { parseWorkflow, signatureOf } from '@baton/language';
import type { Store } from '@baton/store';
import { getWorkflow, getWorkflowVersion } from '@baton/store';

import type { Signatures } from './checker.ts';

/** Of a workflow in its newest version by `id`, of others by `id@version`. */
export function signaturesIn(store: Store): Signatures {
  const signatureIn = async (id: string, version: number): Promise<WorkflowSignature | undefined> => {
    const found = await getWorkflowVersion(store, id, version);
    const workflow = found && parseWorkflow(found.definition.source).workflow;
    return workflow && signatureOf(workflow);
  };
  return async (workflows) => {
    const known = new Map<string, WorkflowSignature>();
    for (const target of workflows) {
      const [id = '', version] = target.split('@');
      const newest = (await getWorkflow(store, id))?.version;
      const latest = newest === undefined ? undefined : await signatureIn(id, newest);
      if (latest !== undefined) known.set(id, latest);
      const pinned = version === undefined ? undefined : await signatureIn(id, Number(version));
      if (pinned !== undefined) known.set(target, pinned);
    }
    return known;
  };
}
