/** Connects a client that can only start a command to an HTTP server: passes every message on unchanged. */
import type { Readable, Writable } from 'node:stream';

import { isObject } from '@baton/primitives';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { ProtocolErrorCode, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

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
  const client = new StdioServerTransport(input, output);
  const gone = Promise.withResolvers<void>();
  client.onclose = () => gone.resolve();
  input.once('end', () => gone.resolve());
  client.onmessage = (message) => {
    server.send(message).catch((error: unknown) => {
      onTrouble(asError(error));
      const refusal = refusalOf(message, error);
      if (refusal !== undefined) void client.send(refusal);
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
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
