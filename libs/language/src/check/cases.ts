import type { SwitchCase } from '../document/inner.ts';
import { placed } from '../document/inner.ts';
import type { ExpressionSite } from './checkRun.ts';
import type { CheckBlock } from './checkRun.ts';
import { checkCondition, constantCondition } from './expressions.ts';
import type { StepsInScope } from './scope.ts';
import { atMost } from './scope.ts';

/** What a case leaves behind can be read afterwards only where that case was the one. */
export function checkCases(site: ExpressionSite, cases: readonly SwitchCase[], checkBlock: CheckBlock): StepsInScope {
  const { checking, scope } = site;
  let closedBy: string | undefined;
  const after = cases.flatMap((one) => {
    if (closedBy !== undefined) {
      const message = `No run gets here: ${closedBy}.`;
      const isElse = one.when === undefined;
      checking.report({
        code: 'unreachable-case',
        pointer: one.whenPointer,
        at: 'key',
        message,
        hint: isElse ? undefined : closedBy.startsWith('the `else`') ? 'put `else` last' : 'write it as `else`',
      });
    }
    if (one.when !== undefined) checkCondition(site, one.when, one.whenPointer);
    closedBy ??= closes(one);
    return [...atMost('branch', checkBlock(checking, placed(one.steps, one.pointer), scope))];
  });
  return new Map(after);
}

function closes({ when }: SwitchCase): string | undefined {
  if (when === undefined) return 'the `else` before takes all that is left';
  return constantCondition(when) === true ? 'the case before is always taken' : undefined;
}
