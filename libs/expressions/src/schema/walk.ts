/** Iterates every schema inside a schema, without recursion, since a hostile schema may nest deeply. */
import { isObject, type Json, type JsonObject } from '@baton/primitives';

import { childOf } from '../source/pointer.ts';
import { vocabulary } from './vocabulary.ts';

export interface SchemaPlace {
  readonly schema: JsonObject;
  readonly pointer: string;
  readonly depth: number;
}

/** The schema itself and all inside it, outermost first. */
export function* schemasIn(root: Json, pointer = ''): Generator<SchemaPlace> {
  const queue: SchemaPlace[] = isObject(root) ? [{ schema: root, pointer, depth: 1 }] : [];
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    yield place;
    for (const [keyword, value] of Object.entries(place.schema)) {
      for (const [inner, at] of held(keyword, value, childOf(place.pointer, keyword))) {
        if (isObject(inner)) queue.push({ schema: inner, pointer: at, depth: place.depth + 1 });
      }
    }
  }
}

function held(keyword: string, value: Json, pointer: string): readonly (readonly [Json, string])[] {
  switch (vocabulary.get(keyword)) {
    case 'schema':
      return [[value, pointer]];
    case 'schemas':
      return list(value, pointer);
    case 'schema or schemas':
      return Array.isArray(value) ? list(value, pointer) : [[value, pointer]];
    case 'named schemas':
      return isObject(value) ? Object.entries(value).map(([name, one]) => [one, childOf(pointer, name)] as const) : [];
    default:
      return [];
  }
}

const list = (value: Json, pointer: string): (readonly [Json, string])[] =>
  Array.isArray(value) ? value.map((one: Json, i) => [one, childOf(pointer, i)] as const) : [];
