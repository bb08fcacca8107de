/** Checks `ensure`: each entry must be a read, and its condition true or false. */
import { SyntaxProblem, compileSource, limits, quoted, childOf } from '@baton/expressions';

import { defaults } from '../compile/defaults.ts';
import { durationMs } from '../document/duration.ts';
import type { EnsureDocument } from '../document/ensure.ts';
import { readOf } from '../document/inner.ts';
import { checkAction } from './actions.ts';
import type { CheckRun } from './checkRun.ts';
import { checkReads } from './effects.ts';
import { checkCondition } from './expressions.ts';
import { checkKeys } from './keys.ts';
import { type CheckScope, withNames } from './scope.ts';
import { stepType } from './stepType.ts';

/** `pointer`: of the list. `scope`: what can be read at the end of the step or of the steps. */
export function checkEnsure(
  checking: CheckRun,
  entries: readonly EnsureDocument[],
  pointer: string,
  scope: CheckScope,
): void {
  entries.forEach((entry, i) => checkEntry(checking, entry, childOf(pointer, i), scope));
}

function checkEntry(checking: CheckRun, entry: EnsureDocument, pointer: string, scope: CheckScope): void {
  checking.observe?.onStep?.(pointer, scope);
  const step = readOf(entry);
  checkKeys(checking, { step, pointer });
  if ('tool' in entry) checkReads(checking, 'ensure-writes', entry, `${pointer}/tool`);
  else if ('workflow' in entry) checkWorkflowReads(checking, entry.workflow, pointer);
  checkTimes(checking, entry, pointer);
  const found = checkAction({ checking, scope }, step, pointer);
  const result = stepType(step, found === undefined ? {} : { result: found });
  const at = `${pointer}/that`;
  checkCondition({ checking, scope: withNames(scope, { result }) }, entry.that, at);
  if (readsResult(entry.that)) return;
  const message = 'This does not read `result`, so what is read here shows nothing.';
  checking.report({ code: 'ensure-ignores-result', pointer: at, message, expected: 'a condition on `result`' });
}

function checkWorkflowReads(checking: CheckRun, workflow: string, pointer: string): void {
  const writing = checking.workflows?.get(workflow)?.writing;
  if (writing === undefined) return;
  const message = `\`ensure\` only reads, and the workflow ${quoted(workflow)} may do more: ${writing}.`;
  checking.report({ code: 'ensure-writes', pointer: `${pointer}/workflow`, message, expected: 'a read' });
}

function checkTimes({ report }: CheckRun, { within, every }: EnsureDocument, pointer: string): void {
  const at = `${pointer}/every`;
  if (within === undefined) {
    if (every === undefined) return;
    const message = 'Without `within` it reads once, so there is no pause between two reads.';
    report({ code: 'unused-key', pointer: at, at: 'key', message, expected: 'within: 1m' });
    return;
  }
  const withinMs = durationMs(within) ?? 0;
  const everyMs = every === undefined ? defaults.ensure.everyMs : (durationMs(every) ?? withinMs);
  const most = limits.step.ensureReads;
  if (withinMs <= everyMs * most) return;
  const place = every === undefined ? `${pointer}/within` : at;
  const message = `That would be more than ${most.toLocaleString('en')} reads.`;
  report({ code: 'conflicting-values', pointer: place, message, expected: 'a shorter `within`, or a longer `every`' });
}

/** Of an expression that cannot be parsed, its syntax is reported. */
function readsResult(that: string | boolean): boolean {
  try {
    return compileSource(String(that)).reading.names.has('result');
  } catch (error) {
    if (error instanceof SyntaxProblem) return true;
    throw error;
  }
}
