import type { StepDocument } from '../document/step.ts';
import type { Json } from '../json.ts';
import { reportMismatches } from '../schema/mismatch.ts';
import type { ExpressionSite } from './checkRun.ts';
import { checkTemplate } from './expressions.ts';
import { checkSchema } from './schema.ts';
import { formOf } from './stepType.ts';

export function checkAsk(site: ExpressionSite, step: Extract<StepDocument, { ask: unknown }>, pointer: string): void {
  const { report } = site.checking;
  checkTemplate(site, step.ask, `${pointer}/ask`);
  if (step.form !== undefined) checkSchema(site.checking, step.form, `${pointer}/form`);
  if (step.onExpire === undefined) return;
  checkTemplate(site, step.onExpire, `${pointer}/onExpire`);
  if (step.expires === undefined) {
    const message = 'A question that does not expire never needs this answer.';
    report({ code: 'unused-key', pointer: `${pointer}/onExpire`, at: 'key', message, expected: 'expires: 8h' });
  }
  if (!isComputed(step.onExpire)) {
    const sentence = 'The answer does not fit the form.';
    reportMismatches(report, formOf(step), step.onExpire, `${pointer}/onExpire`, sentence);
  }
}

/** Whether the value contains an expression. */
export const isComputed = (value: Json): boolean => JSON.stringify(value).includes('${{');
