/** Converts a type into a JSON Schema for readers of a workflow's outputs: no stricter than what is known. */
import type { JsonObject } from '@baton/primitives';

import type { Type } from '../expression/type.ts';

export function schemaOfType(type: Type): JsonObject {
  switch (type.kind) {
    case 'any':
      return {};
    case 'text':
    case 'timestamp':
    case 'duration':
    case 'bytes':
    case 'type':
      return { type: 'string' };
    case 'number':
      return { type: type.isWhole === true ? 'integer' : 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'null':
      return { type: 'null' };
    case 'list':
      return { type: 'array', items: schemaOfType(type.of) };
    case 'optional':
      return schemaOfType(type.of);
    case 'union':
      return { anyOf: type.of.map(schemaOfType) };
    case 'map': {
      const properties = [...type.fields].map(([name, field]) => [name, schemaOfType(field.type)] as const);
      return { type: 'object', ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }) };
    }
  }
}
