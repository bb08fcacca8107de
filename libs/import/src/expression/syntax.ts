/** The syntax tree of expressions of other systems, a subset of JavaScript. */
export type Syntax =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Syntax; readonly key: Syntax; readonly isOptional: boolean }
  | { readonly kind: 'call'; readonly callee: Syntax; readonly args: readonly Syntax[] }
  | { readonly kind: 'not' | 'minus'; readonly of: Syntax }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Syntax; readonly right: Syntax }
  | { readonly kind: 'choice'; readonly when: Syntax; readonly holds: Syntax; readonly otherwise: Syntax }
  | { readonly kind: 'list'; readonly items: readonly Syntax[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Syntax])[] }
  | { readonly kind: 'text'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'arrow'; readonly parameter: string; readonly body: Syntax };

/** An expression has no counterpart in CEL; the message says which part. */
export class UnmappedError extends Error {
  override readonly name = 'UnmappedError';
}

/** Limits the recursion of parsers and of the translator, which recurse at each operator. */
const partsMax = 1_000;

/** Throws `UnmappedError`. */
export function limitParts(count: number): void {
  if (count > partsMax) throw new UnmappedError(`it has more than ${partsMax} parts`);
}

export const literalOf = (value: string | number | boolean | null): Syntax => ({ kind: 'literal', value });
