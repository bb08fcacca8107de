import { types } from '@baton/expressions';

import { type SwitchCase, placed } from '../document/inner.ts';
import type { StepList } from '../document/step.ts';
import type { ExpressionSite, CheckBlock } from './checkRun.ts';
import { checkCondition, constantCondition } from './expressions.ts';
import { withRanSteps } from './guards.ts';
import type { KnownName, StepsInScope } from './scope.ts';

/** After a `switch`, steps of one case can be read only if that case ran; steps that every case has, always. */
export function checkCases(site: ExpressionSite, cases: readonly SwitchCase[], checkBlock: CheckBlock): StepsInScope {
  const { checking, scope } = site;
  let closedBy: string | undefined;
  const ends: StepsInScope[] = [];
  for (const one of cases) {
    if (closedBy !== undefined) {
      const message = `No run gets here: ${closedBy}.`;
      const advice = closedBy === afterElse ? 'put `else` last' : 'write it as `else`';
      const hint = one.when === undefined ? undefined : advice;
      checking.report({ code: 'unreachable-case', pointer: one.whenPointer, at: 'key', message, hint });
    }
    if (one.when !== undefined) checkCondition(site, one.when, one.whenPointer);
    closedBy ??= closes(one);
    const seen = checkBlock(checking, placed(one.steps, one.pointer), withRanSteps(scope, one.when));
    if (!endsInFailure(one.steps)) ends.push(seen);
  }
  return joined(ends, closedBy !== undefined);
}

const endsInFailure = (steps: StepList): boolean => steps.some((step) => 'fail' in step && step.if === undefined);

/** `isClosed`: one of the cases always runs. */
function joined(ends: readonly StepsInScope[], isClosed: boolean): StepsInScope {
  const ids = new Set(ends.flatMap((end) => [...end.keys()]));
  return new Map(
    [...ids].map((id): [string, KnownName] => {
      const given = ends.flatMap((end) => end.get(id) ?? []);
      const isSure = isClosed && given.length === ends.length && given.every(({ certainty }) => certainty === 'ran');
      const type = types.union(given.map((one) => one.type));
      const isCall = given.some((one) => one.isCall === true);
      return [id, { type, isCall, certainty: isSure ? 'ran' : 'branch' }];
    }),
  );
}

const afterElse = 'the `else` before takes all that is left';

/** Why no later case can run; undefined: one can. */
function closes({ when }: SwitchCase): string | undefined {
  if (when === undefined) return afterElse;
  return constantCondition(when) === true ? 'the case before is always taken' : undefined;
}
