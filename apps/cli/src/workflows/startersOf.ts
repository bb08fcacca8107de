/** Says what starts a workflow, for `baton workflows show` and `baton workflows delete`. */
import { checkWorkflow, triggerTexts } from '@baton/language';

/** One text for each trigger of the source; undefined if this version of the language cannot read it. */
export function startersOf(source: string): readonly string[] | undefined {
  const { workflow } = checkWorkflow(source);
  return workflow && triggerTexts(workflow);
}
