/** Indexes the values that are known before a call: inputs, answers of earlier steps, the item of a loop. */
import { valueView } from '@baton/engine';
import { literal, member } from '@baton/expressions';
import { type Json, isObject } from '@baton/primitives';

import { type SeenCall, stable } from './seenCall.ts';

/** A list, and the index of the element that contains a value. */
interface InList {
  readonly list: string;
  readonly items: readonly Json[];
  readonly index: number;
  /** Keys from the element to the value. */
  readonly inside: readonly (string | number)[];
}

export interface Place {
  readonly expression: string;
  readonly value: Json;
  /** The last key of the path to the value. */
  readonly key: string;
  /** The step that contains it; undefined for inputs and items. */
  readonly step: string | undefined;
  /** Greater is nearer: inputs have the smallest, the item of the enclosing loop the greatest. */
  readonly order: number;
  readonly depth: number;
  /** The innermost list on the path to the value. */
  readonly inList: InList | undefined;
}

const placesMax = 20_000;
const depthMax = 24;

/** A growing index of places. Of very many equal ones, only the newest are searched. */
export class PlaceIndex {
  readonly #byValue = new Map<string, Place[]>();
  readonly #byForm = new Map<string, Place[]>();
  #all: Place[] = [];

  get all(): readonly Place[] {
    return this.#all;
  }

  equal(value: Json): readonly Place[] {
    return this.#byValue.get(stable(value)) ?? [];
  }

  /** Places whose values could be spelled like the text, and all lists and maps. */
  alike(text: string): readonly Place[] {
    return [...(this.#byForm.get(container) ?? []), ...(this.#byForm.get(formOf(text)) ?? [])];
  }

  add(places: readonly Place[]): void {
    for (const place of places) {
      addTo(this.#byValue, stable(place.value), place);
      addTo(this.#byForm, formOf(place.value), place);
    }
    this.#all = [...this.#all, ...places].slice(-placesMax);
  }
}

function addTo(map: Map<string, Place[]>, key: string, place: Place): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [place]);
  else known.push(place);
}

const container = '[]';

/** A key that ignores case, and punctuation between words. */
const formOf = (value: Json): string =>
  typeof value === 'object' ? container : String(value).trim().toLowerCase().replace(/[ _]/g, '-');

/** The places that one call can read: inputs, then answers, then those of the enclosing loop. */
export class KnownValues {
  readonly all: readonly Place[];
  readonly #inputs: readonly Place[];
  readonly #answers: PlaceIndex;
  readonly #nearer: readonly Place[];

  constructor(inputs: readonly Place[], answers: PlaceIndex, nearer: readonly Place[] = []) {
    this.#inputs = [...inputs];
    this.#answers = answers;
    this.#nearer = nearer;
    this.all = [...inputs, ...answers.all, ...nearer];
  }

  equal(value: Json): readonly Place[] {
    const text = stable(value);
    const isEqual = (place: Place): boolean => stable(place.value) === text;
    return [...this.#inputs.filter(isEqual), ...this.#answers.equal(value), ...this.#nearer.filter(isEqual)];
  }

  /** As `PlaceIndex.alike`. */
  alike(text: string): readonly Place[] {
    const form = formOf(text);
    const isAlike = ({ value }: Place): boolean => typeof value === 'object' || formOf(value) === form;
    return [...this.#inputs.filter(isAlike), ...this.#answers.alike(text), ...this.#nearer.filter(isAlike)];
  }
}

interface Root {
  readonly expression: string;
  readonly key: string;
  readonly step: string | undefined;
  readonly order: number;
}

/** The places of the value and of all values in it. */
export function placesIn(root: Root, value: Json): readonly Place[] {
  const found: Place[] = [];
  const walk = (expression: string, at: Json, key: string, depth: number, inList: InList | undefined): void => {
    found.push({ expression, value: at, key, step: root.step, order: root.order, depth, inList });
    if (depth >= depthMax || found.length > placesMax) return;
    if (Array.isArray(at)) {
      const items = at as readonly Json[];
      for (const [index, item] of items.entries()) {
        walk(member(expression, index), item, key, depth + 1, { list: expression, items, index, inside: [] });
      }
    } else if (isObject(at)) {
      for (const [name, inner] of Object.entries(at)) {
        const within = inList && { ...inList, inside: [...inList.inside, name] };
        walk(member(expression, name), inner, name, depth + 1, within);
      }
    }
  };
  walk(root.expression, value, root.key, 0, undefined);
  return found;
}

/**
 * The places in a successful call's answer. Values that only repeat its own arguments are not origins. `step`: the
 * expression of the step, where it is inside another.
 */
export function placesOfStep(
  id: string,
  { verb, result = {}, arguments: given }: Pick<SeenCall, 'verb' | 'result' | 'arguments'>,
  order: number,
  step = member('steps', id),
): readonly Place[] {
  const { output = null, text = null } = valueView(verb, result);
  const root = { key: id, step: id, order };
  const own = withParsed(placesIn({ ...root, expression: `${step}.output` }, output), root);
  const isSaid = typeof text === 'string' && text !== '' && text !== output;
  const all = isSaid ? [...own, ...placesIn({ ...root, expression: `${step}.text` }, text)] : own;
  const told = new Set(scalarsIn(given));
  return all.filter(({ value, depth }) => depth === 0 || typeof value === 'object' || !told.has(value));
}

function scalarsIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(scalarsIn);
  return isObject(value) ? Object.values(value).flatMap(scalarsIn) : [value];
}

/** Adds the values inside texts that are JSON. */
function withParsed(places: readonly Place[], root: Omit<Root, 'expression'>): readonly Place[] {
  const parsed = places.flatMap(({ value, expression, key }) => {
    const inside = typeof value === 'string' && /^\s*[[{]/.test(value) ? parsedJson(value) : undefined;
    return inside === undefined ? [] : placesIn({ ...root, key, expression: `fromJson(${expression})` }, inside);
  });
  return [...places, ...parsed];
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The places of an input. An element of a list is not an origin: the next run's list differs. */
export const inputPlace = (name: string, value: Json): readonly Place[] =>
  placesIn({ expression: member('inputs', name), key: name, step: undefined, order: -1 }, value).filter(
    (place) => place.inList === undefined || typeof place.value === 'object',
  );

/** The lines of a text, as a list with the expression that makes it. */
export function linesOf({
  expression,
  value,
}: Place): { readonly list: string; readonly items: readonly string[] } | undefined {
  if (typeof value !== 'string' || !value.includes('\n') || value.length > 100_000) return undefined;
  return { list: `${expression}.split(${literal('\n')})`, items: value.split('\n') };
}
