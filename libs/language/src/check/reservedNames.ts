/** Reserved names. */
import { verbs } from '../document/step.ts';
import { ownNames } from './scope.ts';

/** The first part of a path where a step has no id: `tool-1`. */
const unnamed = new RegExp(`^(${verbs.join('|')})-\\d+$`);

/** CEL reads these as something else than a name. */
const keywords = new Set(['true', 'false', 'null', 'in']);
const forbidden = new Set(['__proto__', 'prototype', 'constructor']);

/** Why the name is reserved; undefined: it is free. */
export function reservedReason(name: string, by: 'step' | 'item'): string | undefined {
  if (forbidden.has(name)) return 'the name is not allowed anywhere';
  if (by === 'step' && unnamed.test(name)) return 'a step without an id is called so';
  if (keywords.has(name)) return 'it is a word of CEL';
  return by === 'item' && ownNames.includes(name) ? 'expressions have it already' : undefined;
}
