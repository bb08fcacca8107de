/** Bare CEL: `if`, `when`, `until`, `while`, `match`, `happened`. */
import type { Expression } from '../plan.ts';
import { compileSource, evaluate } from './source.ts';
import { referencesOf } from './template.ts';

/** `true` and `false` may be written as such. Throws `SyntaxProblem`. */
export function compileCondition(written: string | boolean, pointer: string): Expression {
  const compiled = compileSource(String(written));
  return {
    source: compiled.source,
    pointer,
    ...referencesOf(compiled),
    evaluate: (scope) => evaluate(compiled, scope, pointer),
  };
}
