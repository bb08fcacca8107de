/** Says why no session could be opened, in words that help the operator. No call was sent: delivery `unsent`. */
import { FailureError } from '@baton/engine';
import type { FailureCode } from '@baton/engine';
import { cleanText } from '@baton/primitives';
import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

import type { LinkReport } from '../session/link.ts';
import { detailsOf, endOf, rubbishOf, stderrOf } from './connectionLost.ts';
import { isRefusal } from './httpFailure.ts';

export function openFailure(error: unknown, report: LinkReport, openMs: number): FailureError {
  const sentence = `${reasonOf(error, report, openMs)}${rubbishOf(report)}${stderrOf(report)}`;
  return new FailureError(codeOf(error), sentence, { delivery: 'unsent', details: detailsOf(report), cause: error });
}

function codeOf(error: unknown): FailureCode {
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (status === 401 || status === 403 || isRefusal(error) || isRefusal(innermost(error))) return 'server-unauthorized';
  return 'server-unreachable';
}

function reasonOf(error: unknown, { peer, exit, pid, awaits }: LinkReport, openMs: number): string {
  if (exit !== undefined) return `The server ${peer} ${endOf(exit)} before it introduced itself.`;
  if (isTimeout(error)) {
    const running = pid === undefined ? '' : ' It is still running, so there is no exit code.';
    const late = `The server ${peer} did not ${awaits ?? 'answer "initialize"'} within ${openMs} ms.`;
    return `${late}${running} Where it only needs longer, say so in mcp.json: "baton": { "openTimeout": "10m" }.`;
  }
  if (error instanceof SdkHttpError) {
    const awaited = awaits === undefined ? ' to "initialize"' : '';
    return `The server ${peer} answered ${error.status}${awaited}: ${describeError(error)}.`;
  }
  return `No session with ${peer} could be opened: ${describeError(innermost(error))}.`;
}

const isTimeout = (error: unknown): boolean => error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;

/** The last error in the chain of causes. */
function innermost(error: unknown): unknown {
  let at = error;
  for (let depth = 0; depth < 8 && at instanceof Error && at.cause instanceof Error; depth++) at = at.cause;
  return at;
}

/** Characters shown of an error page that answers instead of the server. */
const shownCharacters = 500;
/** The SDK's prefix: the message states the status already. */
const restated = /^Error \d{3}: /;
/** The findings of zod about an answer, as multi-line JSON. */
const issues = /\[\s*\{\s*"(?:code|expected|origin)"[^]*$/;

function describeError(error: unknown): string {
  const message = error instanceof AggregateError ? error.errors.map(describeError).join('; ') : messageOf(error);
  return cleanText(message.replace(restated, '').replace(issues, 'it is no message of MCP'), shownCharacters)
    .trim()
    .replace(/\.$/, '');
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message === '' ? code : error.message;
}
