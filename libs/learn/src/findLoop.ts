/** Finds loops: the same calls over the items of a list from an earlier answer. */
import { interpolated, member } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

import { type DraftStep, freeId } from './draft.ts';
import { itemName, itemPlaces } from './itemPlaces.ts';
import type { DraftedCall, Learner } from './learner.ts';
import { type KnownValues, type Place, linesOf, placesIn } from './places.ts';
import { explainTaken } from './predicate.ts';
import { type SeenCall, stable, targetOf } from './seenCall.ts';

const bodyMax = 4;

interface ItemList {
  readonly expression: string;
  readonly items: readonly Json[];
  readonly step: string | undefined;
}

/** The longest loop that the calls begin with. */
export function findLoop(learner: Learner, calls: readonly SeenCall[]): DraftStep | undefined {
  const own = calls.map(shapeOf);
  const candidates: { size: number; rounds: number }[] = [];
  for (let size = 1; size <= bodyMax; size += 1) {
    const rounds = roundsOf(own, size);
    const isWhole = size === 1 || !calls.slice(0, size * rounds).some(({ failure }) => failure !== undefined);
    if (rounds >= 2 && isWhole) candidates.push({ size, rounds });
  }
  candidates.sort((a, b) => b.size * b.rounds - a.size * a.rounds || a.size - b.size);
  for (const { size, rounds } of candidates) {
    const round = (n: number): readonly SeenCall[] => calls.slice(n * size, (n + 1) * size);
    const loop = fold(
      learner,
      Array.from({ length: rounds }, (_, n) => round(n)),
    );
    if (loop !== undefined) return loop;
  }
  return undefined;
}

/** A key that is equal for calls with the same target and argument names, which may be rounds of one loop. */
function shapeOf(call: SeenCall): string {
  const shape = shapes.get(call) ?? `${call.verb} ${targetOf(call)} ${Object.keys(call.arguments).toSorted().join()}`;
  shapes.set(call, shape);
  return shape;
}

const shapes = new WeakMap<SeenCall, string>();

function roundsOf(shapes: readonly string[], size: number): number {
  let rounds = 1;
  while (
    (rounds + 1) * size <= shapes.length &&
    Array.from({ length: size }, (_, at) => shapes[rounds * size + at] === shapes[at]).every(Boolean)
  ) {
    rounds += 1;
  }
  return rounds;
}

function fold(learner: Learner, rounds: readonly (readonly SeenCall[])[]): DraftStep | undefined {
  const varying = rounds.map((round) => varyingTexts(round, rounds));
  if (varying.some((texts) => texts.length === 0)) return undefined;
  for (const list of listsIn(learner.places(), rounds.length)) {
    const taken = assign(list.items, varying);
    const loop = taken && tryList(learner, rounds, list, taken);
    if (loop !== undefined) return loop;
  }
  return undefined;
}

/** Lists of earlier answers and inputs, and lines of texts; the nearest first. */
function listsIn({ all }: KnownValues, least: number): readonly ItemList[] {
  const near = all.toSorted((a, b) => b.order - a.order || a.depth - b.depth);
  const lists = near.flatMap((place): ItemList[] => {
    const { value, expression, step } = place;
    if (Array.isArray(value)) return [{ expression, items: value as readonly Json[], step }];
    const lines = linesOf(place);
    return lines === undefined ? [] : [{ expression: lines.list, items: lines.items, step }];
  });
  return lists.filter(({ items }) => items.length >= least);
}

/** Texts of a round that differ from those of other rounds. */
function varyingTexts(round: readonly SeenCall[], rounds: readonly (readonly SeenCall[])[]): readonly string[] {
  const own = round.flatMap((call, at) =>
    leavesOf(call.arguments).map(([path, text]) => [`${at}${path}`, text] as const),
  );
  const others = rounds.map(
    (other) =>
      new Map(
        other.flatMap((call, at) => leavesOf(call.arguments).map(([path, text]) => [`${at}${path}`, text] as const)),
      ),
  );
  return own.filter(([path, text]) => others.some((other) => other.get(path) !== text)).map(([, text]) => text);
}

function leavesOf(value: Json, path = ''): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((item, at) => leavesOf(item, `${path}/${at}`));
  if (isObject(value)) return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${path}/${key}`));
  return typeof value === 'string' || typeof value === 'number' ? [[path, String(value)]] : [];
}

/** The index of the item that each round handles; undefined if a round handles none of them. */
function assign(items: readonly Json[], varying: readonly (readonly string[])[]): readonly number[] | undefined {
  const texts = items.map((item) =>
    itemPlaces(item).flatMap(({ value }) =>
      typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
    ),
  );
  const taken: number[] = [];
  for (const round of varying) {
    let best = -1;
    let bestScore = 0;
    for (const [index, own] of texts.entries()) {
      if (taken.includes(index)) continue;
      const score = Math.max(0, ...own.map((text) => scoreOf(text, round)));
      if (score > bestScore) [best, bestScore] = [index, score];
    }
    if (best < 0) return undefined;
    taken.push(best);
  }
  return taken;
}

/** How well the item's text explains the texts of the round. */
function scoreOf(text: string, round: readonly string[]): number {
  if (round.includes(text)) return 1_000 + text.length;
  return text.length >= 3 && round.some((one) => one.includes(text)) ? text.length : 0;
}

function tryList(
  learner: Learner,
  rounds: readonly (readonly SeenCall[])[],
  list: ItemList,
  taken: readonly number[],
): DraftStep | undefined {
  const before = {
    inputs: learner.inputs,
    ids: learner.ids,
    samples: new Map(learner.samples),
    questions: new Map(learner.questions),
  };
  learner.inputs = before.inputs.copy();
  learner.ids = new Set(before.ids);
  const loop = draftLoop(learner, rounds, list, taken);
  if (loop !== undefined) return loop;
  learner.inputs = before.inputs;
  learner.ids = before.ids;
  restore(learner.samples, before.samples);
  restore(learner.questions, before.questions);
  return undefined;
}

function restore<Key, Value>(map: Map<Key, Value>, before: ReadonlyMap<Key, Value>): void {
  map.clear();
  for (const [key, value] of before) map.set(key, value);
}

function draftLoop(
  learner: Learner,
  rounds: readonly (readonly SeenCall[])[],
  list: ItemList,
  taken: readonly number[],
): DraftStep | undefined {
  const [first = []] = rounds;
  const id = freeId(learner.ids, `each_${first.at(-1)?.name ?? ''}`);
  const inner = first.map((call) => freeId(learner.ids, call.verb === 'resource' ? 'read' : call.name));
  const inOrder = taken.toSorted((a, b) => a - b);
  const alike = asOneBody(rounds);
  const same = first.map((_, at) => namesInCommon(rounds.flatMap((round) => round[at] ?? [])));
  const bodies = rounds.map((_, n) => {
    const round = alike[n] ?? [];
    const index = taken[n] ?? 0;
    const prefix = `${id}/${inOrder.indexOf(index)}/`;
    return draftRound(learner, round, { inner, item: list.items[index] ?? null, prefix, same });
  });
  const [body] = bodies;
  if (body === undefined || bodies.some((one) => stable(one.steps) !== stable(body.steps))) return undefined;
  if (!JSON.stringify(body.steps).includes(itemName)) return undefined;
  const { source, notes } = sourceOf(learner, list, taken, first[0]?.path ?? '');
  const last = inner.at(-1) ?? '';
  const failed = rounds.flat().filter(({ failure }) => failure !== undefined);
  const step: JsonObject = {
    id,
    forEach: interpolated(source),
    ...(failed.length === 0 ? {} : { onItemError: 'collect' }),
    steps: body.steps,
    collect: interpolated(`${member('steps', last)}.output`),
  };
  const outputs = inOrder.map((index): Json => {
    const n = taken.indexOf(index);
    const [failure] = (rounds[n] ?? []).flatMap((call) => call.failure ?? []);
    return failure === undefined ? (bodies[n]?.output ?? null) : { error: { ...failure } };
  });
  const places = placesIn(
    { expression: `${member('steps', id)}.output`, key: id, step: id, order: learner.drafts.length },
    outputs,
  );
  const reads = new Set(
    [...body.reads, ...(list.step === undefined ? [] : [list.step])].filter((one) => !inner.includes(one)),
  );
  const calls = rounds.flat();
  for (const [at, { path }] of first.entries())
    if (learner.unretried.has(path)) for (const round of rounds) learner.unretried.add(round[at]?.path ?? path);
  const isRead = calls.every(({ effect }) => effect === 'read');
  const [one] = failed;
  const failures = `look: ${failed.length} of ${rounds.length} items failed (${one?.failure?.code ?? ''}); the others go on`;
  const all = [...notes, ...body.notes, ...(one === undefined ? [] : [failures])];
  return { id, step, calls, reads, isRead, isLoop: true, notes: all, places };
}

/**
 * The rounds as calls of one body: a person is asked about all of them at once, they are tried again alike, and what
 * failed is collected.
 */
function asOneBody(rounds: readonly (readonly SeenCall[])[]): readonly (readonly SeenCall[])[] {
  const [first = []] = rounds;
  return rounds.map((round) =>
    round.map(({ failure: _failure, refusals: _refusals, ...call }, at) => {
      const refusals = rounds.flatMap((one) => one[at]?.refusals ?? []);
      const isApproved = rounds.some((one) => one[at]?.isApproved === true);
      return {
        ...call,
        path: first[at]?.path ?? call.path,
        ...(refusals.length === 0 ? {} : { refusals }),
        ...(isApproved ? { isApproved } : {}),
      };
    }),
  );
}

/** Names of arguments that are the same in all calls. */
function namesInCommon([first, ...rest]: readonly SeenCall[]): ReadonlySet<string> {
  const names = Object.keys(first?.arguments ?? {});
  return new Set(
    names.filter((name) =>
      rest.every((call) => stable(call.arguments[name] ?? null) === stable(first?.arguments[name] ?? null)),
    ),
  );
}

interface RoundPlace {
  readonly inner: readonly string[];
  readonly item: Json;
  readonly prefix: string;
  /** By position in the body: the arguments that all rounds have alike. */
  readonly same: readonly ReadonlySet<string>[];
}

interface DraftedRound {
  readonly steps: readonly JsonObject[];
  readonly reads: ReadonlySet<string>;
  readonly notes: readonly string[];
  readonly output: Json;
}

function draftRound(
  learner: Learner,
  round: readonly SeenCall[],
  { inner, item, prefix, same }: RoundPlace,
): DraftedRound {
  const own: Place[] = [];
  const drafted: DraftedCall[] = [];
  // A copy of the ids, so that every round gives the same ids to texts that a model writes.
  const ids = new Set(learner.ids);
  for (const [at, call] of round.entries()) {
    const places = learner.places([...own, ...itemPlaces(item)]);
    const ofEvery = { names: same[at] ?? new Set<string>(), places: learner.places(own) };
    const one = learner.draftCall(call, { id: inner[at] ?? '', places, prefix, ids, ofEvery });
    own.push(...one.places.map((place) => ({ ...place, order: 1e6 + at })));
    drafted.push(one);
  }
  const output = drafted.at(-1)?.places.find(({ depth }) => depth === 0)?.value ?? null;
  return {
    steps: drafted.flatMap(({ steps }) => steps),
    reads: new Set(drafted.flatMap(({ reads }) => [...reads])),
    notes: drafted[0]?.notes ?? [],
    output,
  };
}

/** The list of the loop: all items, those that a condition explains, or an input. */
function sourceOf(
  learner: Learner,
  { expression, items }: ItemList,
  taken: readonly number[],
  path: string,
): { readonly source: string; readonly notes: readonly string[] } {
  const set = new Set(taken);
  const known = (value: Json): string | undefined =>
    learner.inputs.places.find((place) => typeof value === 'string' && value.length > 2 && place.value === value)
      ?.expression;
  const condition = explainTaken(items, set, 'x', known);
  if (condition === '') return { source: expression, notes: [] };
  if (condition !== undefined) {
    const notes = [`look: ${set.size} of ${items.length} items were taken; \`${condition}\` explains which`];
    return { source: `${expression}.filter(x, ${condition})`, notes };
  }
  const isHead = Math.max(...taken) === taken.length - 1;
  const options = isHead
    ? ['the first ones of the list', 'those that are given as an input']
    : ['those that are given as an input'];
  const chosen =
    options[learner.ask(`${path} items`, `${set.size} of ${items.length} items were taken: which?`, options)];
  if (isHead && chosen === options[0]) {
    return {
      source: `${expression}.slice(0, ${taken.length})`,
      notes: [`look: the first ${taken.length} items were taken`],
    };
  }
  const chosenItems = items.filter((_, index) => set.has(index));
  const template = learner.inputs.expression('items', chosenItems, 'items');
  const notes = [`look: nothing explains which of ${items.length} items were taken; they are an input`];
  return { source: template.slice(3, -2).trim(), notes };
}
