/** The failure of an expression: it names the key in which the expression is written. */
import { type EvaluationError, excerpt } from '@baton/expressions';
import { defined } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import type { Path } from '../state/path.ts';

/** `within`: JSON pointer of the step, or of the workflow, that has the expression. */
export function expressionFailure(error: EvaluationError, within: string, step?: Path): Failure {
  const { code, message, pointer, hint } = error;
  const key = pointer.startsWith(`${within}/`) ? keyOf(pointer.slice(within.length)) : '';
  return {
    code,
    message: key === '' ? message : `${excerpt(key)}: ${message}`,
    ...defined({ step }),
    details: { at: pointer, ...defined({ hint }) },
  };
}

/** `/with/items/0` as it is written in expressions: `with.items[0]`. */
const keyOf = (pointer: string): string =>
  pointer
    .slice(1)
    .split('/')
    .map((one) => one.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((keys, one) => (/^\d+$/.test(one) ? `${keys}[${one}]` : `${keys}.${one}`));
