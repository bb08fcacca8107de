import type { Value } from './value.ts';

/** The part of a definition that a run executes: one item of a distributed `forEach`. */
export interface DefinitionPart {
  /** Pointer of the `forEach`. */
  readonly pointer: string;
  readonly index: number;
  /** The values that the body reads from outside: `{ steps: { id: view }, run, names: { item, index, … } }`. */
  readonly scope: Value;
}
