/** Words for values, as messages use them. */

/** `a text`, `a list`, … */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'boolean':
      return String(value);
    case 'number':
    case 'bigint':
      return 'a number';
    default:
      return 'a map';
  }
}

const words: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'an integer',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'nothing',
};

/** The same words for the names that schemas use. */
export const kindNamed = (name: string): string => words[name] ?? name;
