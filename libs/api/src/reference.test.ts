/**
 * docs/reference/api.md: the contract in words, so that a change of it is read in a few lines. A person writes the page
 * down to the heading of the tables; the rest is made from the routes.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { type OpenApiDocument, openApiDocument } from './openapi.ts';
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

const file = fileURLToPath(new URL('../../../docs/reference/api.md', import.meta.url));
const tablesFrom = '## Every route\n';

/** What a person wrote above the tables. */
function prose(): string {
  const page = readFileSync(file, 'utf8');
  const at = page.indexOf(tablesFrom);
  if (at < 0) throw new Error(`docs/reference/api.md has no heading "${tablesFrom.trim()}": the tables go below it`);
  return page.slice(0, at);
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
  const query = parameters.filter((one) => one.in === 'query').map((one) => `${one.name}=`);
  const headers = parameters.filter((one) => one.in === 'header').map((one) => `${one.name}:`);
  const body = mediaWords(requestBody);
  const takes = [...query, ...headers, ...(body === '' ? [] : [body])].map(inCode).join(' ');
  const answered = Object.keys(answers).map((status) => {
    const words = mediaWords(responses[status] ?? {});
    return `${status}${words === '' ? '' : ` ${inCode(words)}`}`;
  });
  const may = typeof access === 'string' ? access.replace('-', ' ') : access.map(inCode).join(' ');
  return `| ${inCode(`${method} ${path}`)} ${name}: ${summary} | ${may} | ${takes} | ${answered.join(', ')} |`;
}

function reference(): string {
  const document = openApiDocument({ version: '0' });
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const schemas = document.components.schemas as Readonly<Record<string, JsonSchema>>;
  return [
    `${prose()}${tablesFrom}`,
    'Of several scopes, one is enough. In *takes*, `name=` is a parameter of the address, `name:` is a header, and the rest is the body: JSON, unless a media type stands there. The schemas are in the second table; `name?` may be absent.',
    '',
    '| operation | scopes | takes | answers |',
    '| --- | --- | --- | --- |',
    ...(Object.values(routes) as readonly Route[]).map((route) => rowOf(document, route)),
    '',
    '| schema | |',
    '| --- | --- |',
    ...Object.entries(schemas).map(([name, schema]) => `| ${name} | ${inCode(wordsOf(schema))} |`),
    '',
    `\`npx vitest run --project unit libs/api -u\` writes both tables from \`libs/api\`; its test compares them. SHA-256 of the document without its version: \`${digest}\``,
    '',
  ].join('\n');
}

test('the contract is what docs/reference/api.md lists', async () => {
  await expect(reference()).toMatchFileSnapshot(file);
});

test('operations have addresses of their own', () => {
  const addresses = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});
