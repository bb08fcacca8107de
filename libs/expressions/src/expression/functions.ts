/** Every function that an expression can call, by name. */
import type { FunctionSpec } from './function.ts';
import { calendarFunctions } from './functions/calendar.ts';
import { collectionFunctions } from './functions/collections.ts';
import { conversionFunctions } from './functions/conversions.ts';
import { csvFunctions } from './functions/csv.ts';
import { digestFunctions } from './functions/digests.ts';
import { encodingFunctions } from './functions/encoding.ts';
import { formattingFunctions } from './functions/formatting.ts';
import { listFunctions } from './functions/lists.ts';
import { localizedFunctions } from './functions/localized.ts';
import { mathNames, numberFunctions } from './functions/numbers.ts';
import { regexFunctions } from './functions/regex.ts';
import { textFunctions } from './functions/text.ts';
import { timeFunctions } from './functions/time.ts';

export const functions: ReadonlyMap<string, FunctionSpec> = new Map(
  [
    ...conversionFunctions,
    ...textFunctions,
    ...formattingFunctions,
    ...regexFunctions,
    ...numberFunctions,
    ...localizedFunctions,
    ...listFunctions,
    ...collectionFunctions,
    ...timeFunctions,
    ...calendarFunctions,
    ...encodingFunctions,
    ...csvFunctions,
    ...digestFunctions,
  ].map((one) => [one.name, one]),
);

/** Forms that bind a name or test an access, which functions cannot do; the parser knows them. */
export const macros: ReadonlyMap<string, { readonly form: string; readonly about: string }> = new Map([
  ['has', { form: 'has(a.b)', about: 'Whether the key is there.' }],
  [
    'all',
    { form: 'list.all(x, condition)', about: 'Whether the condition holds for all items, or all keys of a map.' },
  ],
  ['exists', { form: 'list.exists(x, condition)', about: 'Whether the condition holds for at least one item.' }],
  ['exists_one', { form: 'list.exists_one(x, condition)', about: 'Whether the condition holds for exactly one item.' }],
  ['map', { form: 'list.map(x, value) or list.map(x, condition, value)', about: 'The value for each item.' }],
  ['filter', { form: 'list.filter(x, condition)', about: 'The items for which the condition holds.' }],
  [
    'find',
    {
      form: 'list.find(x, condition)',
      about: 'The first item for which the condition holds; none if there is no such item.',
    },
  ],
  [
    'sortBy',
    {
      form: 'list.sortBy(x, key) or list.sortBy(x, [key, next])',
      about: 'Sorts in ascending order of the key, or of several (`-x.age`: descending); equal ones keep their order.',
    },
  ],
  ['groupBy', { form: 'list.groupBy(x, key)', about: 'The items by their key: a map of lists.' }],
  [
    'reduce',
    { form: 'list.reduce(sum, x, start, value)', about: 'One value from all items; `start` is the first `sum`.' },
  ],
  ['transformMap', { form: 'map.transformMap(key, x, value)', about: 'The same keys with new values.' }],
  [
    'transformList',
    { form: 'list.transformList(i, x, value)', about: 'The value for each item `x` and its place `i`.' },
  ],
  [
    'transformMapEntry',
    {
      form: 'list.transformMapEntry(key, x, {name: value})',
      about: 'One map from all items of a list, or all entries of a map.',
    },
  ],
  ['default', { form: 'default(a.b, c)', about: '`a.b`, or `c` if a part of it is missing, none or null.' }],
  ['orValue', { form: 'a.?b.orValue(c)', about: 'What the optional access found, or `c`; null stays null.' }],
  ['or', { form: 'a.?b.or(a.?c)', about: 'The first of two optional accesses that found something.' }],
  ['bind', { form: 'cel.bind(x, value, expression)', about: 'Names a value inside one expression.' }],
  ['of', { form: 'optional.of(x)', about: 'An optional value that is there.' }],
  ['none', { form: 'optional.none()', about: 'An optional value that is not there.' }],
]);

/** Names before a point that are no values, with the functions of each. */
export const namespaces: Readonly<Record<string, readonly string[]>> = {
  cel: ['bind'],
  optional: ['of', 'none'],
  math: [...mathNames],
  regex: [...functions.keys()].filter((name) => name.startsWith('regex.')).map((name) => name.slice('regex.'.length)),
};
