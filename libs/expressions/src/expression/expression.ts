/** Expressions and templates, compiled: what they read, and their value in a scope. */
import type { Json } from '@baton/primitives';

/** What an expression can see, by name: `inputs`, `steps`, `run`, `error`, the item's name, `index`, `secrets`. */
export type Scope = Readonly<Record<string, unknown>>;

/** What an expression reads, for the checker and for fetching large values before evaluating. */
export interface References {
  /** Top-level names read: `inputs`, `steps`, `run`, an item's name, … */
  readonly names: readonly string[];
  /** Ids read as `steps.<id>`. */
  readonly steps: readonly string[];
  /** Names read as `inputs.<name>`; absent: any of them may be read, if `names` has `inputs`. */
  readonly inputs?: readonly string[];
  /** Names read as `secrets.<NAME>`. */
  readonly secrets: readonly string[];
  /** `steps.<id>` is the handler's step, if that has the id of the failed step. */
  readonly seesHandlers?: true;
}

/** What evaluations have cost together, in elementary operations (`limits.expression.cost`). */
export interface EvaluationCost {
  units: number;
}

/** One bare CEL expression. Pure, and bounded in cost. */
export interface Expression extends References {
  readonly source: string;
  readonly pointer: string;
  /** Adds to `cost` what the evaluation cost, also where it fails. Throws `EvaluationError`. */
  evaluate(scope: Scope, cost?: EvaluationCost): Json;
}

/** A JSON value in which strings may hold `${{ … }}`. */
export interface Template<T extends Json = Json> extends References {
  readonly pointer: string;
  /** The value itself if nothing in it is computed. */
  readonly constant?: { readonly value: T };
  /** Throws `EvaluationError`. */
  evaluate(scope: Scope): T;
}
