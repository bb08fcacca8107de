/**
 * The `ensure` that a session suggests: at its end it looked at what it had written. The workflow looks, too, and has not
 * succeeded before it sees what it wrote.
 */
import { loneExpression, piecesOf, literal } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

import type { DraftStep } from './draft.ts';
import type { Learner } from './learner.ts';
import { type Place, placesOfStep } from './places.ts';
import { type SeenCall, stable } from './seenCall.ts';

/** A written value, and what the workflow writes in its place. */
interface WrittenValue {
  readonly name: string;
  readonly value: string | number;
  readonly expression: string;
}

/** More conditions than a person reads at a glance are no better than the first ones. */
const conditionsMax = 3;
/** A shorter text is found in another by chance. */
const containedMin = 4;

/** The number of the option that leaves the look out. */
const leftOut = 1;

/** Undefined: the last step is no look at what was written, or a person does not want it. */
export function readBackIn(learner: Learner): { readonly draft: DraftStep; readonly ensure: JsonObject } | undefined {
  const { drafts } = learner;
  const draft = drafts.at(-1);
  const [call] = draft?.calls ?? [];
  if (draft === undefined || call === undefined || !isLook(draft, call)) return undefined;
  const writes = drafts.filter(({ isRead, isLoop, calls }) => !isRead && !isLoop && calls.length === 1);
  const conditions = conditionsOf(call, writes.toReversed());
  if (conditions.length === 0) return undefined;
  const { path, name } = call;
  const text = `At the end ${name} was read (${path}), and showed what had been written. What of it?`;
  const options = ['the workflow ensures that it shows this', 'it is left out'];
  if (learner.ask(`${path} ensured`, text, options) === leftOut) return undefined;
  const { id: _id, ...read } = draft.step;
  return { draft, ensure: { ...read, that: conditions.join(' && ') } };
}

const isLook = ({ isRead, isLoop, calls, step }: DraftStep, { verb, failure }: SeenCall): boolean =>
  isRead &&
  !isLoop &&
  calls.length === 1 &&
  verb !== 'prompt' &&
  failure === undefined &&
  step['onError'] === undefined;

/** Of the last writes first. */
function conditionsOf(look: SeenCall, writes: readonly DraftStep[]): readonly string[] {
  const places = placesOfStep('', look, 0, 'result').filter(({ expression }) => !/\[\d+\].*\[\d+\]/.test(expression));
  const found = new Map<string, string>();
  for (const { calls, step } of writes) {
    const given = calls[0]?.arguments ?? {};
    for (const written of valuesIn('', given, step['with'] ?? {})) {
      const condition = conditionOn(written, places);
      if (condition !== undefined && found.size < conditionsMax) found.set(stable(written.value), condition);
    }
  }
  return [...found.values()];
}

/** Texts and numbers that tell something, with what the workflow writes in their place. */
function valuesIn(name: string, value: Json, template: Json): readonly WrittenValue[] {
  if (Array.isArray(value)) {
    const inner = Array.isArray(template) ? (template as readonly Json[]) : [];
    return (value as readonly Json[]).flatMap((one, at) => valuesIn(name, one, inner[at] ?? null));
  }
  if (isObject(value)) {
    const inner = isObject(template) ? template : {};
    return Object.entries(value).flatMap(([key, one]) => valuesIn(key, one, inner[key] ?? null));
  }
  if (typeof value === 'number') return template === value ? [{ name, value, expression: literal(value) }] : read();
  return typeof value !== 'string' || value.trim().length < 2 ? [] : read();

  function read(): readonly WrittenValue[] {
    if (typeof template !== 'string' || (typeof value !== 'string' && typeof value !== 'number')) return [];
    if (template === value && !template.includes('${{')) return [{ name, value, expression: literal(value) }];
    const expression = loneExpression(piecesOf(template).pieces)?.source.trim();
    return expression === undefined ? [] : [{ name, value, expression }];
  }
}

function conditionOn(written: WrittenValue, places: readonly Place[]): string | undefined {
  const { name, value, expression } = written;
  const equal = places.filter((place) => place.value === value);
  const same = equal.find(({ key, inList }) => key === name && inList === undefined);
  const single = same ?? equal.find(({ inList }) => inList === undefined);
  if (single !== undefined) return `${single.expression} == ${expression}`;
  const listed = equal.find(({ inList }) => inList !== undefined)?.inList;
  if (listed !== undefined) {
    const inside = listed.inside.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    return /^(\.[A-Za-z_]\w*)*$/.test(inside) ? `${listed.list}.exists(x, x${inside} == ${expression})` : undefined;
  }
  if (typeof value !== 'string' || value.length < containedMin) return undefined;
  const around = places.find((place) => typeof place.value === 'string' && place.value.includes(value));
  return around?.inList === undefined && around !== undefined
    ? `${around.expression}.contains(${expression})`
    : undefined;
}
