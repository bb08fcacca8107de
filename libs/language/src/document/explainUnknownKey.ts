import type { Problem } from '../problem.ts';
import { quoted } from '../source/excerpt.ts';
import { either } from '../source/nearest.ts';
import type { Segment } from '../source/pointer.ts';
import { childOf } from '../source/pointer.ts';
import { meantBy, plainlyMeant } from './foreignKeywords.ts';
import { keysOf } from './shape.ts';
import { verbs } from './step.ts';

/** A key that the shape does not have: a slip, or a key that belongs to another verb. */
export function explainUnknownKey(shape: string, key: string, path: readonly Segment[], parent: string): Problem {
  const about = { pointer: childOf(parent, key), at: 'key', found: key } as const;
  const verb = verbs.find((one) => shape === `${one}Step`);
  const owners = verb === undefined ? [] : verbs.filter((one) => keysOf(`${one}Step`).includes(key));
  if (verb !== undefined && owners.length > 0) {
    const message = `${quoted(key)} means nothing on a step with "${verb}".`;
    const own = ownKeys(verb);
    const isOfRepeat = verb === 'repeat' && keysOf('repeat').includes(key);
    const hint = isOfRepeat
      ? belongsInside
      : own.length === 0
        ? undefined
        : `with "${verb}" there can be ${either(own)}`;
    return { ...about, code: 'key-not-for-verb', message, expected: `on steps with ${either(owners)}`, hint };
  }
  const keys = keysOf(shape);
  const others = keys.filter((one) => one !== verb);
  const owner = verb === undefined ? ownerOf(path, shape) : `A step with "${verb}"`;
  return {
    ...about,
    code: 'unknown-key',
    message: `${owner} has no key ${quoted(key)}.`,
    expected: keys.length === 0 ? 'no keys' : either(keys),
    ...hintFor(shape, key, others),
  };
}

/** Characters that look like spaces, and are none in YAML. */
const falseSpace = /[\u00A0\u2000-\u200B\u202F\u3000\uFEFF]/;

function hintFor(shape: string, key: string, others: readonly string[]): Pick<Problem, 'hint' | 'meant'> {
  const [space] = falseSpace.exec(key) ?? [];
  if (space !== undefined) {
    const code = space.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return { hint: `it has the character U+${code}, which looks like a space and is none: write plain spaces` };
  }
  if (key.startsWith('//')) return { hint: 'a comment begins with `#`' };
  const meant = meantIn(shape, key, others);
  return meant.hint === undefined && shape.endsWith('Step') ? { hint: ofAnotherVerb(shape, key) } : meant;
}

/** A misspelt key that only steps with other verbs have. */
function ofAnotherVerb(shape: string, key: string): string | undefined {
  const all = [...new Set(verbs.flatMap((verb) => keysOf(`${verb}Step`)))];
  const verb = shape.slice(0, -'Step'.length);
  const meant = plainlyMeant(key, all);
  if (meant === undefined) return undefined;
  const instead = verb === 'ask' && meant === 'timeout' ? 'use `expires`' : 'take it away';
  return `\`${meant}\` is meant, and means nothing on a step with \`${verb}\`: ${instead}`;
}

function meantIn(shape: string, key: string, keys: readonly string[]): Pick<Problem, 'hint' | 'meant'> {
  if (shape === 'repeatStep' && keysOf('repeat').includes(key)) return { hint: belongsInside };
  return { hint: meantBy(key, keys), meant: plainlyMeant(key, keys) };
}

const belongsInside = 'it belongs inside: `repeat: { max: …, until: …, steps: … }`';

/** What not every step may have. */
function ownKeys(verb: (typeof verbs)[number]): readonly string[] {
  const isCommon = (key: string): boolean => verbs.every((one) => keysOf(`${one}Step`).includes(key));
  return keysOf(`${verb}Step`).filter((key) => key !== verb && !isCommon(key));
}

function ownerOf(path: readonly Segment[], shape: string): string {
  const name = path.findLast((one) => typeof one === 'string');
  return name === undefined ? `A ${shape}` : quoted(name);
}
