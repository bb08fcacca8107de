/** `batonflow/client`: one module, and types made from the OpenAPI document. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { type DocumentParameter, openApiDocument } from '@baton/api';
import { typescriptOf } from '@baton/expressions';
import { rolldown } from 'rolldown';

import { withoutIndentation } from './indentation.ts';
import { ownMapsPlugin } from './ownMaps.ts';

/** Of the module, as a page would load it. */
const gzipBytesMax = 11_000;

/** Returns the absolute paths of all modules inside. Throws where it is too large, or not what its types promise. */
export async function bundleClient(root: string, target: string): Promise<readonly string[]> {
  const folder = join(target, 'client');
  mkdirSync(folder, { recursive: true });
  const build = await rolldown({
    cwd: root,
    input: join(root, 'scripts/package/clientEntry.ts'),
    platform: 'neutral',
    plugins: [ownMapsPlugin],
  });
  const file = join(folder, 'index.js');
  const { output } = await build.write({
    file,
    format: 'esm',
    sourcemap: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    // With its lines, and the names of its errors: Node prints the line of an error that a program does not catch.
    minify: {
      compress: true,
      mangle: { toplevel: true, keepNames: { class: true, function: false } },
      codegen: { removeWhitespace: false },
    },
  });
  await build.close();
  dropIndentation(file);
  const bytes = gzipSync(readFileSync(file)).length;
  if (bytes > gzipBytesMax) throw new Error(`The client has ${bytes} bytes after gzip; ${gzipBytesMax} are allowed.`);
  copyFileSync(join(root, 'scripts/package/client/index.d.ts'), join(folder, 'index.d.ts'));
  writeFileSync(join(folder, 'contract.d.ts'), contractTypes());
  writeFileSync(join(folder, 'events.d.ts'), eventTypes(root));
  checkTypes(root, folder);
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** Four hundred bytes of ten thousand. */
function dropIndentation(file: string): void {
  const map = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { mappings: string };
  const { code, mappings } = withoutIndentation({ code: readFileSync(file, 'utf8'), mappings: map.mappings });
  writeFileSync(file, code);
  writeFileSync(`${file}.map`, JSON.stringify({ ...map, mappings }));
}

function contractTypes(): string {
  const { components, paths } = openApiDocument({ version: '' });
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typescriptOf(schema)};\n`,
  );
  for (const { operationId, parameters = [] } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const query = parameters.filter((one) => one.in === 'query');
    if (query.length === 0) continue;
    const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
    types.push(`export type ${name} = ${typescriptOf(querySchema(query))};\n`);
  }
  return `/** What the REST API takes and answers, as /openapi.json has it. */\n\n${types.join('\n')}`;
}

/** Nothing may be `undefined` that a caller may leave out: the client sends no such parameter. */
function querySchema(query: readonly DocumentParameter[]): object {
  const properties = query.map(({ name, description, schema }) => [name, { description, ...schema }] as const);
  const required = query.flatMap((one) => (one.required ? [one.name] : []));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

/** The journal's vocabulary as the engine has it, with the few types that it takes from other files. */
function eventTypes(root: string): string {
  const events = readFileSync(join(root, 'libs/engine/src/state/event.ts'), 'utf8');
  const parts = readFileSync(join(root, 'scripts/package/client/eventParts.d.ts'), 'utf8');
  const declared = events.slice(events.indexOf('\n\n', events.lastIndexOf('\nimport ')));
  return `/** The events of a run's journal. */\n\n${parts}${declared.trimStart()}`;
}

/** What the types promise is what the client has: compiled, and not packed. */
const conformity = `
import { type Client as Source, ProblemError as SourceProblem, UnreachableError as SourceUnreachable } from '@baton/api/client';
import type { RunEvent as SourceEvent } from '@baton/engine';
import type { RerunResult, Retry } from './contract.js';
import type { Client, FollowedEvent, ProblemError, UnreachableError } from './index.js';

type ToldOutcome = NonNullable<Retry['told']>[number];

declare const source: Source;
export const groups: Omit<Client, 'runs' | 'servers' | 'keys'> = source;
// A readonly list is sent as any other.
export const keys: Omit<Client['keys'], 'create'> = source.keys;
export const runs: Omit<Client['runs'], 'start' | 'wait' | 'get' | 'retry'> = source.runs;
export const retry: (id: string, body: { told: ToldOutcome[] }) => Promise<RerunResult> = source.runs.retry;
export const start: (workflow: string, inputs?: Readonly<Record<string, unknown>>) => Promise<{ id: string }> = source.runs.start;
export const servers: Omit<Client['servers'], 'approve'> = source.servers;
export const eventTypes = (source: SourceEvent['type']): FollowedEvent['event']['type'] => source;
declare const followed: FollowedEvent;
if (followed.event.type === 'step.failed') followed.event.failure.code satisfies string;
// @ts-expect-error No list takes a name that the API does not know.
export const wrong: Parameters<Client['runs']['all']>[0] = { run: 'x' };
// @ts-expect-error How many items is said once, in the options.
export const limited: Parameters<Client['runs']['all']>[0] = { limit: 3 };
declare const problem: SourceProblem;
declare const unreachable: SourceUnreachable;
export const errors: [ProblemError, UnreachableError] = [problem, unreachable];
`;

function checkTypes(root: string, folder: string): void {
  const file = join(folder, 'conformity.ts');
  const settings = join(folder, 'tsconfig.json');
  writeFileSync(file, conformity);
  writeFileSync(settings, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), files: [file] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', settings], { cwd: root, encoding: 'utf8' });
  rmSync(file);
  rmSync(settings);
  if (status !== 0) throw new Error(`The types of the client do not fit the client:\n${stdout}`);
}
