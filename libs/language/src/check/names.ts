/** Names that mean something already. */
import { ownNames } from './scope.ts';

/** CEL reads these as something else wherever a name could stand. */
const celWords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** After a dot, only these. */
const literals = new Set(['true', 'false', 'null', 'in']);
const forbidden = new Set(['__proto__', 'prototype', 'constructor']);

/** Why the name cannot be taken; undefined: it can. */
export function reservedReason(name: string, by: 'step' | 'item'): string | undefined {
  if (forbidden.has(name)) return 'the name is not allowed anywhere';
  if ((by === 'step' ? literals : celWords).has(name)) return 'it is a word of CEL';
  return by === 'item' && ownNames.includes(name) ? 'expressions have it already' : undefined;
}
