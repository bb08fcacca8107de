/** Checks `ensure`: each entry must be a read, and its condition true or false. */
import { SyntaxProblem, compileSource, limits, quoted, childOf } from '@baton/expressions';

import { defaults } from '../compile/defaults.ts';
import { durationMs } from '../document/duration.ts';
import type { EnsureDocument } from '../document/ensure.ts';
import { readOf } from '../document/inner.ts';
import { checkAction } from './actions.ts';
import type { CheckRun } from './checkRun.ts';
import { whyNoRead } from './effects.ts';
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
  checkRead(checking, entry, pointer);
  checkTimes(checking, entry, pointer);
  const found = checkAction({ checking, scope }, step, pointer);
  const result = stepType(step, found === undefined ? {} : { result: found });
  const at = `${pointer}/that`;
  checkCondition({ checking, scope: withNames(scope, { result }) }, entry.that, at);
  if (readsResult(entry.that)) return;
  const message = 'This does not read `result`, so what is read here shows nothing.';
  checking.report({ code: 'ensure-ignores-result', pointer: at, message, expected: 'a condition on `result`' });
}

function checkRead(checking: CheckRun, entry: EnsureDocument, pointer: string): void {
  if ('tool' in entry) {
    const why = whyNoRead(checking, entry);
    if (why === undefined) return;
    const message = `\`ensure\` only reads, and the tool ${quoted(entry.tool)} may write: ${why}.`;
    const tool = entry.tool.slice(entry.tool.indexOf('/') + 1);
    const hint = `name a tool that reads; if this one does, say so for the server: "effects": { ${quoted(tool)}: "read" }`;
    checking.report({ code: 'ensure-writes', pointer: `${pointer}/tool`, message, expected: 'a read', hint });
  } else if ('workflow' in entry) {
    const writing = checking.workflows?.get(entry.workflow)?.writing;
    if (writing === undefined) return;
    const message = `\`ensure\` only reads, and the workflow ${quoted(entry.workflow)} may do more: ${writing}.`;
    checking.report({ code: 'ensure-writes', pointer: `${pointer}/workflow`, message, expected: 'a read' });
  }
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
