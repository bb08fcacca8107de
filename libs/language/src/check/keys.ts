/** Finds keys that have no meaning at their place, and keys that contradict each other. */
import { quoted, didYouMean } from '@baton/expressions';

import { durationMs } from '../document/duration.ts';
import { type PlacedStep, handlersOf } from '../document/inner.ts';
import { isHandler } from '../document/step.ts';
import type { Workflow } from '../document/workflow.ts';
import type { ProblemReporter } from '../problem.ts';
import type { CheckRun } from './checkRun.ts';
import { reservedReason } from './reservedNames.ts';

type Retry = NonNullable<NonNullable<Workflow['defaults']>['retry']>;
type Timeout = NonNullable<NonNullable<Workflow['defaults']>['timeout']>;

export function checkKeys(checking: CheckRun, { step, pointer }: PlacedStep): void {
  const { report } = checking;
  const reason = step.id === undefined ? undefined : reservedReason(step.id, 'step');
  if (reason !== undefined) {
    report({
      code: 'reserved-name',
      pointer: `${pointer}/id`,
      message: `A step cannot be called ${quoted(step.id ?? '')}: ${reason}.`,
    });
  }
  if (step.needs !== undefined && !/\/parallel\/\d+$/.test(pointer)) {
    const message = '`needs` orders steps that run side by side; elsewhere steps run top to bottom.';
    report({ code: 'key-misplaced', pointer: `${pointer}/needs`, at: 'key', message, expected: 'inside `parallel`' });
  }
  if ('retry' in step && step.retry !== undefined) checkRetry(checking, step.retry, `${pointer}/retry`);
  if ('timeout' in step && step.timeout !== undefined) checkTimeout(report, step.timeout, `${pointer}/timeout`);
  if ('budget' in step && step.budget !== undefined) checkBudget(report, step.budget, `${pointer}/budget`);
  checkHandlers(checking, { step, pointer });
}

export function checkRetry(checking: CheckRun, { delay, maxDelay, attempts, on }: Retry, pointer: string): void {
  const { report } = checking;
  checkCodes(checking, on ?? [], `${pointer}/on`);
  if (attempts === 1 && on !== undefined) {
    const message = 'With one attempt nothing is tried again.';
    report({ code: 'unused-key', pointer: `${pointer}/on`, at: 'key', message });
  }
  const [delayMs, maxDelayMs] = [delay, maxDelay].map((one) => (one === undefined ? undefined : durationMs(one)));
  if (delayMs !== undefined && maxDelayMs !== undefined && delayMs > maxDelayMs) {
    const message = `The first delay, ${delay}, is longer than the longest, ${maxDelay}.`;
    report({ code: 'conflicting-values', pointer: `${pointer}/delay`, message, expected: `at most ${maxDelay}` });
  }
  if (attempts === 1 && (delay !== undefined || maxDelay !== undefined)) {
    const message = 'With one attempt there is no delay between attempts.';
    report({
      code: 'unused-key',
      pointer: `${pointer}/${delay === undefined ? 'maxDelay' : 'delay'}`,
      at: 'key',
      message,
    });
  }
}

export function checkTimeout(report: ProblemReporter, timeout: Timeout, pointer: string): void {
  if (typeof timeout === 'string') return;
  const { idle, total } = timeout;
  if (idle === undefined && total === undefined) {
    report({
      code: 'missing-key',
      pointer,
      message: 'This timeout says nothing.',
      expected: '`idle`, `total`, or both',
    });
  }
  if (idle !== undefined && total !== undefined && (durationMs(idle) ?? 0) >= (durationMs(total) ?? 0)) {
    const message = `The total, ${total}, is over before ${idle} without progress can be.`;
    report({ code: 'conflicting-values', pointer: `${pointer}/idle`, message, expected: `less than ${total}` });
  }
}

export function checkBudget(report: ProblemReporter, budget: object, pointer: string): void {
  if (Object.keys(budget).length > 0) return;
  report({
    code: 'missing-key',
    pointer,
    message: 'This budget says nothing.',
    expected: '`usd`, `tokens` or `toolCalls`',
  });
}

function checkHandlers(checking: CheckRun, { step, pointer }: PlacedStep): void {
  const { report, opaque } = checking;
  const onError = 'onError' in step ? step.onError : undefined;
  if (Array.isArray(onError)) {
    const strange = onError.findIndex((one) => isHandler(one) !== isHandler(onError[0]));
    if (strange > 0) {
      const message = 'Here stand steps and handlers side by side; `onError` takes a list of one or of the other.';
      report({ code: 'conflicting-keys', pointer: `${pointer}/onError/${strange}`, message });
    }
  }
  const handlers = handlersOf(step, pointer);
  const all = handlers.findIndex(({ match }) => match === undefined);
  const next = all < 0 ? undefined : handlers[all + 1];
  if (next !== undefined) {
    const message = 'No failure gets here: the handler before takes them all.';
    report({
      code: 'unreachable-case',
      pointer: next.matchPointer.replace(/\/match$/, ''),
      message,
      hint: 'put the one without `match` last',
    });
  }
  for (const { match, matchPointer } of handlers) {
    if (opaque.has(matchPointer.replace(/\/match$/, ''))) continue;
    checkCodes(checking, match ?? [], matchPointer, 'workflow' in step);
  }
}

/** `ofChild`: they are codes of a step that starts a child run. */
function checkCodes(
  { report, failureCodes }: CheckRun,
  codes: readonly string[],
  pointer: string,
  ofChild = false,
): void {
  codes.forEach((code, i) => {
    if (failureCodes === undefined || failureCodes.has(code)) return;
    const message = `No failure of Baton has the code ${quoted(code)}, and no \`fail\` of this file gives it.`;
    const childHint = 'a step whose child run failed has the code `child-failed`, and not that of the child';
    const hint = didYouMean(code, failureCodes) ?? (ofChild ? childHint : undefined);
    report({ code: 'unknown-failure-code', pointer: `${pointer}/${i}`, message, found: code, hint });
  });
}
