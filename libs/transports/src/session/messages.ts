/** JSON-RPC messages in text: one, or a batch of them (MCP 2025-03-26; no revision before or after has batches). */
import { parseExactly } from '@baton/primitives';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/** Undefined if the text is neither. */
export function messagesIn(text: string): readonly JSONRPCMessage[] | undefined {
  try {
    const value: unknown = parseExactly(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    if (!Array.isArray(value)) return isMessage(value) ? [value] : undefined;
    return value.length > 0 && value.every(isMessage) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isMessage = (value: unknown): value is JSONRPCMessage =>
  typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
