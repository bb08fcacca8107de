/** Converts a JSON Schema into a TypeScript type. Leaves out what TypeScript cannot express. */
import { isObject } from '@baton/primitives';

type Schema = Readonly<Record<string, unknown>>;

/**
 * A `$ref` becomes the last part of its pointer, which the caller declares. Schemas that have no type of TypeScript
 * become `unknown`.
 */
export function typescriptOf(schema: unknown, indent = ''): string {
  if (schema === false) return 'never';
  if (!isObject(schema)) return 'unknown';
  if (typeof schema['$ref'] === 'string') return schema['$ref'].split('/').at(-1) ?? 'unknown';
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map((value) => JSON.stringify(value)));
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return union(alternatives.map((one) => typescriptOf(one, indent)));
  if (Array.isArray(schema['allOf'])) return schema['allOf'].map((one) => typescriptOf(one, indent)).join(' & ');
  const { type } = schema;
  if (Array.isArray(type)) return union(type.map((one) => ofType(one, schema, indent)));
  return ofType(type, schema, indent);
}

function ofType(type: unknown, schema: Schema, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return type;
    case 'integer':
      return 'number';
    case 'array': {
      const items = typescriptOf(schema['items'], indent);
      return /[ {]/.test(items) ? `readonly (${items})[]` : `readonly ${items}[]`;
    }
    case 'object':
      return ofObject(schema, indent);
    default:
      return isObject(schema['properties']) ? ofObject(schema, indent) : 'unknown';
  }
}

function ofObject({ properties, required, additionalProperties }: Schema, indent: string): string {
  const names = Array.isArray(required) ? (required as readonly unknown[]) : [];
  const inner = `${indent}  `;
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const mark = names.includes(name) ? '' : '?';
    return `${comment(property, inner)}${inner}readonly ${keyText(name)}${mark}: ${typescriptOf(property, inner)};\n`;
  });
  if (isObject(additionalProperties)) {
    // Beside named fields of other types an index can only be `unknown`.
    const rest = fields.length === 0 ? typescriptOf(additionalProperties, inner) : 'unknown';
    fields.push(`${inner}readonly [name: string]: ${rest};\n`);
  }
  if (fields.length > 0) return `{\n${fields.join('')}${indent}}`;
  return additionalProperties === false ? 'Readonly<Record<string, never>>' : 'Readonly<Record<string, unknown>>';
}

function comment(schema: unknown, indent: string): string {
  if (!isObject(schema) || typeof schema['description'] !== 'string') return '';
  return `${indent}/** ${schema['description'].replaceAll('*/', '* /').replaceAll(/\s+/g, ' ').trim()} */\n`;
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never';

const keyText = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
