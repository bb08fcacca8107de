/** Reports a key without a value, and the keys after it that were meant to be inside, as one mistake. */
import { quoted, childOf, segmentsOf } from '@baton/expressions';
import { isObject, type Json } from '@baton/primitives';
import { distance } from 'fastest-levenshtein';

import type { Problem } from '../problem.ts';

/** A key at this distance from a valid one is a typing error, and not indented too little. */
const slip = 2;

export function withoutOutdented(document: Json, problems: readonly Problem[]): Problem[] {
  const unknown = new Map(problems.flatMap((one) => (one.code === 'unknown-key' ? [[one.pointer, one] as const] : [])));
  const dropped = new Set<Problem>();
  const told = problems.map((problem) => {
    const after = problem.code === 'wrong-type' && unknown.size > 0 ? unknownAfter(document, problem, unknown) : [];
    const [first] = after;
    if (first === undefined) return problem;
    for (const one of after) dropped.add(one);
    const names = segmentsOf(problem.pointer);
    const inner = segmentsOf(first.pointer).at(-1) ?? '';
    return { ...problem, hint: `indent ${quoted(inner)} further if it belongs to ${quoted(names.at(-1) ?? '')}` };
  });
  return told.filter((one) => !dropped.has(one));
}

/** The unknown keys right after a key that has no value. */
function unknownAfter(document: Json, { pointer }: Problem, unknown: ReadonlyMap<string, Problem>): Problem[] {
  const segments = segmentsOf(pointer);
  const key = segments.at(-1);
  const owner = segments.slice(0, -1).reduce<unknown>(childIn, document);
  if (!isObject(owner) || key === undefined || owner[key] !== null) return [];
  const names = Object.keys(owner);
  const found: Problem[] = [];
  for (const name of names.slice(names.indexOf(key) + 1)) {
    const problem = unknown.get(childOf(pointer.slice(0, pointer.lastIndexOf('/')), name));
    if (problem === undefined || isSlip(name, problem)) break;
    found.push(problem);
  }
  return found;
}

const isSlip = (name: string, { meant }: Problem): boolean => meant !== undefined && distance(name, meant) <= slip;

function childIn(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return value[Number(segment)];
  return isObject(value) ? value[segment] : undefined;
}
