/** Calls operations by their names, typed by the routes of the contract. */
import { hasNameInPath, nameInPath } from '../nameInPath.ts';
import { type Operation, type OperationName, operations } from '../operations.ts';
import type { ReadAnswer, Sent } from '../route.ts';
import type { Routes } from '../routes.ts';
import type { Connection, Query, RequestOptions } from './connection.ts';

export type AnswerTo<Name extends OperationName> = ReadAnswer<Routes[Name]>;
export type BodyOf<Name extends OperationName> = Sent<Routes[Name]>['body'];
export type QueryOf<Name extends OperationName> = Sent<Routes[Name]>['query'];

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface KeyedOptions extends CallOptions {
  /** A repeated request with the same key starts no second run. Absent: a random key, so that retries are safe. */
  readonly idempotencyKey?: string | undefined;
}

export interface CallParts<Name extends OperationName> extends KeyedOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: QueryOf<Name> | undefined;
  readonly body?: BodyOf<Name>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Rejects with `ProblemError`, `UnreachableError`, or the reason of the signal. */
export async function call<Name extends OperationName>(
  connection: Connection,
  name: Name,
  parts: CallParts<Name> = {},
): Promise<AnswerTo<Name>> {
  return (await callForStatus(connection, name, parts)).answer;
}

/** As `call`, and returns the status too, for operations with several success statuses. */
export async function callForStatus<Name extends OperationName>(
  connection: Connection,
  name: Name,
  { params = {}, query, body, headers, idempotencyKey, signal, timeoutMs }: CallParts<Name>,
): Promise<{ readonly status: number; readonly answer: AnswerTo<Name> }> {
  const { method, path, isKeyed, isRepeatable }: Operation = operations[name];
  const key = idempotencyKey ?? (isKeyed === true && connection.retries > 0 ? newKey() : undefined);
  const options: RequestOptions = {
    ...(query === undefined ? {} : { query: query as Query }),
    ...bodyPart(body),
    headers: { ...(key === undefined ? {} : { 'idempotency-key': key }), ...headers },
    isRepeatable: method !== 'POST' || isRepeatable === true || (isKeyed === true && key !== undefined),
    signal,
    timeoutMs,
  };
  const { status, json } = await connection.json(method, pathWith(path, params), options);
  return { status, answer: json as AnswerTo<Name> };
}

/** A text body is a workflow: JSON if it begins like a JSON object, otherwise YAML. */
function bodyPart(body: unknown): Pick<RequestOptions, 'body' | 'text' | 'contentType'> {
  if (typeof body !== 'string') return body === undefined ? {} : { body };
  return { text: body, contentType: /^\s*\{/.test(body) ? 'application/json' : 'application/yaml' };
}

const pathWith = (path: string, params: Readonly<Record<string, string | number>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name] ?? '');
    return hasNameInPath(path) ? nameInPath(value) : encodeURIComponent(value);
  });

/** Browsers have `crypto.randomUUID` only on pages that were loaded over TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
