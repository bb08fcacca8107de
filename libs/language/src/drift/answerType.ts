/**
 * The type of a tool's answers after its output schema has changed. What the new schema does not limit as the old one did
 * has `isChanged`.
 *
 * An expression that reads only the other parts computes what it could compute before: for each answer of the new schema
 * there is one of the old schema that has the same values there. That holds where the schemas around those parts say
 * nothing of how members depend on each other, so that each member can be another one for itself.
 *
 * A member that the old schema lists and the new one does not is changed, too, where the new schema is the narrower one:
 * each read that names it is a new finding, and one that names no member (`output[name]`, `name in output`, the whole)
 * would find nothing where the workflow counts on it.
 */
import { type Field, type Type, schemasIn, typeOfResult, types, usableSchema } from '@baton/expressions';
import { canonicalJson, isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { type SchemaPair, admits, isAsNarrow, memberOf, pairOf } from '../fit/admits.ts';
import { isSameSchema } from '../fit/sameSchema.ts';
import { alone, isFurther, isPlainMap, namesOf, propertiesOf, requiredOf } from '../fit/schemaParts.ts';

/** Deeper parts count as changed. */
const depthMax = 12;

const changed: Type = { kind: 'any', isChanged: true };

export function answerType(before: JsonSchema | undefined, now: JsonSchema | undefined): Type {
  if (now === undefined) return before === undefined ? types.any : changed;
  const whole = typeOfResult(usableSchema(now).schema);
  const isNarrower = before !== undefined && admits(before, now);
  if (before === undefined || (isNarrower && isSameSchema(before, now))) return whole;
  const pair = pairOf(before, now);
  const type = pair === undefined ? changed : partType(pair, pair.wide, pair.narrow, 0);
  return isNarrower || types.holdsChanged(type) ? type : changed;
}

function partType(pair: SchemaPair, before: Json, now: Json, depth: number): Type {
  const isNarrower = pair.admits(before, now);
  if (isNarrower && isSameSchema(before, now)) return typeWithin(pair.narrow, now);
  if (isObject(before) && isObject(now) && depth <= depthMax) {
    if (isOnly(before, 'object') && isOnly(now, 'object') && isPlainMap(before) && (!isNarrower || isPlainMap(now)))
      return mapType(pair, before, now, depth);
    if (isPlainList(before) && isOnly(now, 'array') && isListOf(before, now))
      return types.list(partType(pair, before['items'] ?? true, now['items'] ?? true, depth + 1));
  }
  return isNarrower ? narrowerType(pair, before, now) : changed;
}

const isPlainList = (schema: JsonObject): boolean => isOnly(schema, 'array') && !isFurther(schema, listKeywords);

/** Whether only the items of the lists differ. */
function isListOf(before: JsonObject, now: JsonObject): boolean {
  const hasTuple = now['prefixItems'] !== undefined || Array.isArray(before['items']) || Array.isArray(now['items']);
  return !hasTuple && ['minItems', 'maxItems'].every((keyword) => isAsNarrow(keyword, before, now));
}

/** Of a part whose schema has alternatives, or says how members depend on each other. */
function narrowerType(pair: SchemaPair, before: Json, now: Json): Type {
  if (now === false || rulingOut(before) !== rulingOut(now)) return changed;
  return withLost(typeWithin(pair.wide, before), typeWithin(pair.narrow, now));
}

/** Keywords by which a schema can say that a member is not there. */
const excluding = `not if then else propertyNames maxProperties maxItems allOf oneOf dependentRequired dependentSchemas
  dependencies unevaluatedProperties unevaluatedItems`.split(/\s+/);

const rulingOut = (schema: Json): string =>
  canonicalJson(
    [...schemasIn(schema)]
      .map(({ schema: one }) => excluding.map((keyword) => one[keyword] ?? null))
      .filter((all) => all.some((one) => one !== null)),
  );

/** The type of now, in which the members that only the type of before lists are changed. */
function withLost(before: Type, now: Type): Type {
  const [old, fresh] = [types.alternatives(before), types.alternatives(now)];
  const itemsOf = (all: readonly Type[]): readonly Type[] =>
    all.flatMap((one) => (one.kind === 'list' ? [one.of] : []));
  const maps = (all: readonly Type[]) => all.filter((one) => one.kind === 'map');
  const listed = fieldsOf(maps(old));
  const kept = fieldsOf(maps(fresh));
  if (maps(fresh).length === 0 && listed.size > 0 && types.mayBe(now, ['map'])) return changed;
  return types.union(
    fresh.map((one) => {
      if (one.kind === 'list') return types.list(withLost(types.union(itemsOf(old)), one.of));
      if (one.kind !== 'map') return one;
      const lost = [...listed.keys()].filter((name) => !kept.has(name));
      const fields = [...one.fields].map(([name, field]): [string, Field] => {
        const type = withLost(types.union(listed.get(name) ?? []), field.type);
        return [name, { ...field, type }];
      });
      const all = [...fields, ...lost.map((name): [string, Field] => [name, { type: changed, isOptional: true }])];
      return { ...one, fields: new Map(all) };
    }),
  );
}

function fieldsOf(maps: readonly Extract<Type, { kind: 'map' }>[]): ReadonlyMap<string, readonly Type[]> {
  const all = new Map<string, Type[]>();
  for (const { fields } of maps) for (const [name, { type }] of fields) all.set(name, [...(all.get(name) ?? []), type]);
  return all;
}

const listKeywords = ['type', 'items', 'minItems', 'maxItems'];

function isOnly(schema: JsonObject, kind: 'object' | 'array'): boolean {
  const [name, ...others] = namesOf(schema);
  return name === kind && others.length === 0 && schema['nullable'] !== true;
}

function typeWithin(root: Json, part: Json): Type {
  if (!isObject(part)) return types.any;
  const schema = alone(part, root as JsonSchema);
  return schema === undefined ? changed : typeOfResult(schema);
}

const isListed = (schema: JsonObject, name: string): boolean =>
  requiredOf(schema).includes(name) || Object.hasOwn(propertiesOf(schema) ?? {}, name);

function mapType(pair: SchemaPair, before: JsonObject, now: JsonObject, depth: number): Type {
  const [needed, isNeeded] = [requiredOf(before), requiredOf(now)];
  const listed = [before, now].flatMap((one) => Object.keys(propertiesOf(one) ?? {}));
  const fields = [...new Set([...listed, ...needed])].map((name): [string, Field] => {
    const [old, fresh] = [memberOf(before, name), memberOf(now, name)];
    const isLost = needed.includes(name) && !isNeeded.includes(name);
    const isGone = fresh === true && isListed(before, name) && !isListed(now, name);
    const type = isLost || isGone ? changed : partType(pair, old, fresh, depth + 1);
    return [name, { type, isOptional: !isNeeded.includes(name) }];
  });
  const others = now['patternProperties'] === undefined ? (now['additionalProperties'] ?? true) : true;
  if (!pair.admits(before['additionalProperties'] ?? true, others))
    return types.map(Object.fromEntries(fields), changed);
  if (now['additionalProperties'] === undefined && now['patternProperties'] === undefined)
    return types.openMap(Object.fromEntries(fields));
  return types.map(Object.fromEntries(fields), others === false ? undefined : typeWithin(pair.narrow, others));
}
