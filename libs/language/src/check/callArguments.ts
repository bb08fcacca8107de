/** Checks the arguments of a call. */
import { type Type, types } from '@baton/expressions';

import type { StepDocument } from '../document/step.ts';
import type { GivenValue } from '../fit/fitValue.ts';
import type { ExpressionSite } from './checkRun.ts';
import { checkTemplate } from './expressions.ts';

export type CallArguments = Extract<StepDocument, { tool: unknown }>['with'];

/** The arguments, with the types of what is computed in them. `key`: what holds them in the step or the trigger. */
export function checkArguments(site: ExpressionSite, value: CallArguments, step: string, key = 'with'): GivenValue {
  const pointer = `${step}/${key}`;
  if (value === undefined) return { value: {}, pointer: undefined, types: new Map() };
  const computed = new Map<string, Type>();
  const type = checkTemplate({ ...site, computed }, value, pointer);
  if (!types.mayBe(type, ['map'])) {
    const found = types.describe(type);
    const message = `Arguments are a map, and this is ${found}.`;
    site.checking.report({ code: 'expression-type', pointer, message, expected: 'a map', found });
    computed.set(pointer, types.any);
  }
  return { value, pointer, types: computed };
}
