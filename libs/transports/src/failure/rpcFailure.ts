/**
 * Converts an error that the server answered with into a failure (JSON-RPC 2.0 section 5.1; MCP 2025-11-25; 2026-07-28
 * for -32020…-32042). A call with a malformed request did not run; a call that failed inside the tool may have run in
 * part.
 */
import type { Delivery, FailureCode } from '@baton/engine';
import { FailureError } from '@baton/engine';
import type { Json } from '@baton/language';
import { limits } from '@baton/language';
import { cleanText } from '@baton/primitives';
import { isDeeperThan } from '@baton/protocol';

interface RpcMeaning {
  readonly code: FailureCode;
  readonly delivery: Delivery;
}

const meanings: Readonly<Record<number, RpcMeaning>> = {
  [-32700]: { code: 'server-rejected', delivery: 'rejected' },
  [-32600]: { code: 'server-rejected', delivery: 'rejected' },
  [-32601]: { code: 'server-rejected', delivery: 'rejected' },
  [-32602]: { code: 'invalid-arguments', delivery: 'rejected' },
  [-32603]: { code: 'server-error', delivery: 'answered' },
  /** Resource not found, until 2025-11-25. */
  [-32002]: { code: 'tool-not-found', delivery: 'rejected' },
  /** Header mismatch, missing client capability, unsupported protocol version, URL elicitation required. */
  [-32020]: { code: 'server-rejected', delivery: 'rejected' },
  [-32021]: { code: 'server-rejected', delivery: 'rejected' },
  [-32022]: { code: 'server-rejected', delivery: 'rejected' },
  [-32042]: { code: 'server-rejected', delivery: 'rejected' },
};

const otherwise: RpcMeaning = { code: 'server-error', delivery: 'answered' };
const dataDepthMax = 32;

export function rpcFailure(error: unknown, what: string): FailureError {
  const { code, message, data } = rpcErrorIn(error);
  const said = cleanText(message, limits.failure.messageCharacters);
  const { code: means, delivery } = isNotFound(code, message, data)
    ? ({ code: 'tool-not-found', delivery: 'rejected' } as const)
    : (meanings[code] ?? otherwise);
  const kept = data === undefined || isDeeperThan(data, dataDepthMax) ? {} : { data: data as Json };
  return new FailureError(means, `${what} failed: ${said === '' ? `error ${code}` : said}`, {
    delivery,
    details: { code, message: said, ...kept },
  });
}

/** Servers say "no such tool" with the code for wrong arguments, and resources carry their URI (2026-07-28). */
function isNotFound(code: number, message: string, data: unknown): boolean {
  if (code !== -32602) return false;
  const isResource = typeof data === 'object' && data !== null && 'uri' in data && Object.keys(data).length === 1;
  return isResource || saysNotFound(message);
}

/** Whether the server does not know the method. */
export const isMethodUnknown = (error: unknown): boolean =>
  error instanceof FailureError && (error.failure.details as { code?: unknown } | undefined)?.code === -32_601;

const notFound = /\b(tool|prompt|resource)\b.{0,200}\bnot found\b|\b(unknown|no such) (tool|prompt|resource)\b/i;

/** Searches only the beginning, to bound the cost of the pattern. */
export const saysNotFound = (message: string): boolean => notFound.test(message.slice(0, 1_000));

function rpcErrorIn(error: unknown): { code: number; message: string; data: unknown } {
  if (typeof error !== 'object' || error === null) return { code: 0, message: '', data: undefined };
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : '',
    data,
  };
}
