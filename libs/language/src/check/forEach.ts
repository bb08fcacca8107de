import { fieldHint, type Type, types, limits, quoted } from '@baton/expressions';

import { placed } from '../document/inner.ts';
import type { StepDocument } from '../document/step.ts';
import type { ExpressionSite, CheckRun, CheckBlock } from './checkRun.ts';
import { checkTemplate, reportNull } from './expressions.ts';
import { reservedReason } from './reservedNames.ts';
import { withNames, withSteps } from './scope.ts';
import type { InnerResult } from './stepType.ts';

type ForEach = Extract<StepDocument, { forEach: unknown }>;

const defaultItem = 'item';

export function checkForEach(
  site: ExpressionSite,
  step: ForEach,
  pointer: string,
  checkBlock: CheckBlock,
): InnerResult {
  const { checking, scope } = site;
  const name = step.as ?? defaultItem;
  const reason = reservedReason(name, 'item');
  if (reason !== undefined) {
    checking.report({
      code: 'reserved-name',
      pointer: `${pointer}/as`,
      message: `An item cannot be called ${quoted(name)}: ${reason}.`,
    });
  }
  const inner = withNames(scope, { [name]: itemType(site, step, pointer), index: types.integer });
  if (step.distribute === true) checkKeptUndo(checking, pointer);
  const body = checkBlock(checking, placed(step.steps, `${pointer}/steps`), inner);
  if (step.collect === undefined) return { shown: { collected: types.any }, steps: new Map() };
  const collected = checkTemplate({ checking, scope: withSteps(inner, body) }, step.collect, `${pointer}/collect`);
  return { shown: { collected: step.onItemError === 'collect' ? types.any : collected }, steps: new Map() };
}

/** A distributed item that has succeeded is never undone: warns of its `undo` steps. */
function checkKeptUndo({ index, report }: CheckRun, pointer: string): void {
  const undone = index.all.find((one) => 'undo' in one.step && one.pointer.startsWith(`${pointer}/steps/`));
  if (undone === undefined) return;
  const message =
    'With `distribute`, this takes back only what an item did that fails itself; one that has succeeded stays done.';
  const hint = 'leave out `distribute` where all items are to be undone';
  report({ code: 'undo-not-kept', pointer: `${undone.pointer}/undo`, at: 'key', message, hint });
}

function itemType(site: ExpressionSite, { forEach }: ForEach, pointer: string): Type {
  const { report } = site.checking;
  const at = `${pointer}/forEach`;
  const type = checkTemplate(site, forEach, at);
  if (typeof forEach === 'string' && !forEach.includes('${{')) {
    const message = 'A text is no list; an expression needs `${{ }}` around it.';
    report({
      code: 'not-a-list',
      pointer: at,
      message,
      expected: 'a list',
      hint: `\${{ ${forEach.trim().slice(0, 60)} }}`,
    });
    return types.any;
  }
  if (Array.isArray(forEach) && forEach.length > limits.step.items) {
    const message = `The list has ${forEach.length} items; ${limits.step.items} is the most.`;
    report({ code: 'out-of-range', pointer: at, at: 'key', message });
  }
  if (!types.mayBe(type, ['list'])) {
    const found = types.describe(type);
    report({
      code: 'not-a-list',
      pointer: at,
      message: `forEach goes through a list, and this is ${found}.`,
      expected: 'a list',
      found,
      hint: fieldHint(type, ['list']),
    });
    return types.any;
  }
  reportNull(site, type, at, 'forEach goes through a list');
  const alternatives = types.alternatives(type).filter(({ kind }) => kind === 'list' || kind === 'any');
  return types.union(alternatives.map((one) => (one.kind === 'list' ? one.of : one)));
}
