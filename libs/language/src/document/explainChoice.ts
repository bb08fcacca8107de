import { either, nearest, childOf } from '@baton/expressions';

import type { Problem } from '../problem.ts';
import { calledElsewhere, idiomFor, meantBy, plainlyMeant } from './foreignKeywords.ts';
import type { DocumentChoice } from './shape.ts';

const nouns: Readonly<Record<DocumentChoice, string>> = {
  verb: 'A step',
  read: 'An entry of `ensure`',
  trigger: 'A trigger',
  wait: 'A wait',
  case: 'A case',
};

/** Explains a choice of keys of which exactly one must be present: a step's verb, a trigger's kind. */
export function explainChoice(value: unknown, params: Record<string, unknown>, pointer: string): Problem {
  const { choice, present, choices } = params as { choice: DocumentChoice; present: string[]; choices: string[] };
  return present.length === 0 ? none(value, choice, choices, pointer) : several(choice, present, pointer);
}

/** Valid keys that are similar to a verb. */
const everywhere = new Set(['id', 'title', 'if', 'with', 'as', 'steps', 'timeout', 'onError', 'timezone']);

function none(value: unknown, choice: DocumentChoice, choices: readonly string[], pointer: string): Problem {
  const keys = Object.keys(value as object);
  const known = keys.find((key) => calledElsewhere(key, choices) !== undefined);
  // With `else`, a `then` is more than other words for `steps`.
  const isStrange = (key: string): boolean => idiomFor(key) !== undefined && (known === undefined || key === 'else');
  const strange = choice === 'verb' ? keys.find(isStrange) : undefined;
  const slip = strange ?? known ?? keys.find((key) => !everywhere.has(key) && nearest(key, choices).length > 0);
  const message =
    choice === 'verb'
      ? 'This step has no verb: nothing says what it does.'
      : `${nouns[choice]} says with one of its keys what it ${choice === 'read' ? 'reads' : 'is'}, and this one does not.`;
  return {
    code: choice === 'verb' ? 'missing-verb' : 'missing-key',
    pointer: slip === undefined ? pointer : childOf(pointer, slip),
    ...(slip === undefined ? {} : { at: 'key' }),
    message,
    expected: `one of ${either(choices)}`,
    found: keys.length === 0 ? 'no keys' : keys.join(', '),
    ...(slip === undefined ? {} : hintFor(slip, choices, strange)),
  };
}

function hintFor(
  slip: string,
  choices: readonly string[],
  strange: string | undefined,
): Pick<Problem, 'hint' | 'meant'> {
  if (strange !== undefined) return { hint: idiomFor(strange) };
  return { hint: meantBy(slip, choices), meant: plainlyMeant(slip, choices) };
}

function several(choice: DocumentChoice, present: readonly string[], pointer: string): Problem {
  const [, second = ''] = present;
  const named = either(
    present.map((key) => `"${key}"`),
    'and',
  );
  return {
    code: choice === 'verb' ? 'two-verbs' : 'conflicting-keys',
    pointer: childOf(pointer, second),
    at: 'key',
    message: `${nouns[choice]} is one thing, and this one is ${named}.`,
    expected: 'one of them',
    found: present.join(', '),
    hint: choice === 'verb' ? twoStepsOf(present) : undefined,
  };
}

function twoStepsOf(present: readonly string[]): string {
  const other = present.find((verb) => verb !== 'forEach');
  return present.length === 2 && present.includes('forEach')
    ? `put what is done for each item into \`steps\`: \`steps: [{ ${other}: … }]\``
    : 'make a step of each';
}
