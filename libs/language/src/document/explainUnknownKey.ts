import { quoted, falseSpaceIn, either, type Segment, childOf } from '@baton/expressions';

import type { Problem } from '../problem.ts';
import { calledElsewhere, idiomFor, meantBy, plainlyMeant } from './foreignKeywords.ts';
import { keysOf } from './shape.ts';
import { plainVerbs, verbs } from './step.ts';

/** Explains a key that the shape does not have: misspelt, or a key of another verb. */
export function explainUnknownKey(shape: string, key: string, path: readonly Segment[], parent: string): Problem {
  const about = { pointer: childOf(parent, key), at: 'key', found: key } as const;
  const verb = verbs.find((one) => shape === `${one}Step`);
  const owners = verb === undefined ? [] : verbs.filter((one) => keysOf(`${one}Step`).includes(key));
  if (verb !== undefined && owners.length > 0) {
    const message = `${quoted(key)} means nothing on a step with "${verb}".`;
    const own = ownKeys(verb);
    const isOfRepeat = verb === 'repeat' && keysOf('repeat').includes(key);
    const ofVerb = own.length === 0 ? undefined : `with "${verb}" there can be ${either(own)}`;
    const hint = isOfRepeat ? belongsInside : (timeoutOf(verb, key) ?? idiomFor(key, verb) ?? ofVerb);
    return { ...about, code: 'key-not-for-verb', message, expected: `on steps with ${either(owners)}`, hint };
  }
  if (takesSteps.has(shape) && isPlainVerb(key)) {
    const message = `${takesSteps.get(shape)} has no key ${quoted(key)}.`;
    const hint = `put the step into a list: \`steps: [{ ${key}: … }]\``;
    return { ...about, code: 'unknown-key', message, expected: either(keysOf(shape)), hint, meant: 'steps' };
  }
  // Only a step of a `parallel` waits for others by name.
  const isLoose = verb !== undefined && path.at(-2) !== 'parallel';
  const keys = keysOf(shape).filter((one) => one !== 'needs' || !isLoose);
  const others = keys.filter((one) => one !== verb);
  const owner = verb === undefined ? ownerOf(path, shape) : `A step with "${verb}"`;
  return {
    ...about,
    code: 'unknown-key',
    message: `${owner} has no key ${quoted(key)}.`,
    expected: keys.length === 0 ? 'no keys' : either(keys),
    ...(key === 'match' && path.at(-2) === 'onError' ? { hint: handlerForm } : hintFor(shape, key, others)),
  };
}

/** Shapes that hold steps, in which authors write a single step itself. */
const takesSteps: ReadonlyMap<string, string> = new Map([
  ['whenCase', 'A case'],
  ['repeat', '"repeat"'],
]);

export const isPlainVerb = (key: string): boolean => plainVerbs.some((one) => one === key);

const handlerForm = 'put the step into a list beside it: `{ match: […], steps: [{ … }] }`';

function hintFor(shape: string, key: string, others: readonly string[]): Pick<Problem, 'hint' | 'meant'> {
  const space = falseSpaceIn(key);
  if (space !== undefined) return { hint: `it has ${space}` };
  if (key.startsWith('//')) return { hint: 'a comment begins with `#`' };
  const verb = shape.endsWith('Step') ? shape.slice(0, -'Step'.length) : undefined;
  const idiom = verb === undefined || calledElsewhere(key, others) !== undefined ? undefined : idiomFor(key, verb);
  if (idiom !== undefined) return { hint: idiom };
  const meant = meantIn(shape, key, others);
  return meant.hint === undefined && shape.endsWith('Step') ? { hint: ofAnotherVerb(shape, key) } : meant;
}

/** A misspelt key that only steps with other verbs have. */
function ofAnotherVerb(shape: string, key: string): string | undefined {
  const all = [...new Set(verbs.flatMap((verb) => keysOf(`${verb}Step`)))];
  const verb = shape.slice(0, -'Step'.length);
  const meant = plainlyMeant(key, all);
  if (meant === undefined || meant === verb) return undefined;
  const instead = timeoutOf(verb, meant) ?? 'take it away';
  return `\`${meant}\` is meant, and means nothing on a step with \`${verb}\`: ${instead}`;
}

/** What waiting steps have instead of `timeout`. */
function timeoutOf(verb: string, key: string): string | undefined {
  if (key !== 'timeout') return undefined;
  if (verb === 'ask') return 'use `expires`';
  return verb === 'wait' ? 'it belongs inside: `wait: { signal: …, timeout: … }`' : undefined;
}

function meantIn(shape: string, key: string, keys: readonly string[]): Pick<Problem, 'hint' | 'meant'> {
  const isOfRounds = keysOf('repeat').includes(key) || calledElsewhere(key, ['every']) !== undefined;
  if (shape === 'repeatStep' && isOfRounds) return { hint: belongsInside };
  return { hint: meantBy(key, keys), meant: plainlyMeant(key, keys) };
}

const belongsInside = 'it belongs inside: `repeat: { max: …, until: …, every: …, steps: … }`';

/** The keys that not every step may have. */
function ownKeys(verb: (typeof verbs)[number]): readonly string[] {
  const isCommon = (key: string): boolean => verbs.every((one) => keysOf(`${one}Step`).includes(key));
  return keysOf(`${verb}Step`).filter((key) => key !== verb && !isCommon(key));
}

function ownerOf(path: readonly Segment[], shape: string): string {
  const name = path.findLast((one) => typeof one === 'string');
  return name === undefined ? `A ${shape}` : quoted(name);
}
