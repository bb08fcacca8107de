/**
 * The type of a tool's answers after its output schema has changed. What the new schema does not limit as the old one did
 * has `isChanged`.
 *
 * An expression that reads only the other parts computes what it could compute before: for each answer of the new schema
 * there is one of the old schema that has the same values there. That holds where the schemas around those parts say
 * nothing of how members depend on each other, so that each member can be another one for itself.
 */
import { type Field, type Type, typeOfResult, types, usableSchema } from '@baton/expressions';
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { type SchemaPair, admits, isAsNarrow, memberOf, pairOf } from '../fit/admits.ts';
import { alone, isFurther, isPlainMap, namesOf, propertiesOf, requiredOf } from '../fit/schemaParts.ts';

/** Deeper parts count as changed. */
const depthMax = 12;

const changed: Type = { kind: 'any', isChanged: true };

export function answerType(before: JsonSchema | undefined, now: JsonSchema | undefined): Type {
  if (now === undefined) return before === undefined ? types.any : changed;
  const whole = typeOfResult(usableSchema(now).schema);
  if (before === undefined || admits(before, now)) return whole;
  const pair = pairOf(before, now);
  const type = pair === undefined ? changed : partType(pair, pair.wide, pair.narrow, 0);
  return types.holdsChanged(type) ? type : changed;
}

function partType(pair: SchemaPair, before: Json, now: Json, depth: number): Type {
  if (pair.admits(before, now)) return typeWithin(pair, now);
  if (!isObject(before) || !isObject(now) || depth > depthMax) return changed;
  if (isOnly(before, 'object') && isOnly(now, 'object') && isPlainMap(before)) return mapType(pair, before, now, depth);
  const isList = isOnly(before, 'array') && isOnly(now, 'array') && !isFurther(before, listKeywords);
  const hasTuple = now['prefixItems'] !== undefined || Array.isArray(before['items']) || Array.isArray(now['items']);
  if (!isList || hasTuple || !['minItems', 'maxItems'].every((keyword) => isAsNarrow(keyword, before, now)))
    return changed;
  return types.list(partType(pair, before['items'] ?? true, now['items'] ?? true, depth + 1));
}

const listKeywords = ['type', 'items', 'minItems', 'maxItems'];

function isOnly(schema: JsonObject, kind: 'object' | 'array'): boolean {
  const [name, ...others] = namesOf(schema);
  return name === kind && others.length === 0 && schema['nullable'] !== true;
}

function typeWithin({ narrow: root }: SchemaPair, part: Json): Type {
  if (!isObject(part)) return types.any;
  const schema = alone(part, root as JsonSchema);
  return schema === undefined ? changed : typeOfResult(schema);
}

function mapType(pair: SchemaPair, before: JsonObject, now: JsonObject, depth: number): Type {
  const [needed, isNeeded] = [requiredOf(before), requiredOf(now)];
  const listed = [before, now].flatMap((one) => Object.keys(propertiesOf(one) ?? {}));
  const fields = [...new Set([...listed, ...needed])].map((name): [string, Field] => {
    const isLost = needed.includes(name) && !isNeeded.includes(name);
    const type = isLost ? changed : partType(pair, memberOf(before, name), memberOf(now, name), depth + 1);
    return [name, { type, isOptional: !isNeeded.includes(name) }];
  });
  const others = now['patternProperties'] === undefined ? (now['additionalProperties'] ?? true) : true;
  if (!pair.admits(before['additionalProperties'] ?? true, others))
    return types.map(Object.fromEntries(fields), changed);
  if (now['additionalProperties'] === undefined && now['patternProperties'] === undefined)
    return types.openMap(Object.fromEntries(fields));
  return types.map(Object.fromEntries(fields), others === false ? undefined : typeWithin(pair, others));
}
