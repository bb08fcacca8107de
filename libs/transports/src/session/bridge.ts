/** Connects a client that can only start a command to an HTTP server: passes every message on unchanged. */
import type { Readable, Writable } from 'node:stream';

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
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

/** What `initialize` was answered with: from then on every request names it (2025-06-18, transports). */
function negotiatedIn(message: JSONRPCMessage): string | undefined {
  if (!('result' in message)) return undefined;
  const { protocolVersion } = message.result as { readonly protocolVersion?: unknown };
  return typeof protocolVersion === 'string' ? protocolVersion : undefined;
}

function refusalOf(message: JSONRPCMessage, error: unknown): JSONRPCMessage | undefined {
  if (!('method' in message) || !('id' in message)) return undefined;
  return { jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: asError(error).message } };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
