import { type NamedWorkflow, unknownWorkflow, maySee, type Principal, may } from '@baton/control';
import { type Store, getWorkflow, getWorkflowVersion } from '@baton/store';

import type { GeneralAnswer } from './generalAnswers.ts';

/** The text of a deployed version. Rejects with `ProblemError` if the key may see none, and with `UnavailableError`. */
export async function workflowSource(
  { store }: { readonly store: Store },
  principal: Principal,
  wanted: NamedWorkflow,
): Promise<GeneralAnswer<'get_workflow'>> {
  const { workflow } = wanted;
  const newest = maySee(principal, workflow) ? await getWorkflow(store, workflow) : undefined;
  const found = newest && (await getWorkflowVersion(store, workflow, wanted.version ?? newest.version));
  if (newest === undefined || found === undefined) throw await unknownWorkflow(store, wanted, principal);
  const { version, definition } = found;
  const edited = `To change it, edit the text, check_workflow, then deploy_workflow with "version": ${newest.version}.`;
  const next = may(principal, ['workflows:write']) ? edited : 'run_workflow starts it.';
  return { workflow, version, newest: newest.version, source: definition.source, next };
}
