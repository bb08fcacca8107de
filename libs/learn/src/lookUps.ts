/** Asks about look-ups whose answers nothing reads: a model may have read them before it wrote something. */
import { type Json, isObject } from '@baton/primitives';

import { type DraftStep, lookUpQuestion } from './draft.ts';
import type { Learner } from './learner.ts';
import type { SeenCall } from './seenCall.ts';

/** The numbers of the options that are always there. */
export const keepsLookUp = 1;

/**
 * The arguments that a model may have written from the answer of the look-up, at the numbers of their options. Those
 * before are options without an argument.
 */
export function textOptionsOf(dead: DraftStep, learner: Learner, calls: readonly SeenCall[]): readonly string[] {
  const [first] = dead.calls;
  const words = new Set(dead.calls.flatMap(({ result = {} }) => wordsIn(result)));
  const after = calls.slice(first === undefined ? 0 : calls.indexOf(first) + 1);
  const texts = after.flatMap((call) => {
    if (call.effect === 'read') return [];
    return Object.entries(call.arguments).flatMap(([key, value]) => {
      const isInput = typeof value === 'string' && learner.inputs.isNew(value);
      return isInput && wordsIn(value).some((word) => words.has(word)) ? [`${call.path} ${key}`] : [];
    });
  });
  return ['', '', ...texts];
}

/** Asks what the workflow does with the look-up; the number of the option. */
export function askAboutLookUp(dead: DraftStep, learner: Learner, texts: readonly string[]): number {
  const [first] = dead.calls;
  if (first === undefined) return 0;
  const { path, name } = first;
  const several = dead.calls.length > 1 ? ` ${dead.calls.length} times` : '';
  const text = `${name} was read${several} (${path}), and nothing that follows reads its answer. What of it?`;
  const options = texts.slice(keepsLookUp + 1).map((one) => {
    const [call = '', key = ''] = one.split(' ');
    return `a model writes "${key}" of ${call} from it`;
  });
  return learner.ask(lookUpQuestion(path), text, ['it is left out', 'it is kept: it has to succeed', ...options]);
}

function wordsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(wordsIn);
  if (isObject(value)) return Object.values(value).flatMap(wordsIn);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.toLowerCase().match(/\p{L}{2,}|\d{2,}/gu) ?? [];
}
