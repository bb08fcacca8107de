import { control, may, type NamedWorkflow, type Principal } from '@baton/control';
import type { Store } from '@baton/store';

import type { GeneralAnswer } from '../tools/generalAnswers.ts';

/** The text of a deployed version. Rejects with `ProblemError` if the key may see none, and with `UnavailableError`. */
export async function workflowSource(
  { store }: { readonly store: Store },
  principal: Principal,
  { workflow, version: wanted }: NamedWorkflow,
): Promise<GeneralAnswer<'get_workflow'>> {
  const { newest, shown } = await control.getWorkflow({ store }, principal, { id: workflow, version: wanted });
  const { version, definition } = shown;
  const edited = `To change it, edit the text, check_workflow, then deploy_workflow with "version": ${newest.version}.`;
  const next = may(principal, ['workflows:write']) ? edited : 'run_workflow starts it.';
  return { workflow, version, newest: newest.version, source: definition.source, next };
}
