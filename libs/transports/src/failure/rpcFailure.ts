/**
 * Converts an error that the server answered with into a failure (JSON-RPC 2.0 section 5.1; MCP 2025-11-25; 2026-07-28
 * for -32020…-32042). A call with a malformed request did not run; a call that failed inside the tool may have run in
 * part.
 */
import { type Delivery, type FailureCode, FailureError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type Json, cleanText, membersOf } from '@baton/primitives';
import { isDeeperThan } from '@baton/protocol';

import { wordsIn } from './serverWords.ts';

export interface RpcMeaning {
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

/** `what`: the method, for the message. `unlisted`: the meaning of a code that only the server knows. */
export function rpcFailure(error: unknown, what: string, unlisted: RpcMeaning = otherwise): FailureError {
  const details = rpcDetails(error);
  const { code, message, data } = details;
  const { code: means, delivery } = isNotFound(code, message, data)
    ? ({ code: 'tool-not-found', delivery: 'rejected' } as const)
    : (meanings[code] ?? unlisted);
  return new FailureError(means, `${what} failed: ${message === '' ? `error ${code}` : message}`, {
    delivery,
    details,
  });
}

/** The members of a JSON-RPC error; some servers send a text, or put their words elsewhere. */
export function rpcDetails(error: unknown): { readonly code: number; readonly message: string; readonly data?: Json } {
  const { code, data } = membersOf(error);
  const kept = data === undefined || data === null || isDeeperThan(data, dataDepthMax) ? {} : { data: data as Json };
  return {
    code: codeIn(code),
    message: cleanText(wordsIn(error) || wordsIn(data), limits.failure.messageCharacters),
    ...kept,
  };
}

const codeIn = (code: unknown): number => {
  const number = typeof code === 'string' && code.trim() !== '' ? Number(code) : code;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
};

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
