/** What an editor asks about: what can be seen from where. Checking tells it in passing. */
import type { ExpressionSite } from './expressions.ts';
import type { Scope } from './scope.ts';

/** An expression and where it stands: from `offset` on in the text at the pointer. */
export interface SeenExpression {
  readonly source: string;
  readonly pointer: string;
  readonly offset: number;
}

/** A place may be told more than once; the last time counts. */
export interface CheckObserver {
  readonly onStep?: (pointer: string, scope: Scope) => void;
  readonly onExpression?: (site: ExpressionSite, seen: SeenExpression) => void;
}
