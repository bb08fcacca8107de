/** Every function that an expression can call, by name. */
import type { FunctionSpec } from './function.ts';
import { collectionFunctions } from './functions/collections.ts';
import { conversionFunctions } from './functions/conversions.ts';
import { encodingFunctions } from './functions/encoding.ts';
import { formattingFunctions } from './functions/formatting.ts';
import { listFunctions } from './functions/lists.ts';
import { numberFunctions } from './functions/numbers.ts';
import { textFunctions } from './functions/text.ts';
import { timeFunctions } from './functions/time.ts';

export const functions: ReadonlyMap<string, FunctionSpec> = new Map(
  [
    ...conversionFunctions,
    ...textFunctions,
    ...formattingFunctions,
    ...numberFunctions,
    ...listFunctions,
    ...collectionFunctions,
    ...timeFunctions,
    ...encodingFunctions,
  ].map((one) => [one.name, one]),
);

/** Forms that bind a name or test an access, which functions cannot do; the parser knows them. */
export const macros: ReadonlyMap<string, { readonly form: string; readonly about: string }> = new Map([
  ['has', { form: 'has(a.b)', about: 'Whether the key is there.' }],
  ['all', { form: 'list.all(x, condition)', about: 'Whether the condition holds for every item.' }],
  ['exists', { form: 'list.exists(x, condition)', about: 'Whether it holds for some item.' }],
  ['exists_one', { form: 'list.exists_one(x, condition)', about: 'Whether it holds for exactly one item.' }],
  ['map', { form: 'list.map(x, value) or list.map(x, condition, value)', about: 'The value for each item.' }],
  ['filter', { form: 'list.filter(x, condition)', about: 'The items for which the condition holds.' }],
  ['sortBy', { form: 'list.sortBy(x, key)', about: 'The items in the rising order of their keys.' }],
  ['groupBy', { form: 'list.groupBy(x, key)', about: 'The items by their key: a map of lists.' }],
  ['reduce', { form: 'list.reduce(sum, x, start, value)', about: 'One value out of all items, begun with `start`.' }],
  ['transformMap', { form: 'map.transformMap(key, x, value)', about: 'The same keys with other values.' }],
  [
    'transformMapEntry',
    { form: 'list.transformMapEntry(key, x, {name: value})', about: 'One map of what is made of each item, or entry.' },
  ],
  ['default', { form: 'default(a.b, c)', about: '`a.b`, or `c` where there is none, or null.' }],
  ['orValue', { form: 'a.?b.orValue(c)', about: 'What the optional access found, or else `c`.' }],
  ['or', { form: 'a.?b.or(a.?c)', about: 'The first of two optional accesses that found something.' }],
  ['bind', { form: 'cel.bind(x, value, expression)', about: 'A name for a value inside one expression.' }],
  ['of', { form: 'optional.of(x)', about: 'An optional value that is there.' }],
  ['none', { form: 'optional.none()', about: 'An optional value that is not there.' }],
]);
