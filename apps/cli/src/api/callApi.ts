/** `baton api`: sends one request, and prints the body of the answer to stdout, for every status. */
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';

import type { Answer, RequestOptions } from '@baton/api/client';
import { type Json, cleanText } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodeOfStatus, exitCodes } from '../exitCodes.ts';
import { inputsOf } from '../inputs/readInputs.ts';
import { whyOf } from '../output/fileFault.ts';
import { filteredOutput } from '../output/jq.ts';
import { jsonText } from '../output/json.ts';
import type { Output } from '../output/output.ts';

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly field?: readonly string[];
  readonly input?: string;
  readonly header?: readonly string[];
  readonly include?: true;
  readonly jq?: string;
}

/** Long enough for a large export. */
const timeoutMs = 300_000;

export async function callApi(context: Context, call: ApiCall): Promise<ExitCode> {
  const request = await requestOf(context, call);
  // A filter that is wrong must be found before the request, which may start a run.
  const filtered = call.jq === undefined ? undefined : await filteredOutput(context.stdout, call.jq);
  const client = await context.client();
  const method = call.method.toUpperCase();
  const answer = await client.connection.exchange(method, pathOf(call.path), request);
  if (call.include === true) printHead(context.stdout, answer);
  const { status } = answer;
  if (filtered !== undefined && status < 400) printFiltered(context, filtered, answer);
  else printBody(context.stdout, answer.text);
  if (status < 400) return exitCodes.done;
  context.stderr.line(
    `${context.stderr.paint.red('error:')} ${method} ${pathOf(call.path)} was answered with ${status}.`,
  );
  return exitCodeOfStatus(status);
}

const pathOf = (path: string): string => (path.startsWith('/') ? path : `/v1/${path}`);

async function requestOf(context: Context, { query, field, input, header }: ApiCall): Promise<RequestOptions> {
  if (field !== undefined && input !== undefined) {
    throw new CommandError(exitCodes.usage, 'Use -f or --input for the body, not both.');
  }
  const text = input === undefined ? undefined : await bodyIn(context, input);
  const headers = Object.fromEntries((header ?? []).map(headerOf));
  return {
    timeoutMs,
    query: Object.fromEntries((query ?? []).map(queryOf)),
    ...(field === undefined ? {} : { body: inputsOf(field, undefined, '-f') }),
    ...(text === undefined
      ? {}
      : { text, contentType: /^\s*[[{]/.test(text) ? 'application/json' : 'application/yaml' }),
    headers,
  };
}

async function bodyIn({ stdin }: Context, file: string): Promise<string> {
  return (file === '-' ? readAll(stdin) : readFile(file, 'utf8')).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.usage, `The body in ${file} cannot be read: ${whyOf(cause)}.`, { cause });
  });
}

const queryOf = (text: string): [string, string] => split(text, '=', '-q name=value');

/** `text`: `Name: value`. Throws `CommandError`. */
export function headerOf(text: string): [string, string] {
  const [name, value] = split(text, ':', '-H "Name: value"');
  return [name.toLowerCase(), value.trim()];
}

function split(text: string, mark: string, form: string): [string, string] {
  const at = text.indexOf(mark);
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new CommandError(exitCodes.usage, `${JSON.stringify(text.slice(0, 80))} has no name and value.`, {
    hint: `write it as ${form}`,
  });
}

/** Throws `CommandError` if the filter does not fit the answer. */
function printFiltered({ stderr }: Context, filtered: Output, { text, headers }: Answer): void {
  const isLines = headers.get('content-type')?.includes('ndjson') === true;
  const texts = (isLines ? text.split('\n') : [text]).filter((one) => one.trim() !== '');
  try {
    for (const one of texts) filtered.line(one);
  } catch (error) {
    // The request was made, so its answer must not be lost.
    printBody(stderr, text);
    throw error;
  }
}

function printHead(output: Output, { status, headers }: Answer): void {
  output.line(String(status));
  for (const [name, value] of headers) output.line(`${name}: ${cleanText(value)}`);
  output.line();
}

/** Unchanged for a program; indented and without control characters for a person. */
function printBody(output: Output, text: string): void {
  if (text === '') return;
  if (output.isTerminal) output.line(shownBody(text));
  else output.stream.write(text.endsWith('\n') ? text : `${text}\n`);
}

function shownBody(text: string): string {
  try {
    return jsonText(JSON.parse(text) as Json);
  } catch {
    return cleanText(text);
  }
}
