/** Reads an expression that belongs to no workflow, so that a person can try it. */
import { EvaluationError } from '../evaluationError.ts';
import type { Json } from '../json.ts';
import type { References, Scope } from '../plan.ts';
import { compileCondition } from './condition.ts';
import { SyntaxProblem } from './parse.ts';
import { compileTemplate } from './template.ts';

export interface TriedExpression extends References {
  /** Throws `EvaluationError`. */
  evaluate(scope: Scope): Json;
}

/** `text`: bare CEL, or a text with `${{ … }}` in it. Throws `EvaluationError` where it cannot be read. */
export function readExpression(text: string): TriedExpression {
  try {
    return text.includes('${{') ? compileTemplate(text, '') : compileCondition(text, '');
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const { message, hint } = error;
    throw new EvaluationError('expression-failed', hint === undefined ? message : `${message} Hint: ${hint}.`, '', {
      cause: error,
    });
  }
}
