/** Forms of servers' questions (MCP elicitation), as people can answer them. */
import { type Json, type JsonObject, isObject } from '@baton/primitives';

/**
 * The parameters of `elicitation/create` with a form that can be answered: no field in `required` that the form does not
 * have, for no answer would ever fit, and a type for each choice of texts. No field is called `__proto__`, which Baton
 * accepts in no answer.
 */
export function answerableForm(params: JsonObject): JsonObject {
  const { requestedSchema: form } = params;
  if (!isObject(form)) return params;
  const { properties, required } = form;
  const fields = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => name !== '__proto__');
  const names = new Set<Json>(fields.map(([name]) => name));
  const requestedSchema = {
    ...form,
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, typed(field)])),
    ...(Array.isArray(required) ? { required: required.filter((name: Json) => names.has(name)) } : {}),
  };
  return { ...params, requestedSchema };
}

/** A choice without a type is one of texts, where all its values are texts. */
function typed(field: Json): Json {
  if (!isObject(field)) return field;
  const { type, items } = field;
  if (isObject(items)) return { type: 'array', ...field, items: typed(items) };
  if (type !== undefined) return field;
  const options = [field['oneOf'], field['anyOf'], field['enum']].find(Array.isArray) as readonly Json[] | undefined;
  const isText = (option: Json): boolean => typeof (isObject(option) ? option['const'] : option) === 'string';
  return options !== undefined && options.length > 0 && options.every(isText) ? { ...field, type: 'string' } : field;
}

/** An accepted answer, with the defaults of the fields that the person left out (SEP-1034). */
export function withDefaults({ requestedSchema: form }: JsonObject, answer: JsonObject): JsonObject {
  const { action, content } = answer;
  if (action !== 'accept' || !isObject(content) || !isObject(form) || !isObject(form['properties'])) return answer;
  const defaults = Object.entries(form['properties']).flatMap(([name, field]): [string, Json][] =>
    isObject(field) && field['default'] !== undefined && !Object.hasOwn(content, name)
      ? [[name, field['default']]]
      : [],
  );
  return defaults.length === 0 ? answer : { ...answer, content: { ...content, ...Object.fromEntries(defaults) } };
}
