/** Which of the step and the server configuration decides about a call whose answer is lost. */
import type { Effect, ToolStep } from '../plan.ts';
import type { DeclaredCheck, ToolDeclaration } from './declaration.ts';

/** What a step says itself; `check` counts where it is there. */
interface StepRule<Rule = unknown> {
  readonly ifUnknown?: Rule | undefined;
  readonly check?: unknown;
}

/** Whether the step leaves it to the `check` of its tool, if there is one. Other calls than a `write` are repeated. */
export const leavesToDeclared = ({ ifUnknown, check }: StepRule, effect: Effect): boolean =>
  effect === 'write' && check === undefined && (ifUnknown === undefined || ifUnknown === 'check');

export interface UnknownRule {
  readonly ifUnknown: ToolStep['ifUnknown'];
  /** The declared check that the step has. */
  readonly declared: DeclaredCheck | undefined;
}

export function whenUnknown(
  step: StepRule<ToolStep['ifUnknown']>,
  effect: Effect,
  declaration: ToolDeclaration | undefined,
): UnknownRule {
  const isDeclared = effect === 'write' && declaration?.check !== undefined;
  return {
    ifUnknown: step.ifUnknown ?? (isDeclared ? 'check' : 'fail'),
    declared: leavesToDeclared(step, effect) ? declaration?.check : undefined,
  };
}
