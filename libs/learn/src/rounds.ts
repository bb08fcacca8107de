/** Finds calls that are rounds of one `repeat`: the pages of a list, and polls until something has happened. */
import { valueView } from '@baton/engine';
import { type Json, isObject } from '@baton/primitives';

import { isCursorName, isSameName } from './sameName.ts';
import { type SeenCall, callKey, stable, targetOf } from './seenCall.ts';

/** How the next page of a list is asked for. */
export type PageStep =
  /** The argument is a value of the answer before. `path`: its keys. */
  | { readonly argument: string; readonly path: readonly string[] }
  /** The argument counts. */
  | { readonly argument: string; readonly by: number };

/** What expressions read as the output of the call. */
export const outputOf = ({ verb, result = {} }: Pick<SeenCall, 'verb' | 'result'>): Json =>
  valueView(verb, result).output ?? null;

/** How many of the calls, from the first on, ask for one page after another, and how; undefined: they do not. */
export function pagesIn(calls: readonly SeenCall[]): { readonly count: number; readonly step: PageStep } | undefined {
  const [first, second] = calls;
  if (first === undefined || second === undefined || !isPage(first, first)) return undefined;
  const found = stepsBetween(first, second).map((step) => ({ step, count: 1 + countOf(calls.slice(1), first, step) }));
  return found.filter(({ step, count }) => isCertain(step, count, second)).toSorted((a, b) => b.count - a.count)[0];
}

/** How many of the calls go on with this step. */
function countOf(rest: readonly SeenCall[], first: SeenCall, step: PageStep): number {
  let before = first;
  let count = 0;
  for (const call of rest) {
    if (!isPage(call, first) || !stepsBetween(before, call).some((one) => stable(one) === stable(step))) break;
    before = call;
    count += 1;
  }
  return count;
}

const isPage = (call: SeenCall, first: SeenCall): boolean =>
  call.effect === 'read' && call.result !== undefined && targetOf(call) === targetOf(first);

/** Two calls may have a value in common by chance; then the names have to agree. */
function isCertain(step: PageStep, count: number, second: SeenCall): boolean {
  const { argument } = step;
  // Numbers that follow each other may be those of items.
  if ('by' in step) return isCursorName(argument);
  const key = step.path.at(-1) ?? '';
  if (isSameName(key, argument) || (isCursorName(key) && isCursorName(argument))) return true;
  return (count > 2 || isCursorName(key)) && JSON.stringify(second.arguments[argument] ?? '').length >= 4;
}

/** Every step that leads from the one call to the other: they differ in one argument. */
function stepsBetween(before: SeenCall, after: SeenCall): readonly PageStep[] {
  const keys = new Set([...Object.keys(before.arguments), ...Object.keys(after.arguments)]);
  const differing = [...keys].filter((key) => !isEqual(before.arguments[key], after.arguments[key]));
  const [argument] = differing;
  if (differing.length !== 1 || argument === undefined) return [];
  const [was, is] = [before.arguments[argument], after.arguments[argument]];
  if (is === undefined || is === null || typeof is === 'object') return [];
  const byAnswer = pathsTo(outputOf(before), is).map((path) => ({ argument, path }));
  if (typeof is !== 'number') return byAnswer;
  const from = typeof was === 'number' ? was : undefined;
  // Without a number, the first page is meant.
  const by = from === undefined ? is - 1 : is - from;
  const counts = Number.isInteger(by) && by !== 0 && (from !== undefined || (is === 2 && /page/i.test(argument)));
  return counts ? [...byAnswer, { argument, by }] : byAnswer;
}

const isEqual = (one: Json | undefined, other: Json | undefined): boolean =>
  stable(one ?? null) === stable(other ?? null);

const depthMax = 4;

/** Keys that lead to the value, through maps and not through lists. */
function pathsTo(output: Json, value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (!isObject(output) || path.length >= depthMax) return [];
  return Object.entries(output).flatMap(([key, one]) =>
    isEqual(one, value) ? [[...path, key]] : pathsTo(one, value, [...path, key]),
  );
}

/** Moves the pages of a list behind the first of them, where other calls were made in between. */
export function pagesTogether(calls: readonly SeenCall[]): readonly SeenCall[] {
  const left = [...calls];
  const sorted: SeenCall[] = [];
  for (let call = left.shift(); call !== undefined; call = left.shift()) {
    sorted.push(call);
    if (!isPage(call, call)) continue;
    const first = call;
    const chain = pagesIn([first, ...left.filter((one) => isPage(one, first))]);
    if (chain === undefined) continue;
    const pages = left.filter((one) => isPage(one, first)).slice(0, chain.count - 1);
    sorted.push(...pages);
    for (const page of pages) left.splice(left.indexOf(page), 1);
  }
  return sorted;
}

/** How many of the calls, from the first on, ask the same until the answer is another; 0: they do not. */
export function pollsIn(calls: readonly SeenCall[]): number {
  const [first] = calls;
  if (first === undefined || !isPage(first, first)) return 0;
  const other = calls.findIndex((call) => call.result === undefined || callKey(call) !== callKey(first));
  const round = calls.slice(0, other < 0 ? calls.length : other);
  return new Set(round.map(({ result = {} }) => stable(result))).size > 1 ? round.length : 0;
}

/** The lists that every answer has at the same place. */
export function listsIn(outputs: readonly Json[]): readonly (readonly string[])[] {
  const [first = null] = outputs;
  return pathsOfLists(first).filter((path) => outputs.every((output) => isListAt(output, path)));
}

function pathsOfLists(output: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (Array.isArray(output)) return [path];
  if (!isObject(output) || path.length >= depthMax) return [];
  return Object.entries(output).flatMap(([key, one]) => pathsOfLists(one, [...path, key]));
}

function isListAt(output: Json, path: readonly string[]): boolean {
  const found = valueAt(output, path);
  // The last page may leave out an empty list.
  return found === undefined || found === null || Array.isArray(found);
}

export const valueAt = (output: Json, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), output);
