/** Finds what a workflow does besides reading, before its tools are pinned. */
import { quoted } from '@baton/expressions';

import type { Workflow } from '../document/workflow.ts';
import { strongerEffect } from '../servers/shownEffect.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import type { CheckOptions } from './options.ts';
import { type StepLocation, indexSteps } from './stepIndex.ts';

/** In words; undefined: nothing of it is known to do more. */
export const writingIn = (workflow: Workflow, effects: CheckOptions['effects']): string | undefined =>
  indexSteps(workflow)
    .all.map((one) => (isOfEnsure(one) ? undefined : writingOf(one, effects)))
    .find((why) => why !== undefined);

/** Its own check has proven that it reads. */
const isOfEnsure = ({ containers }: StepLocation): boolean =>
  containers.some(({ kind, pointer }) => kind === 'ensure' || pointer === '/ensure');

function writingOf({ step }: StepLocation, effects: CheckOptions['effects']): string | undefined {
  if ('workflow' in step) return `it runs the workflow ${quoted(step.workflow)}`;
  if ('sample' in step) return step.sample.via === 'caller' ? undefined : 'it asks a model, which costs';
  if (!('tool' in step)) return undefined;
  const known = effects?.(...splitTarget(step.tool))?.effect ?? 'read';
  return strongerEffect(step.effect ?? known, known) === 'read' ? undefined : `it calls ${quoted(step.tool)}`;
}
