/**
 * What a client can put to its user (MCP 2025-11-25, elicitation): forms that are flat and of plain values, addresses to
 * be opened, or both.
 */
import type { Question } from '@baton/engine';
import type { Json } from '@baton/language';
import { isObject } from '@baton/primitives';
import type { ClientCapabilities } from '@modelcontextprotocol/server';

const plainTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

/** An address is never put as a form: the client would not show where it leads. */
export function canPut(able: ClientCapabilities['elicitation'], { form, url }: Question): boolean {
  if (able === undefined) return false;
  if (url !== undefined) return able.url !== undefined;
  // Who says no more than that it can be asked means forms.
  return (able.form !== undefined || able.url === undefined) && isSimpleForm(form);
}

function isSimpleForm(form: Json): boolean {
  if (!isObject(form) || form['type'] !== 'object' || !isObject(form['properties'])) return false;
  return Object.values(form['properties']).every(
    (one) => isObject(one) && (plainTypes.has(one['type']) || isChoice(one)),
  );
}

/** Several of given texts (SEP-1330). */
function isChoice({ type, items }: { readonly [key: string]: Json }): boolean {
  return type === 'array' && isObject(items) && (Array.isArray(items['enum']) || Array.isArray(items['anyOf']));
}
