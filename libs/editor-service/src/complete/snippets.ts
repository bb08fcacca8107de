/** The snippet of a key: the beginning of its value, and for a verb all required keys. */
import { isObject } from '@baton/primitives';

import { type SchemaNode, type SchemaProperty, propertiesAt, keywordOf, unfold } from '../schemas/schemaNode.ts';

/** Optional keys that almost every author writes. */
const usual: Readonly<Record<string, readonly string[]>> = {
  tool: ['with'],
  prompt: ['with'],
  workflow: ['with'],
  forEach: ['as'],
  repeat: ['until'],
  sample: ['append'],
};

/** Example values, if nothing better is known. */
const examples: Readonly<Record<string, string>> = {
  tool: 'server/tool',
  prompt: 'server/prompt',
  resource: 'server',
  workflow: 'name',
  as: 'item',
  max: '10',
  wait: '5m',
  schedule: '"0 6 * * 1-5"',
  every: '90m',
  at: '2030-01-31T09:00:00Z',
};

/** Text, escaped for a snippet. */
export const inSnippet = (text: string): string => text.replace(/[\\$}]/g, '\\$&');

const plainTypes = new Set<unknown>(['string', 'number', 'integer', 'boolean']);

class SnippetWriter {
  #stops = 0;

  stop(example?: string): string {
    this.#stops++;
    return example === undefined ? `$${this.#stops}` : `\${${this.#stops}:${inSnippet(example)}}`;
  }

  /** `key:` and what follows it, each further line indented by `indent`. */
  entry(property: SchemaProperty, indent: string, depth = 0): string {
    const { name } = property;
    if (name === 'forEach' || name === 'collect') return `${name}: "\\\${{ ${this.stop()} \\}\\}"`;
    return `${name}:${this.#value(name, unfold(property, undefined), indent, depth)}`;
  }

  #value(name: string, nodes: readonly SchemaNode[], indent: string, depth: number): string {
    const [node] = nodes;
    if (node === undefined || depth > 3) return ` ${this.stop(examples[name])}`;
    const type = keywordOf(node, 'type');
    const isPlain = nodes.some((one) => plainTypes.has(keywordOf(one, 'type')));
    if (type === 'array') return `\n${indent}  - ${this.#item(node, `${indent}    `, depth)}`;
    if (type !== 'object' || (isPlain && name !== 'with')) return ` ${this.stop(examples[name])}`;
    const inner = this.entries(nodes.slice(0, 1), name, `${indent}  `, depth + 1);
    return `\n${indent}  ${inner === '' ? this.stop() : inner}`;
  }

  #item({ schema, root }: SchemaNode, indent: string, depth: number): string {
    const { items } = schema;
    const nodes = isObject(items) ? unfold({ schema: items, root }, undefined) : [];
    // A step with any verb: the author chooses it.
    const isStep = nodes.length > 2;
    const inner = isStep ? '' : this.entries(nodes.slice(0, 1), '', indent, depth + 1);
    return inner === '' ? this.stop() : inner;
  }

  /** The required keys, and those that almost every author writes. */
  entries(nodes: readonly SchemaNode[], of: string, indent: string, depth: number): string {
    const all = propertiesAt(nodes);
    const wanted = all.filter(({ name, isRequired }) => isRequired || usual[of]?.includes(name) === true);
    return wanted.map((one) => this.entry(one, indent, depth)).join(`\n${indent}`);
  }
}

/** `indent` precedes each further line. */
export const keySnippet = (property: SchemaProperty, indent: string): string =>
  new SnippetWriter().entry(property, indent);

/** The verb, with what it needs; `shape` is the step's. */
export function verbSnippet(verb: string, shape: readonly SchemaNode[], indent: string): string {
  const writer = new SnippetWriter();
  const all = propertiesAt(shape);
  const first = all.filter(({ name }) => name === verb);
  const others = all.filter(
    ({ name, isRequired }) => name !== verb && (isRequired || usual[verb]?.includes(name) === true),
  );
  return [...first, ...others].map((one) => writer.entry(one, indent)).join(`\n${indent}`);
}

/** Inside `{ }`, everything is on one line. */
export const flowSnippet = (name: string): string => `${name}: $1`;
