/**
 * Corrects one mistake if the meaning is clear: a misspelt key, two verbs in one step, a map in place of a list. Only
 * to continue the check: findings quote the author's text.
 */
import { childOf, pointerTo, segmentsOf } from '@baton/expressions';
import { isObject } from '@baton/primitives';

import type { Problem } from '../problem.ts';
import { isPlainVerb } from './explainUnknownKey.ts';
import { calledElsewhere } from './foreignKeywords.ts';
import { keysOf } from './shape.ts';
import { plainVerbs } from './step.ts';
import { type Mutable, type MutableMap, at, stepLists } from './tree.ts';

/** The value at `to` was written at `from`. Both are pointers. */
export interface PointerMove {
  readonly to: string;
  readonly from: string;
}

export interface Autocorrection {
  readonly moves: readonly PointerMove[];
  /** A key whose value may follow the syntax of another tool, or a step that the correction made. */
  readonly loose?: string;
  /** A verb that is only the nearest one: that its value does not fit says nothing. */
  readonly guessed?: string;
  /** A step whose results have unknown types. */
  readonly untyped?: string;
}

/** Changes `root`; undefined if no meaning is clear. */
export function autocorrect(root: Mutable, problem: Problem): Autocorrection | undefined {
  const { code, pointer, meant } = problem;
  const segments = segmentsOf(pointer);
  const key = segments.pop() ?? '';
  const place = { map: at(root, segments), pointer: pointerTo(segments), key };
  if (!isObject(place.map)) return undefined;
  const found = { ...place, map: place.map };
  if (meant === 'steps' && isPlainVerb(key)) return moveIntoSteps(found);
  if (meant !== undefined && repeatKeys.includes(key)) return moveIntoRepeat(found);
  if (meant !== undefined) {
    const renamed = rename(found, meant);
    return code === 'missing-verb' && renamed ? { ...renamed, guessed: childOf(found.pointer, meant) } : renamed;
  }
  if (key === 'max' && 'steps' in found.map && Object.hasOwn(found.map, key)) return setToOne(found);
  if (code === 'two-verbs') return splitVerbs(found);
  if (code === 'conflicting-keys') return moveElseOut(root, found);
  if (code !== 'wrong-type') return undefined;
  if (key === 'repeat') return moveIntoRepeat(found);
  if (key === 'sample') return wrapPrompt(found);
  return key === 'switch' || stepLists.has(key) ? turnIntoList(found) : undefined;
}

interface MapPlace {
  /** The map that has the key. */
  readonly map: MutableMap;
  /** Of the map. */
  readonly pointer: string;
  readonly key: string;
}

const repeatKeys = ['max', 'until', 'while', 'every', 'steps'];

function rename({ map, pointer, key }: MapPlace, meant: string): Autocorrection | undefined {
  if (!Object.hasOwn(map, key) || Object.hasOwn(map, meant)) return undefined;
  map[meant] = map[key] ?? null;
  delete map[key];
  const to = childOf(pointer, meant);
  const moves = [{ to, from: childOf(pointer, key) }];
  return calledElsewhere(key, [meant]) === undefined ? { moves } : { moves, loose: to };
}

/** Sets the number to 1: how often the steps run does not change their meaning. */
function setToOne({ map, key }: MapPlace): Autocorrection {
  map[key] = 1;
  return { moves: [] };
}

/** Moves a key from beside `repeat` into it. */
function moveIntoRepeat({ map, pointer }: MapPlace): Autocorrection | undefined {
  const beside = repeatKeys.filter((key) => Object.hasOwn(map, key));
  if (!beside.includes('steps') || isObject(map['repeat'])) return undefined;
  const repeat: MutableMap = { max: 1 };
  for (const key of beside) {
    repeat[key] = map[key] ?? null;
    delete map[key];
  }
  map['repeat'] = repeat;
  const moves = beside.map((key) => ({ to: `${pointer}/repeat/${key}`, from: `${pointer}/${key}` }));
  return { moves, loose: `${pointer}/repeat` };
}

/** Moves the keys of a step from a case or a `repeat` into its `steps`. */
function moveIntoSteps({ map, pointer }: MapPlace): Autocorrection | undefined {
  if ('steps' in map) return undefined;
  const keys = Object.keys(map).filter((key) => key !== 'when' && !repeatKeys.includes(key));
  const step: MutableMap = {};
  for (const key of keys) {
    step[key] = map[key] ?? null;
    delete map[key];
  }
  map['steps'] = [step];
  return { moves: keys.map((key) => ({ to: childOf(`${pointer}/steps/0`, key), from: childOf(pointer, key) })) };
}

/** Turns a prompt alone into a `sample` with that prompt. */
function wrapPrompt({ map, pointer, key }: MapPlace): Autocorrection | undefined {
  const text = map[key];
  if (typeof text !== 'string') return undefined;
  map[key] = { append: text };
  return { moves: [{ to: `${pointer}/sample/append`, from: `${pointer}/sample` }] };
}

/** A longer map is not handwritten. */
const namedMax = 100;

/** Turns a map into the list that was meant: of its one item, of items by name, or of keys beside it. */
function turnIntoList({ map, pointer, key }: MapPlace): Autocorrection | undefined {
  const value = map[key];
  const list = childOf(pointer, key);
  if (!isObject(value)) {
    if (key !== 'parallel' || !Array.isArray(map['steps'])) return undefined;
    map['parallel'] = map['steps'];
    delete map['steps'];
    return { moves: [{ to: list, from: `${pointer}/steps` }] };
  }
  if (key === 'switch' && 'when' in value) {
    const { else: rest, ...first } = value;
    map[key] = rest === undefined ? [first] : [first, { else: rest }];
    return { moves: [0, 1].map((i) => ({ to: childOf(list, i), from: list })) };
  }
  if (key !== 'switch' && plainVerbs.some((verb) => Object.hasOwn(value, verb))) {
    map[key] = [value];
    return { moves: [{ to: childOf(list, 0), from: list }] };
  }
  const named = Object.entries(value).filter(([, one]) => isObject(one));
  if (key === 'switch' || named.length === 0 || named.length > namedMax) return undefined;
  map[key] = named.map(([, one]) => one);
  return { moves: named.map(([name], i) => ({ to: childOf(list, i), from: childOf(list, name) })) };
}

/** Makes a case of its own of an `else` inside the last case. */
function moveElseOut(root: Mutable, { map, pointer }: MapPlace): Autocorrection | undefined {
  const segments = segmentsOf(pointer);
  const index = Number(segments.pop());
  const cases = at(root, segments);
  if (!Array.isArray(cases) || index !== cases.length - 1 || !('when' in map) || !('steps' in map)) return undefined;
  cases.push({ else: map['else'] ?? null });
  delete map['else'];
  return { moves: [{ to: pointerTo([...segments, index + 1]), from: pointer }] };
}

const ofTheStep = new Set(['id', 'title', 'if', 'needs']);
/** Verbs that take a list of steps, which authors often write beside them. */
const holders = new Set(['forEach', 'repeat']);

/** Splits a step with two verbs into two steps; a verb beside `forEach` or `repeat` moves inside it. */
function splitVerbs({ map, pointer }: MapPlace): Autocorrection | undefined {
  const present = plainVerbs.filter((verb) => Object.hasOwn(map, verb));
  const holder = present.find((verb) => holders.has(verb));
  const isInside = holder !== undefined && present.length === 2 && !('steps' in map) && !isObject(map[holder]);
  const inner = present.filter((verb) => !isInside || verb !== holder);
  const keysFor = (verb: string): readonly string[] => keysOf(`${verb}Step`).filter((key) => !ofTheStep.has(key));
  // The `with` could belong to any of the verbs.
  if (inner.filter((verb) => keysFor(verb).includes('with')).length > 1) return undefined;
  // These refer to the step by its id, which neither of the two has.
  for (const key of ['undo', 'onError']) delete map[key];
  const steps = inner.map((verb) => {
    const own: MutableMap = {};
    for (const key of keysFor(verb).filter((one) => Object.hasOwn(map, one))) {
      own[key] = map[key] ?? null;
      delete map[key];
    }
    return own;
  });
  const list = isInside && holder === 'forEach' ? 'steps' : 'parallel';
  if (isInside && holder === 'repeat') delete map['repeat'];
  map[list] = steps;
  const moves = steps.map((_, i) => ({ to: `${pointer}/${list}/${i}`, from: pointer }));
  return { moves, untyped: pointer };
}
