import { type Type, withDefaults } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import type { StepDocument } from '../document/step.ts';
import { fitArguments } from '../fit/fitValue.ts';
import { reportMismatches } from '../fit/mismatch.ts';
import type { ExpressionSite } from './checkRun.ts';
import { checkTemplate } from './expressions.ts';
import { checkSchema } from './schema.ts';
import { formOf } from './stepType.ts';

export function checkAsk(site: ExpressionSite, step: Extract<StepDocument, { ask: unknown }>, pointer: string): void {
  const { report } = site.checking;
  checkTemplate(site, step.ask, `${pointer}/ask`);
  if (step.form !== undefined) checkSchema(site.checking, step.form, `${pointer}/form`);
  if (step.onExpire === undefined) return;
  const [at, computed] = [`${pointer}/onExpire`, new Map<string, Type>()];
  checkTemplate({ ...site, computed }, step.onExpire, at);
  if (step.expires === undefined) {
    const message = 'A question that does not expire never needs this answer.';
    report({ code: 'unused-key', pointer: at, at: 'key', message, expected: 'expires: 8h' });
  }
  const form = formOf(step);
  const answer = withDefaults(form, step.onExpire);
  if (isComputed(step.onExpire)) {
    const given = { value: answer, pointer: at, types: computed };
    fitArguments(report, given, form, { owner: 'The form', named: at });
  } else reportMismatches(report, form, answer, at, 'The answer does not fit the form.');
}

/** Whether the value contains an expression. */
export const isComputed = (value: Json): boolean => JSON.stringify(value).includes('${{');
