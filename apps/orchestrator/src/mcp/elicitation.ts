/**
 * Decides whether a client can ask its user a question (MCP 2025-11-25, elicitation): clients support flat forms with
 * plain values, URLs to open, or both.
 */
import type { Question } from '@baton/engine';
import { type Json, isObject } from '@baton/primitives';
import type { ClientCapabilities } from '@modelcontextprotocol/server';

const plainTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

/** An address is never shown as a form, since the client would not show where it leads. */
export function canPut(able: ClientCapabilities['elicitation'], { form, url }: Question): boolean {
  if (able === undefined) return false;
  if (url !== undefined) return able.url !== undefined;
  // A client that declares elicitation without details supports forms.
  return (able.form !== undefined || able.url === undefined) && isSimpleForm(form);
}

function isSimpleForm(form: Json): boolean {
  if (!isObject(form) || form['type'] !== 'object' || !isObject(form['properties'])) return false;
  return Object.values(form['properties']).every(
    (one) => isObject(one) && (plainTypes.has(one['type']) || isChoice(one)),
  );
}

/** A selection of several given texts (SEP-1330). */
function isChoice({ type, items }: { readonly [key: string]: Json }): boolean {
  return type === 'array' && isObject(items) && (Array.isArray(items['enum']) || Array.isArray(items['anyOf']));
}
