/**
 * Finds where a value of an argument comes from: an answer of an earlier step, an input, or the item of the enclosing
 * loop. Of several origins it takes the nearest, and notes the others. A value without an origin becomes an input, or
 * a constant if it looks like one.
 */
import { interpolated, member, written } from '@baton/expressions';
import { type Json, isObject } from '@baton/primitives';

import type { FoundInputs } from './foundInputs.ts';
import { itemName } from './itemPlaces.ts';
import type { Place, KnownValues } from './places.ts';
import { isSameName } from './sameName.ts';
import { containedIn, spelledDifferently, joined } from './textOrigin.ts';

/** The context and the results of tracing the arguments of one call. */
export interface OriginContext {
  readonly places: KnownValues;
  readonly inputs: FoundInputs;
  /** Values that never become inputs, such as paths in the configuration. */
  readonly constants: ReadonlySet<string>;
  /** Whether the argument takes one of a fixed choice of values. */
  readonly isChoice: (key: string) => boolean;
  /** The call writes: an argument that is wrong does harm. */
  readonly isWrite: boolean;
  /** The name of the tool, to name inputs after it. */
  readonly tool: string;
  /** The type that the tool's schema gives an argument. */
  readonly typeOf: (key: string) => string | undefined;
  /** Collects the ids of steps that the arguments read. */
  readonly used: Set<string>;
  readonly notes: string[];
  /** Chooses among several origins: returns the number of the option. */
  readonly choose: (what: string, options: readonly string[]) => number;
  /** Whether a model may have written the text. */
  readonly isModels: (text: string) => boolean;
  /** Adds a `sample` step for a text that only a model can have written. Returns its template; undefined: an input. */
  readonly compose?: ((text: string, key: string, sources: readonly Place[]) => string | undefined) | undefined;
}

/** Returns the value with expressions in place of values with an origin. `key`: the name of the member. */
export function originOf(value: Json, key: string, context: OriginContext): Json {
  if (Array.isArray(value) || isObject(value)) {
    const whole = isEmpty(value) ? undefined : equalPlace(value, key, context);
    if (whole !== undefined) return interpolated(use(whole, context));
    if (Array.isArray(value)) return ofList(value, key, context);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, originOf(inner, name, context)]));
  }
  if (typeof value === 'string') return ofText(value, key, context);
  if (typeof value === 'number') return ofNumber(value, key, context);
  return value;
}

/** A list without an origin becomes one input, not one for each item. */
function ofList(list: readonly Json[], key: string, context: OriginContext): Json {
  const items = (within: OriginContext): Json[] => list.map((item) => originOf(item, key, within));
  if (!list.some((item) => isObject(item))) return items(context);
  const trial = { ...context, inputs: context.inputs.copy(), used: new Set<string>(), notes: [] };
  const written = JSON.stringify(items(trial));
  const isKnown = trial.used.size > 0 || written.includes(`\${{ ${itemName}`) || context.inputs.isReadIn(written);
  const isNew = trial.inputs.all.length > context.inputs.all.length + 1;
  return isKnown || !isNew ? items(context) : context.inputs.expression(key, list, context.tool);
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

function ofNumber(value: number, key: string, context: OriginContext): Json {
  const found = equalPlace(value, key, context);
  // Small numbers occur in many places: the name must match too.
  if (found !== undefined && (isTelling(isTellingNumber(value), key, context) || isNamedSo(found, key, context)))
    return readOrGiven(value, found, key, context);
  if (found?.step !== undefined && isChosenOrigin(value, found, key, context)) return interpolated(use(found, context));
  if (looksConstant(value, key, context)) return value;
  const part = isTellingNumber(value) ? containedIn(String(value), context.places.all) : undefined;
  if (part !== undefined) return interpolated(`double(${expressionIn(noted(part, context))})`);
  return context.inputs.expression(key, value, context.tool, context.typeOf(key));
}

/** Whether equality with another value is more than chance. A value of a fixed choice may occur elsewhere. */
const isTelling = (isLong: boolean, key: string, { isChoice }: OriginContext): boolean => isLong && !isChoice(key);

/** The expression in a template that is nothing else. */
const expressionIn = (template: string): string => template.slice(3, -2).trim();

const isTellingNumber = (value: number): boolean => Math.abs(value) >= 20 || !Number.isInteger(value);

function ofText(text: string, key: string, context: OriginContext): Json {
  const found = equalPlace(text, key, context);
  if (found !== undefined && (isTelling(text.length >= textMin, key, context) || isNamedSo(found, key, context)))
    return readOrGiven(text, found, key, context);
  if (found?.step !== undefined && isChosenOrigin(text, found, key, context)) return interpolated(use(found, context));
  if (context.constants.has(text)) return written(text);
  const { all } = context.places;
  const isShort = looksConstant(text, key, context);
  // Shorter texts are alike by chance, as they are equal by chance.
  const alike = context.places.alike(text).filter((place) => text.length >= textMin || isSameName(place.key, key));
  const part = isShort ? undefined : (spelledDifferently(text, alike) ?? containedIn(text, all));
  if (part !== undefined && !isChance(part, key, context)) return noted(part, context);
  const isFree = isFreeText(text);
  const isModels = isFree && context.isModels(text);
  const together = joined(text, all, (what, options) => context.choose(what, options));
  // If a model was there, a text with mostly new words was written by it, and not put together.
  if (together !== undefined && (!isModels || together.isMostlyKnown || newWords(together.template) <= mostNewWords))
    return noted(together, context);
  if (isShort) return written(text);
  const composedAnswer = isModels ? context.compose?.(text, key, relatedTo(text, all)) : undefined;
  return composedAnswer ?? context.inputs.expression(key, text, context.tool);
}

function noted(
  { template, used, fixed = [] }: { template: string; used: readonly Place[]; fixed?: readonly string[] },
  context: OriginContext,
): string {
  for (const place of used) use(place, context);
  if (fixed.length > 0) {
    const words = fixed.map((word) => JSON.stringify(word)).join(', ');
    context.notes.push(`look: ${words.slice(0, 200)} stays as it was in the session, beside values that are read`);
  }
  return template;
}

/** Whether the value goes by the same name: `id` of `get_customer` is a `customer`. */
function isNamedSo({ key: other }: Place, key: string, { tool }: OriginContext): boolean {
  return isSameName(other, key) || (/^id$/i.test(key) && (isSameName(other, tool) || isSameName(other, `${tool}_id`)));
}

function readOrGiven(value: Json, place: Place, key: string, context: OriginContext): Json {
  return isInput(place, key, context)
    ? context.inputs.expression(key, value, context.tool, context.typeOf(key))
    : interpolated(use(place, context));
}

/** A part of one of many items may be a word that comes up by chance; a person says. */
function isChance(
  { template, used }: { template: string; used: readonly Place[] },
  key: string,
  context: OriginContext,
): boolean {
  const [place] = used;
  if (place?.inList === undefined || place.inList.items.length < 2 || siblingOf(place, context) !== undefined)
    return false;
  return context.choose(`where "${key}" comes from`, ['an input', expressionIn(template)]) === 0;
}

/** Texts of fewer characters are equal by chance, unless their names agree. */
const textMin = 3;

/** A value that its place in a list alone identifies: a person says whether it is read there. */
function isInput(place: Place, key: string, context: OriginContext): boolean {
  const { inList, step, expression } = place;
  if (inList === undefined || inList.items.length < 2 || step === undefined) return false;
  if (siblingOf(place, context) !== undefined) return false;
  const { index, items, list } = inList;
  const options = [`number ${index + 1} of the ${items.length} in ${list}`, 'an input'];
  const isGiven = context.choose(`which "${key}" is`, options) === 1;
  if (!isGiven)
    context.notes.push(`look: ${expression} was picked by its place in the list (${index + 1} of ${items.length})`);
  return isGiven;
}

/** A value that is short, and equal to one of an answer, perhaps by chance: a person says whether it is read there. */
function isChosenOrigin(value: Json, { expression }: Place, key: string, context: OriginContext): boolean {
  if (!context.isWrite || context.isChoice(key) || value === '' || value === 0 || value === 1) return false;
  const shown = JSON.stringify(value).slice(0, 40);
  const options = [`${shown}, as in the session`, expression];
  const isRead = context.choose(`where "${key}" comes from`, options) === 1;
  if (!isRead) context.notes.push(`look: ${key} is ${shown}, as is ${expression}`);
  return isRead;
}

/** Returns the expression of the place, and records the step that it reads. */
function use(place: Place, context: OriginContext): string {
  if (place.step !== undefined) context.used.add(place.step);
  return pickedBy(place, context) ?? place.expression;
}

/** Prefers inputs to answers, which often repeat them; then members of the same name; then the nearest. */
function equalPlace(value: Json, key: string, context: OriginContext): Place | undefined {
  const found = context.places.equal(value);
  const rank = (place: Place): number => (place.order === -1 ? 3 : 0) + (isSameName(place.key, key) ? 1 : 0);
  const [best, ...others] = found.toSorted(
    (a, b) => isItem(b) - isItem(a) || rank(b) - rank(a) || b.order - a.order || a.depth - b.depth,
  );
  const other = others.find(({ step }) => step !== undefined && step !== best?.step);
  if (best?.step === undefined || other === undefined || isItem(best) === 1) return best;
  const chosen = context.choose(`where "${key}" comes from`, [best.expression, other.expression]);
  context.notes.push(`${key}: also in ${(chosen === 0 ? other : best).expression}`);
  return chosen === 0 ? best : other;
}

/** Inside a loop, the item is the likeliest origin. */
const isItem = ({ order }: Place): 0 | 1 => (order === Infinity ? 1 : 0);

/** Selects a list's element by a known sibling of the value, instead of by its index. */
function pickedBy(place: Place, context: OriginContext): string | undefined {
  const sibling = siblingOf(place, context);
  if (place.inList === undefined || sibling === undefined) return undefined;
  const { list, inside } = place.inList;
  if (sibling.known.step !== undefined) context.used.add(sibling.known.step);
  const picked = `${list}.filter(x, ${member('x', sibling.name)} == ${sibling.known.expression})[0]`;
  return inside.reduce<string>((of, one) => member(of, one), picked);
}

/** A member of the same element that no other element has, and that is known from elsewhere. */
function siblingOf(
  { inList }: Place,
  { places }: OriginContext,
): { readonly name: string; readonly known: Place } | undefined {
  if (inList === undefined || inList.items.length < 2) return undefined;
  const { items, index, inside } = inList;
  const element = items[index];
  for (const [name, sibling] of Object.entries(isObject(element) ? element : {})) {
    const known = name === inside[0] ? undefined : knownScalar(sibling, places);
    if (known === undefined || items.filter((one) => isObject(one) && one[name] === sibling).length !== 1) continue;
    return { name, known };
  }
  return undefined;
}

/** An input, or a value of the loop's item, that equals the sibling. */
function knownScalar(value: Json | undefined, places: KnownValues): Place | undefined {
  if (typeof value !== 'string' || value.length < 2) return undefined;
  return places.equal(value).find(({ order, inList }) => order === -1 || (order === Infinity && inList === undefined));
}

/** Arguments that configure a tool, and do not identify its data. */
const constantNames =
  /^(type|entityType|relationType|mode|format|encoding|sort|sortBy|order|orderBy|direction|method|operation|action|kind|level|unit|units|language|locale|view|style|limit|max|maxResults|count|pageSize|per_page|head|tail|offset|depth|timeout|timeoutMs|recursive)$/i;

function looksConstant(value: Json, key: string, { constants, isChoice }: OriginContext): boolean {
  if (isChoice(key)) return true;
  if (typeof value === 'string') return value.length < 2 || constants.has(value) || constantNames.test(key);
  return constantNames.test(key);
}

const freeTextMin = 60;

/** Whether the text consists of sentences, as people and models write them. */
const isFreeText = (text: string): boolean => text.length >= freeTextMin && text.trim().split(/\s+/).length >= 8;

const mostNewWords = 12;

function newWords(template: string): number {
  const rest = template.replace(/\$\{\{.*?\}\}/gs, ' ');
  return rest.split(/\s+/).filter((word) => /\p{L}{3}/u.test(word)).length;
}

/** Answers that share words with the text. */
function relatedTo(text: string, places: readonly Place[]): readonly Place[] {
  const words = new Set(text.toLowerCase().match(/\p{L}{4,}|\d{2,}/gu) ?? []);
  const related = places.filter(({ value, step, order }) => {
    if (step === undefined && order !== Infinity) return false;
    const own = typeof value === 'string' ? value : undefined;
    if (own === undefined || own.length < 4) return false;
    const shared = new Set(own.toLowerCase().match(/\p{L}{4,}|\d{2,}/gu) ?? []);
    return [...shared].filter((word) => words.has(word)).length >= Math.min(2, shared.size) && shared.size > 0;
  });
  const roots = related.map((place) => rootOf(place, places));
  return [...new Map(roots.map((place) => [place.expression, place])).values()];
}

/** The place of the whole answer that contains this place. */
function rootOf(place: Place, places: readonly Place[]): Place {
  const whole = places.find(({ step, order, depth }) => step === place.step && order === place.order && depth === 0);
  return whole ?? place;
}
