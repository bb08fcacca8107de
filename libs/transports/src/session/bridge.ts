/** Connects a client that can only start a command to an HTTP server: passes every message on unchanged. */
import { PassThrough, type Readable, type Writable } from 'node:stream';

import { isObject, membersOf } from '@baton/primitives';
import {
  type JSONRPCMessage,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  ProtocolErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

import { LineSplitter } from '../link/lines.ts';

export interface BridgeOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly input: Readable;
  readonly output: Writable;
  /** Called with messages that could not be passed on; the client gets an error instead. */
  readonly onTrouble: (error: Error) => void;
}

/** Resolves when the client disconnects. */
export async function bridgeStdio({ url, headers, input, output, onTrouble }: BridgeOptions): Promise<void> {
  const server = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const client = new StdioServerTransport(readableLines(input, output), output);
  const gone = Promise.withResolvers<void>();
  client.onclose = () => gone.resolve();
  input.once('end', () => gone.resolve());
  client.onmessage = (message) => {
    server.send(message).catch((error: unknown) => {
      onTrouble(asError(error));
      const refusal = refusalOf(message, error);
      if (refusal !== undefined) client.send(refusal).catch((failure: unknown) => onTrouble(asError(failure)));
    });
  };
  server.onmessage = (message) => {
    const version = negotiatedIn(message);
    if (version !== undefined) server.setProtocolVersion(version);
    client.send(message).catch((error: unknown) => onTrouble(asError(error)));
  };
  server.onerror = onTrouble;
  await server.start();
  await client.start();
  await gone.promise;
  await server.terminateSession().catch((error: unknown) => onTrouble(asError(error)));
  await Promise.all([server.close(), client.close()]);
}

/** A call of the gateway may hold a document. */
const lineBytes = 16 * 1024 * 1024;

/** The lines that are messages; each other line is answered here, since the SDK passes over it without a word. */
function readableLines(input: Readable, output: Writable): Readable {
  const lines = new PassThrough();
  const refuse = (id: unknown, code: number, message: string): boolean =>
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  const splitter = new LineSplitter(lineBytes, {
    line: (text) => {
      const line = text.replace(/^\uFEFF/, '').trim();
      const refusal = line === '' ? undefined : refusalOfLine(line);
      if (refusal === undefined) lines.write(`${line}\n`);
      else refuse(refusal.id, refusal.code, refusal.message);
    },
    longLine: ({ bytes }) =>
      refuse(null, ProtocolErrorCode.InvalidRequest, `A line has ${bytes} bytes, which is too long.`),
  });
  input.on('data', (chunk: Buffer | string) => splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  input.once('end', () => lines.end());
  return lines;
}

interface LineRefusal {
  /** Null: none that could be repeated. */
  readonly id: unknown;
  readonly code: number;
  readonly message: string;
}

function refusalOfLine(line: string): LineRefusal | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { id: null, code: ProtocolErrorCode.ParseError, message: 'A line is no JSON.' };
  }
  const id = isObject(message) ? message['id'] : undefined;
  const code = ProtocolErrorCode.InvalidRequest;
  if (typeof id === 'number' && !Number.isSafeInteger(id))
    return { id: null, code, message: 'The id of a message is no whole number up to 2^53: write it as a text.' };
  const isMessage = [isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResponse].some((is) => is(message));
  if (isMessage) return undefined;
  const isRepeatable = typeof id === 'string' || typeof id === 'number';
  return { id: isRepeatable ? id : null, code, message: 'A line is no message of JSON-RPC 2.0.' };
}

/** The protocol version in the answer to `initialize`: every later request names it (2025-06-18, transports). */
function negotiatedIn(message: JSONRPCMessage): string | undefined {
  if (!('result' in message)) return undefined;
  const { protocolVersion } = message.result as { readonly protocolVersion?: unknown };
  return typeof protocolVersion === 'string' ? protocolVersion : undefined;
}

function refusalOf(message: JSONRPCMessage, error: unknown): JSONRPCMessage | undefined {
  if (!('method' in message) || !('id' in message)) return undefined;
  const refused = refusedAs(error);
  return { jsonrpc: '2.0', id: message.id, error: refused ?? { code: -32_000, message: asError(error).message } };
}

/** A request that the server did not accept, with the server's own words: a problem of RFC 9457, or a JSON-RPC error. */
function refusedAs(error: unknown): { code: number; message: string } | undefined {
  if (!(error instanceof SdkHttpError)) return undefined;
  const { status, text } = error.data as { readonly status?: unknown; readonly text?: unknown };
  if (status !== 400 && status !== 413 && status !== 415 && status !== 422) return undefined;
  const body = objectIn(typeof text === 'string' ? text : '');
  const { error: said, detail } = body;
  const message = isObject(said) ? said['message'] : detail;
  const code = isObject(said) && typeof said['code'] === 'number' ? said['code'] : ProtocolErrorCode.InvalidRequest;
  return { code, message: typeof message === 'string' ? message : asError(error).message };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return membersOf(value);
  } catch {
    return {};
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
