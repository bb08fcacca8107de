/** The steps of a run before they begin, from the plan. */
import type { Position } from '@baton/expressions';
import {
  type Block,
  type BlockRole,
  type Plan,
  type Step,
  type Verb,
  blocksInRole,
  placeOf,
  targetOf,
} from '@baton/language';

export interface OutlinedStep {
  readonly key: string;
  /** The author's title; else the name in its path. */
  readonly label: string;
  readonly verb: Verb;
  readonly target: string | undefined;
  /** The most attempts. */
  readonly attempts: number;
  /** Steps of a `parallel`, a `switch` or a group: in the frame of the step itself. */
  readonly children: readonly OutlinedStep[];
  /** Steps in frames of their own: items and rounds, handlers, checks, `ensure`, undoing. */
  readonly inner: Readonly<Record<FrameKind, readonly OutlinedStep[]>>;
}

export interface WorkflowOutline {
  readonly title: string | undefined;
  readonly main: readonly OutlinedStep[];
  readonly onFailure: readonly OutlinedStep[];
  readonly finally: readonly OutlinedStep[];
  /** The place in the file of a JSON pointer; absent if the file is not known. */
  readonly placeOf?: (pointer: string) => Position;
}

export type FrameKind = Exclude<BlockRole, 'shared'>;

export function frameKindOf(frame: string): FrameKind {
  if (frame === '@onError') return 'onError';
  if (frame === '@ensure') return 'ensure';
  if (frame === '@undo') return 'undo';
  if (frame === '@finally') return 'finally';
  return frame.startsWith('@check') ? 'check' : 'item';
}

/** `source`: the text of the workflow. */
export function outlineOf(plan: Plan, source?: string): WorkflowOutline {
  return {
    title: plan.title,
    main: outlined(plan.steps),
    onFailure: outlined(plan.onFailure),
    finally: outlined(plan.finally),
    ...(source === undefined ? {} : { placeOf: (pointer) => placeOf(source, pointer) }),
  };
}

const outlined = (block: Block | undefined): OutlinedStep[] => block?.steps.map(outlinedStep) ?? [];

function outlinedStep(step: Step): OutlinedStep {
  return {
    key: step.key,
    label: step.title ?? (step.verb === 'ensure' ? step.verb : step.key),
    verb: step.verb,
    target: targetOf(step),
    attempts: step.retry.attempts,
    children: inRole(step, 'shared'),
    inner: {
      item: inRole(step, 'item'),
      onError: inRole(step, 'onError'),
      check: inRole(step, 'check'),
      ensure: inRole(step, 'ensure'),
      undo: inRole(step, 'undo'),
      finally: inRole(step, 'finally'),
    },
  };
}

const inRole = (step: Step, role: BlockRole): OutlinedStep[] => blocksInRole(step, role).flatMap(outlined);
