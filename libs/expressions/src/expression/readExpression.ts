/** Reads an expression that belongs to no workflow, so that a person can try it. */
import { withHint, type Json } from '@baton/primitives';

import { type Edition, editionNow } from '../edition.ts';
import { EvaluationError } from '../evaluationError.ts';
import { Evaluation } from './evaluation.ts';
import type { References, Scope } from './expression.ts';
import { SyntaxProblem } from './parse.ts';
import { compileSource, evaluateIn } from './source.ts';
import { compileTemplate, referencesOf, handlerVisibility } from './template.ts';

export interface TriedExpression extends References {
  /** Throws `EvaluationError`. */
  evaluate(scope: Scope): Json;
}

/**
 * `text`: bare CEL, or a text with `${{ … }}` in it. `edition`: of the definition whose values it reads; absent: the
 * current one. Throws `EvaluationError` if it cannot be parsed.
 */
export function readExpression(text: string, edition: Edition = editionNow): TriedExpression {
  try {
    return text.includes('${{') ? compileTemplate(text, '', edition) : bareExpression(text, edition);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const { message, hint } = error;
    throw new EvaluationError('expression-failed', withHint(message, hint), '', { cause: error });
  }
}

/** A map that it makes keeps or drops keys without value, like a `${{ … }}` of the edition. */
function bareExpression(text: string, edition: Edition): TriedExpression {
  const compiled = compileSource(text);
  return {
    ...referencesOf(compiled),
    ...handlerVisibility(edition),
    evaluate: (scope) => evaluateIn(new Evaluation(scope, undefined, edition), compiled, ''),
  };
}
