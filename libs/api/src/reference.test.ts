/** docs/reference/api.md: the contract in words, so that a change of it is read in a few lines. */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import type { OpenApiDocument } from './openapi.ts';
import { openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

const inCode = (text: string): string => `\`${text.replaceAll('|', String.raw`\|`)}\``;

function wordsOf({ $ref, type, items, anyOf, properties, required = [], ...rest }: JsonSchema): string {
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (anyOf !== undefined) return anyOf.map(wordsOf).join(' | ');
  if (rest.const !== undefined) return JSON.stringify(rest.const);
  if (rest.enum !== undefined) return rest.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (items !== undefined) return `[${wordsOf(items)}]`;
  if (properties === undefined) return type === undefined ? 'any' : String(type);
  const members = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${wordsOf(schema)}`,
  );
  return `{ ${members.join(', ')} }`;
}

const mediaWords = ({ content = {} }: Media): string =>
  Object.entries(content)
    .map(([type, { schema = {} }]) => (type === 'application/json' ? wordsOf(schema) : type))
    .join(' or ');

function rowOf(document: OpenApiDocument, { name, method, path, access, answers }: Route): string {
  const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  const { parameters = [], requestBody = {}, responses = {}, summary = '' } = operation ?? {};
  const query = parameters.filter((one) => one.in === 'query').map((one) => `?${one.name}`);
  const body = mediaWords(requestBody);
  const takes = [...query, ...(body === '' ? [] : [body])].map(inCode).join(' ');
  const answered = Object.keys(answers).map((status) => {
    const words = mediaWords(responses[status] ?? {});
    return `${status}${words === '' ? '' : ` ${inCode(words)}`}`;
  });
  const may = typeof access === 'string' ? access.replace('-', ' ') : access.map(inCode).join(' ');
  return `| ${name}: ${summary} | ${inCode(`${method} ${path}`)} | ${may} | ${takes} | ${answered.join(', ')} |`;
}

function reference(): string {
  const document = openApiDocument({ version: '0' });
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const schemas = document.components.schemas as Readonly<Record<string, JsonSchema>>;
  return [
    '# The API in words',
    '',
    'Made from `libs/api` by its test; `npx vitest run --project unit libs/api -u` writes it anew. The OpenAPI document itself is served at `/openapi.json`.',
    '',
    '| operation | address | scopes | takes | answers |',
    '| --- | --- | --- | --- | --- |',
    ...(Object.values(routes) as readonly Route[]).map((route) => rowOf(document, route)),
    '',
    '| schema | |',
    '| --- | --- |',
    ...Object.entries(schemas).map(([name, schema]) => `| ${name} | ${inCode(wordsOf(schema))} |`),
    '',
    `SHA-256 of the document without its version: \`${digest}\``,
    '',
  ].join('\n');
}

test('the contract is what docs/reference/api.md lists', async () => {
  const file = fileURLToPath(new URL('../../../docs/reference/api.md', import.meta.url));
  await expect(reference()).toMatchFileSnapshot(file);
});

test('operations have addresses of their own', () => {
  const addresses = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});
