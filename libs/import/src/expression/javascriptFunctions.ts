/** Functions and methods of JavaScript, and those that n8n adds to it, as CEL. */
import { literal } from '@baton/expressions';

type CelForm = (...args: string[]) => string;

const functions: Readonly<Record<string, CelForm>> = {
  'JSON.stringify': (value = 'null') => `json(${value})`,
  'JSON.parse': (text = '""') => `fromJson(${text})`,
  'Object.keys': (map = '{}') => `keys(${map})`,
  'Object.values': (map = '{}') => `values(${map})`,
  'Math.round': (value = '0') => `round(${value})`,
  'Math.floor': (value = '0') => `floor(${value})`,
  'Math.ceil': (value = '0') => `ceil(${value})`,
  'Math.abs': (value = '0') => `abs(${value})`,
  'Math.min': (...values) => `min(${values.join(', ')})`,
  'Math.max': (...values) => `max(${values.join(', ')})`,
  Number: (value = '0') => `double(${value})`,
  parseFloat: (value = '0') => `double(${value})`,
  parseInt: (value = '0') => `int(${value})`,
  String: (value = '""') => `string(${value})`,
  Boolean: (value = 'false') => `bool(${value})`,
  encodeURIComponent: (text = '""') => `urlEncode(${text})`,
  $if: (when = 'false', then = 'null', otherwise = 'null') => `(${when} ? ${then} : ${otherwise})`,
  'new Date': () => 'run.startedAt',
  'DateTime.now': () => 'run.startedAt',
};

const methods: Readonly<Record<string, CelForm>> = {
  toLowerCase: (of) => `lower(${of})`,
  toUpperCase: (of) => `upper(${of})`,
  trim: (of) => `trim(${of})`,
  toString: (of: string) => `string(${of})`,
  includes: (of = '', part = '""') => (of.startsWith('[') ? `${part} in ${of}` : `contains(${of}, ${part})`),
  startsWith: (of, part = '""') => `startsWith(${of}, ${part})`,
  endsWith: (of, part = '""') => `endsWith(${of}, ${part})`,
  indexOf: (of, part = '""') => `indexOf(${of}, ${part})`,
  split: (of, by = '""') => `split(${of}, ${by})`,
  join: (of, by = '","') => `join(${of}, ${by})`,
  replace: (of, old = '""', to = '""') => `replace(${of}, ${old}, ${to}, 1)`,
  replaceAll: (of, old = '""', to = '""') => `replace(${of}, ${old}, ${to})`,
  substring: (of, ...range) => `substring(${[of, ...range].join(', ')})`,
  first: (of) => `first(${of})`,
  last: (of) => `last(${of})`,
  sum: (of) => `sum(${of})`,
  round: (of, ...places) => `round(${[of, ...places].join(', ')})`,
  isEmpty: (of) => `size(${of}) == 0`,
  isNotEmpty: (of) => `size(${of}) > 0`,
  toJsonString: (of) => `json(${of})`,
  parseJson: (of) => `fromJson(${of})`,
  toISO: (of) => of,
  toISOString: (of) => of,
};

const found = (table: Readonly<Record<string, CelForm>>, name: string): CelForm | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const javascriptCall = (name: string, args: readonly string[]): string | undefined =>
  found(functions, name)?.(...args);

/** `zone`: that of the workflow, in which n8n writes times. */
export function javascriptMethod(
  name: string,
  of: string,
  args: readonly string[],
  zone: string | undefined,
): string | undefined {
  const [format = '""'] = args;
  if (name === 'format' || name === 'toFormat')
    return `formatTime(timestamp(${of}), ${format}${zone === undefined ? '' : `, ${literal(zone)}`})`;
  return found(methods, name)?.(of, ...args);
}
