/**
 * One evaluation: what it can read, and its remaining cost.
 *
 * Every evaluated node, every visited item and every 64 characters that are read or made cost one. When nothing is
 * left, the evaluation ends, even inside an operator that ignores errors.
 */
import { type Edition, editionNow } from '../edition.ts';
import { limits } from '../limits.ts';
import type { Scope } from './expression.ts';
import type { ExpressionNode } from './parse.ts';
import type { Value, ValueMap } from './value.ts';

/** The cost limit is exceeded. Nothing in an expression can catch this. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/** A value has the wrong kind. `||`, `&&`, `all` and `exists` may ignore it. */
export class EvaluationFailed extends Error {
  override readonly name = 'Failed';
  readonly node: ExpressionNode;
  /** Builds the message: only where the failure is reported. */
  readonly say: () => string;
  /** What the author may write instead. */
  readonly hint: string | undefined;

  constructor(node: ExpressionNode, say: () => string, hint?: string) {
    super();
    this.node = node;
    this.say = say;
    this.hint = hint;
  }
}

const { cost, listItems, textCharacters } = limits.expression;

/** Making an error with its stack takes some microseconds. */
const failureCost = 150;
const charactersPerUnit = 64;
/** V8 stores a map with this many keys as a hash table, which is slow to iterate. */
const tableKeys = 500;
const unitsPerTableKey = 6;

export class Evaluation {
  readonly scope: Scope;
  /** Values of the names that `map`, `all` and similar forms bind. */
  readonly locals: Value[] = [];
  #made: Set<object> | undefined;
  #left: number;

  /** Keys of maps whose value is none are left out; else they are null. */
  readonly omitsNone: boolean;
  /** The output of a step that has none is not there; else it is there, and null. */
  readonly lacksOutput: boolean;

  constructor(scope: Scope, left: number = cost, edition: Edition = editionNow) {
    this.scope = scope;
    this.#left = left;
    this.omitsNone = edition > 1;
    this.lacksOutput = edition > 3;
  }

  /** The remaining cost; below zero, the evaluation must end. */
  get left(): number {
    return this.#left;
  }

  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new BudgetSpent('it does more than one evaluation may');
  }

  chargeText(characters: number): void {
    this.charge(1 + characters / charactersPerUnit);
  }

  list(items: readonly Value[]): readonly Value[] {
    if (items.length > listItems) throw new BudgetSpent(`it makes a list of more than ${listItems} items`);
    (this.#made ??= new Set()).add(items);
    return items;
  }

  map(map: ValueMap): ValueMap {
    (this.#made ??= new Set()).add(map);
    return map;
  }

  /**
   * Whether this evaluation made the list or map: only such values may contain what JSON cannot. All others came as
   * JSON.
   */
  isMade(value: object): boolean {
    return this.#made?.has(value) === true;
  }

  /** The keys of any map. */
  keysOf(map: object): readonly string[] {
    const keys = Object.keys(map);
    this.charge(keys.length > tableKeys ? keys.length * unitsPerTableKey : keys.length);
    return keys;
  }

  /** Call this before making a text of this length. */
  roomForText(characters: number): void {
    if (characters > textCharacters) throw new BudgetSpent(`it makes a text of more than ${textCharacters} characters`);
    this.chargeText(characters);
  }

  fail(node: ExpressionNode, say: () => string, hint?: string): never {
    this.charge(failureCost);
    throw new EvaluationFailed(node, say, hint);
  }
}
