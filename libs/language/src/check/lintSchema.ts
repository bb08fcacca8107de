/** Reports mistakes in a schema of a workflow, at their places. */
import {
  excerpt,
  quoted,
  kindOf,
  didYouMean,
  either,
  childOf,
  metaErrors,
  compilePattern,
  refusalOf,
  validator,
  typeNames,
  typeSlips,
  vocabulary,
  schemasIn,
  isShorthand,
  schemaOf,
  writtenPointer,
} from '@baton/expressions';
import { isObject, type Json, type JsonObject } from '@baton/primitives';

import { mismatch } from '../fit/mismatch.ts';
import type { ProblemReporter } from '../problem.ts';

/** Reports nothing for a usable schema. */
export function lintSchema(written: JsonObject, pointer: string, report: ProblemReporter): void {
  const meant = schemaOf(written);
  const refusal = refusalOf(meant);
  if (refusal?.pointer === '') {
    report({ code: 'schema-refused', pointer, at: 'key', message: `This schema cannot be used. ${refusal.why}` });
    return;
  }
  let problems = 0;
  const counted: ProblemReporter = (problem) => {
    problems++;
    report(problem);
  };
  lintProperties(written, pointer, counted);
  const at = (place: string): string => pointer + writtenPointer(written, place);
  for (const { schema, pointer: place } of schemasIn(meant)) lintOne(schema, at(place), counted);
  if (refusal !== undefined) {
    const message = `This schema cannot be used. ${refusal.why}`;
    counted({ code: 'schema-refused', pointer: at(refusal.pointer), message });
  }
  if (problems > 0 || !isObject(meant)) return;
  for (const { instancePath, message } of metaErrors(meant)) {
    const says = `This is not what the keyword takes: it ${excerpt(message ?? 'is something else')}.`;
    const isFlag = instancePath.endsWith('/required') && message === 'must be array';
    const hint = isFlag ? 'a property is required as it is, unless it has `optional: true` or a default' : undefined;
    counted({ code: 'schema-invalid', pointer: at(instancePath), message: says, hint });
  }
  const { refusal: reason } = problems > 0 ? { refusal: undefined } : validator(meant);
  if (reason !== undefined) {
    const lost = [...schemasIn(meant)].find(
      ({ schema: { $ref } }) => typeof $ref === 'string' && reason.includes(quoted($ref)),
    );
    const where =
      lost === undefined ? ({ pointer, at: 'key' } as const) : { pointer: at(childOf(lost.pointer, '$ref')) };
    report({ code: 'schema-refused', ...where, message: `This schema cannot be used. ${reason}` });
  } else if (problems === 0) lintDefaults(meant, at, report);
}

/** In the shorthand, each key is a property, and its value a schema. */
function lintProperties(written: JsonObject, pointer: string, report: ProblemReporter): void {
  if (!isShorthand(written)) return;
  for (const [name, property] of Object.entries(written)) {
    if (isObject(property) || typeof property === 'boolean') continue;
    const type = typeof property === 'string' ? (typeSlips[property] ?? property) : undefined;
    report({
      code: 'schema-invalid',
      pointer: childOf(pointer, name),
      message: `The property ${quoted(name)} needs a schema, and here is ${kindOf(property)}.`,
      expected: 'a schema such as { type: string }',
      hint: type !== undefined && isTypeName(type) ? `{ type: ${type} }` : undefined,
    });
  }
}

const isTypeName = (name: string): boolean => (typeNames as readonly string[]).includes(name);

function lintOne(schema: JsonObject, pointer: string, report: ProblemReporter): void {
  for (const keyword of Object.keys(schema)) {
    if (vocabulary.has(keyword) || keyword.startsWith('x-')) continue;
    const isMisplaced = keyword === 'optional';
    report({
      code: 'schema-keyword',
      pointer: childOf(pointer, keyword),
      at: 'key',
      message: isMisplaced
        ? '`optional` belongs to the shorthand, where properties stand alone.'
        : `JSON Schema has no keyword ${quoted(keyword)}.`,
      found: keyword,
      hint: isMisplaced ? 'list the others under `required`' : nearestTo(keyword, schema[keyword]),
    });
  }
  lintType(schema['type'], childOf(pointer, 'type'), report);
  const pattern = schema['pattern'];
  const compiled = typeof pattern === 'string' ? compilePattern(pattern) : undefined;
  if (typeof compiled === 'string') {
    const message = `${compiled.charAt(0).toUpperCase()}${compiled.slice(1)}.`;
    report({ code: 'invalid-pattern', pointer: childOf(pointer, 'pattern'), message });
  }
}

/** `count: integer` is rather a property than a misspelt `const`, and `typ: integer` rather a misspelt `type`. */
function nearestTo(keyword: string, value: Json | undefined): string | undefined {
  const near = didYouMean(keyword, vocabulary.keys());
  return near?.includes('"type"') === true ? near : (asProperty(keyword, value) ?? near);
}

/** A type in the place of a keyword's value is that of a property: `{ limit: integer }`. */
function asProperty(name: string, value: Json | undefined): string | undefined {
  const type = typeof value === 'string' ? (typeSlips[value] ?? value) : '';
  if (!isTypeName(type) || !/^[\w-]{1,40}$/.test(name)) return undefined;
  return `for an object with this property, write \`{ type: object, properties: { ${name}: { type: ${type} } } }\``;
}

function lintType(type: Json | undefined, pointer: string, report: ProblemReporter): void {
  const wrong = [type].flat().find((one) => typeof one === 'string' && !isTypeName(one));
  if (typeof wrong !== 'string') return;
  const slip = typeSlips[wrong.toLowerCase()];
  report({
    code: 'schema-type',
    pointer,
    message: `JSON Schema has no type ${quoted(wrong)}.`,
    expected: either(typeNames),
    found: wrong,
    hint: slip === undefined ? didYouMean(wrong, typeNames) : `did you mean "${slip}"?`,
  });
}

function lintDefaults(meant: JsonObject, at: (place: string) => string, report: ProblemReporter): void {
  for (const { schema, pointer: place } of schemasIn(meant)) {
    const { default: given, ...rest } = schema;
    // Inside a schema, `#/$defs/…` refers to the whole schema.
    if (given === undefined || JSON.stringify(rest).includes('"$ref"')) continue;
    const [error] = validator(rest).validate?.(given) ?? [];
    if (error !== undefined) {
      const sentence = 'The default does not fit its own schema.';
      report({ code: 'default-invalid', ...mismatch(error, childOf(at(place), 'default'), sentence) });
    }
  }
}
