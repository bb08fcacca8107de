import { SyntaxProblem } from '../expression/parse.ts';
import { compileSource } from '../expression/source.ts';
import { guardsIn } from './expressions.ts';

/** What a step's `if` has asked `has(…)` about: it is there when the step runs. */
export function guardsOf(condition: string | boolean | undefined): ReadonlySet<string> {
  if (typeof condition !== 'string') return new Set();
  try {
    return new Set(guardsIn(compileSource(condition).node));
  } catch (error) {
    if (error instanceof SyntaxProblem) return new Set();
    throw error;
  }
}
