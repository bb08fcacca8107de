/** Forms that a client can put to its user (MCP 2025-11-25, elicitation): flat, and of plain values. */
import type { Json } from '@baton/language';

const plainTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

export function isSimpleForm(form: Json): boolean {
  if (!isObject(form) || form['type'] !== 'object' || !isObject(form['properties'])) return false;
  return Object.values(form['properties']).every(
    (one) => isObject(one) && (plainTypes.has(one['type']) || isChoice(one)),
  );
}

/** Several of given texts (SEP-1330). */
function isChoice({ type, items }: { readonly [key: string]: Json }): boolean {
  return type === 'array' && isObject(items) && (Array.isArray(items['enum']) || Array.isArray(items['anyOf']));
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
