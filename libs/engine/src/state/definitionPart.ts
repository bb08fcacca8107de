import type { Value } from './value.ts';

/** Which part of its definition a run is. */
export interface DefinitionPart {
  /** Pointer of the `forEach`. */
  readonly pointer: string;
  readonly index: number;
  /** The outside values that the body reads: `{ steps: { id: view }, run, names: { item, index, … } }`. */
  readonly scope: Value;
}
