/** Lists what a workflow uses of each server. */
import type { CheckDocument, StepDocument } from '../document/step.ts';
import type { Workflow } from '../document/workflow.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { indexSteps } from './stepIndex.ts';

export interface CallTarget {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'event';
  readonly server: string;
  /** Of the tool, the prompt or the event. */
  readonly name: string | undefined;
  /** JSON pointer to the place that names it. */
  readonly pointer: string;
  /** `undo: declared`: the undo that the server configuration declares for the tool is called, too. */
  readonly isUndoneAsDeclared?: true;
}

/** In the order of the file, including handlers, checks and undo steps. */
export function targetsOf(workflow: Workflow): CallTarget[] {
  const triggers = (workflow.on ?? []).flatMap((trigger, i) => targetIn(trigger, `/on/${i}`));
  const steps = indexSteps(workflow).all.flatMap(({ step, pointer }) => [
    ...targetIn(step, pointer),
    ...('check' in step && step.check !== undefined ? targetIn(step.check, `${pointer}/check`) : []),
  ]);
  return [...triggers, ...steps];
}

/** The workflows that it runs as children, as written: `id`, or `id@version`. */
export const childrenOf = (workflow: Workflow): readonly string[] => [
  ...new Set(indexSteps(workflow).all.flatMap(({ step }) => ('workflow' in step ? [step.workflow] : []))),
];

type TargetDocument = StepDocument | CheckDocument | NonNullable<Workflow['on']>[number];

function targetIn(naming: TargetDocument, pointer: string): CallTarget[] {
  if ('tool' in naming && typeof naming.tool === 'string') {
    const isUndone = 'undo' in naming && naming.undo === 'declared';
    return [{ ...named('tool', naming.tool, `${pointer}/tool`), ...(isUndone && { isUndoneAsDeclared: true }) }];
  }
  if ('prompt' in naming) return [named('prompt', naming.prompt, `${pointer}/prompt`)];
  if ('poll' in naming) return [named('tool', naming.poll, `${pointer}/poll`)];
  if ('event' in naming) return [named('event', naming.event, `${pointer}/event`)];
  if (!('resource' in naming)) return [];
  return [{ kind: 'resource', server: naming.resource, name: undefined, pointer: `${pointer}/resource` }];
}

function named(kind: CallTarget['kind'], target: string, pointer: string): CallTarget {
  const [server, name] = splitTarget(target);
  return { kind, server, name, pointer };
}
