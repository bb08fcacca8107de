/** Forms of servers' questions (MCP elicitation), as people can answer them. */
import type { JsonObject } from '@baton/language';
import { isObject } from '@baton/primitives';

/**
 * The parameters of `elicitation/create`, with no field in `required` that the form does not have: no answer would ever
 * fit. The SDK leaves out a property `__proto__`, which Baton accepts in no answer either, and keeps it in `required`.
 */
export function answerableForm(params: JsonObject): JsonObject {
  const { requestedSchema: form } = params;
  if (!isObject(form) || !Array.isArray(form['required'])) return params;
  const properties = isObject(form['properties']) ? form['properties'] : {};
  const isThere = (name: unknown): boolean =>
    typeof name === 'string' && name !== '__proto__' && Object.hasOwn(properties, name);
  return { ...params, requestedSchema: { ...form, required: form['required'].filter(isThere) } };
}
