/** Bare CEL: `if`, `when`, `until`, `while`, `match`, `happened`, `failIf`. */
import { type Edition, editionNow } from '../edition.ts';
import type { Expression } from './expression.ts';
import { compileSource, evaluate } from './source.ts';
import { referencesOf, handlerVisibility } from './template.ts';

/** Accepts plain `true` and `false`. Throws `SyntaxProblem`. */
export function compileCondition(
  written: string | boolean,
  pointer: string,
  edition: Edition = editionNow,
): Expression {
  const compiled = compileSource(String(written));
  return {
    source: compiled.source,
    pointer,
    ...referencesOf(compiled),
    ...handlerVisibility(edition),
    evaluate: (scope, cost) => evaluate(compiled, scope, pointer, edition, cost),
  };
}
