/** Says why no session could be opened, in words that help the operator. No call was sent: delivery `unsent`. */
import { type FailureCode, FailureError } from '@baton/engine';
import { cleanText, isObject, writtenDuration } from '@baton/primitives';

import { detailsOf, endOf, rubbishOf, stderrOf } from '../failure/connectionLost.ts';
import { isRefusal, StatusError } from '../http/httpFailure.ts';
import type { LinkReport } from '../link/link.ts';

/** No session within the time limit. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

export interface FailedOpening {
  readonly report: LinkReport;
  readonly openMs: number;
  /** The requests that were sent, in order, and those that have no answer. */
  readonly asked: readonly string[];
  readonly unanswered: readonly string[];
}

export function openFailure(error: unknown, opening: FailedOpening): FailureError {
  const { report } = opening;
  const sentence = `${reasonOf(error, opening)}${rubbishOf(report)}${stderrOf(report)}`;
  return new FailureError(codeOf(innermost(error)), sentence, {
    delivery: 'unsent',
    details: detailsOf(report),
    cause: error,
  });
}

function codeOf(cause: unknown): FailureCode {
  const status = cause instanceof StatusError ? cause.status : undefined;
  return status === 401 || status === 403 || isRefusal(cause) ? 'server-unauthorized' : 'server-unreachable';
}

function reasonOf(error: unknown, { report, openMs, asked, unanswered }: FailedOpening): string {
  const { peer, exit, pid, awaits, endpoint } = report;
  if (exit !== undefined) return `The server ${peer} ${endOf(exit)} before it introduced itself.`;
  if (isLate(error)) {
    const running = pid === undefined ? '' : ' It is still running, so there is no exit code.';
    const late = `The server ${peer} did not ${awaits ?? `answer ${requestsIn(unanswered)}`} within ${writtenDuration(openMs)}.`;
    return `${late}${running} Where it only needs longer, say so in mcp.json: "baton": { "openTimeout": "10m" }.`;
  }
  const cause = innermost(error);
  const last = requestsIn(asked.slice(-1));
  if (cause instanceof StatusError) {
    const at = endpoint === undefined ? '' : ` at ${endpoint}, which its stream of events names`;
    const to = awaits === undefined ? ` to ${last}${at}` : '';
    return `The server ${peer} answered ${cause.status}${to}: ${describeError(cause)}.`;
  }
  const words = rpcWords(error);
  if (words !== undefined) return `The server ${peer} refused ${last}: ${words}.`;
  return `No session with ${peer} could be opened: ${describeError(cause)}.`;
}

const requestsIn = (methods: readonly string[]): string =>
  (methods.length === 0 ? ['initialize'] : methods).map((method) => `"${method}"`).join(' nor ');

const isLate = (error: unknown): boolean =>
  error instanceof LateError || (error instanceof FailureError && error.code === 'timeout');

/** The message of the JSON-RPC error with which the server answered. */
function rpcWords(error: unknown): string | undefined {
  const details = error instanceof FailureError ? error.failure.details : undefined;
  if (!isObject(details) || typeof details['code'] !== 'number') return undefined;
  const { code, message } = details;
  return typeof message === 'string' && message !== '' ? shown(message) : `error ${code}`;
}

/** The last error in the chain of causes. */
export function innermost(error: unknown): unknown {
  let at = error;
  for (let depth = 0; depth < 8 && at instanceof Error && at.cause instanceof Error; depth++) at = at.cause;
  return at;
}

/** Characters shown of an error page that answers instead of the server. */
const shownCharacters = 500;
/** A status that the sentence names already. */
const restated = /^answered \d{3}(?:: )?/;

function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return shown(messageOf(error).replace(restated, '')) || 'it gave no reason';
}

const shown = (text: string): string => cleanText(text, shownCharacters).trim().replace(/\.$/, '');

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message === '' ? code : error.message;
}
