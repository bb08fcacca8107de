/** The yes or no that a question asks for: its first field, where that is a boolean. */
import type { Question } from '@baton/api/client';
import { type Json, isObject } from '@baton/primitives';

import { fieldsOf } from '../parts/schemaForm.tsx';

export interface Decision {
  /** Name of the field. */
  readonly name: string;
  readonly yes: string;
  readonly no: string;
  /** No other field needs a value, and a person need not look elsewhere for each. */
  readonly isAlone: boolean;
}

export function decisionOf(form: Question['form']): Decision | undefined {
  const [first, ...others] = fieldsOf(form);
  if (first?.schema['type'] !== 'boolean') return undefined;
  const { name } = first;
  const [yes, no] = name.startsWith('approve') ? ['Approve', 'Reject'] : ['Yes', 'No'];
  return { name, yes, no, isAlone: name !== 'happened' && others.every(({ isRequired }) => !isRequired) };
}

const textMax = 80;

/** What a question counts as that expired: `it counts as rejected`. */
export function expiredText(form: Question['form'], onExpire: Json | undefined): string {
  if (onExpire === undefined) return 'without an answer by then, the step fails';
  const decision = decisionOf(form);
  const decided = decision && isObject(onExpire) ? onExpire[decision.name] : undefined;
  if (decision !== undefined && typeof decided === 'boolean') {
    if (decision.yes === 'Approve')
      return `without an answer by then, it counts as ${decided ? 'approved' : 'rejected'}`;
    return `without an answer by then, it counts as “${decided ? decision.yes : decision.no}”`;
  }
  const values = isObject(onExpire) ? Object.entries(onExpire).map(([name, value]) => `${name}: ${wordOf(value)}`) : [];
  const said = values.length === 0 ? JSON.stringify(onExpire) : values.join(', ');
  return `without an answer by then, the answer is ${said.length > textMax ? `${said.slice(0, textMax - 1)}…` : said}`;
}

const wordOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
