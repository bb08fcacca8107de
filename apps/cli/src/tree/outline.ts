/** The steps of a run before they begin, from the plan. */
import { type Block, type Plan, type Position, type Step, type Verb, placeOf } from '@baton/language';

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

export type FrameKind = 'item' | 'onError' | 'check' | 'ensure' | 'undo' | 'finally';

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
    children: childrenOf(step),
    inner: {
      item: step.verb === 'forEach' || step.verb === 'repeat' || step.verb === 'ensure' ? outlined(step.body) : [],
      onError: typeof step.onError === 'string' ? [] : step.onError.flatMap(({ block }) => outlined(block)),
      check: step.verb === 'tool' ? outlined(step.check?.block) : [],
      ensure: outlined(step.ensure),
      undo: outlined(step.undo),
      finally: step.verb === 'steps' ? outlined(step.finally) : [],
    },
  };
}

function childrenOf(step: Step): OutlinedStep[] {
  if (step.verb === 'parallel') return step.steps.map(outlinedStep);
  if (step.verb === 'steps') return outlined(step.body);
  return step.verb === 'switch' ? step.cases.flatMap(({ block }) => outlined(block)) : [];
}

function targetOf(step: Step): string | undefined {
  switch (step.verb) {
    case 'tool':
      return `${step.server}/${step.tool}`;
    case 'prompt':
      return `${step.server}/${step.prompt}`;
    case 'resource': {
      const uri = step.uri.constant?.value;
      return typeof uri === 'string' ? `${step.server} ${uri}` : step.server;
    }
    case 'workflow':
      return step.workflow;
    case 'ensure':
      return step.that.source;
    case 'sample':
    case 'ask':
    case 'wait':
    case 'set':
    case 'parallel':
    case 'steps':
    case 'switch':
    case 'forEach':
    case 'repeat':
    case 'fail':
      return undefined;
  }
}
