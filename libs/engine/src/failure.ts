/**
 * What can go wrong, as one table.
 *
 * A failure is a value: it is stored in the journal, shown over REST and handed to MCP callers, and `judge` reads
 * from the same row whether trying again can help. A bug is not a failure; it throws `InvariantError`.
 *
 * retry   `transient`: another try may go better. `never`: it will fail the same way.
 * http    the status of a REST answer that reports this failure.
 */
import { type Json, isObject } from '@baton/primitives';

export const failureCodes = {
  'invalid-inputs': { http: 422, retry: 'never', means: 'The inputs do not fit the workflow.' },
  'expression-failed': { http: 422, retry: 'never', means: 'An expression met a value it cannot work with.' },
  'expression-budget': { http: 422, retry: 'never', means: 'An expression exceeded its cost limit.' },
  'invalid-arguments': { http: 422, retry: 'never', means: 'The arguments do not fit the tool’s input schema.' },
  'tool-failed': { http: 502, retry: 'never', means: 'The tool ran and reported an error.' },
  'tool-not-found': { http: 404, retry: 'never', means: 'The server has no tool, prompt or resource of that name.' },
  'tool-changed': { http: 409, retry: 'never', means: 'The tool is not the one this version was checked against.' },
  'server-unknown': { http: 404, retry: 'never', means: 'No server of that name is configured.' },
  'server-unreachable': { http: 503, retry: 'transient', means: 'No session with the server could be opened.' },
  'server-rejected': { http: 502, retry: 'never', means: 'The server refused the request.' },
  'server-error': { http: 502, retry: 'transient', means: 'The server answered with an internal error.' },
  'server-overloaded': { http: 503, retry: 'transient', means: 'The server asked to be called later.' },
  'server-unauthorized': { http: 502, retry: 'never', means: 'The server did not accept the credentials.' },
  'session-lost': {
    http: 503,
    retry: 'transient',
    means: 'The server no longer knows the session; the call did not run.',
  },
  'connection-lost': { http: 504, retry: 'transient', means: 'The connection broke after the call was sent.' },
  timeout: { http: 504, retry: 'transient', means: 'No answer came in time.' },
  'invalid-result': {
    http: 502,
    retry: 'transient',
    means: 'The answer is not what the protocol or the schema allows.',
  },
  'result-too-large': { http: 502, retry: 'never', means: 'The answer is larger than the limit.' },
  'model-unavailable': {
    http: 503,
    retry: 'transient',
    means: 'The model provider cannot be reached or is overloaded.',
  },
  'model-failed': { http: 502, retry: 'never', means: 'The model provider refused the request.' },
  'caller-absent': { http: 422, retry: 'never', means: 'No MCP client called the run whose model could answer.' },
  'output-invalid': { http: 502, retry: 'never', means: 'The model’s answer does not fit the declared output.' },
  'worker-lost': { http: 503, retry: 'transient', means: 'The worker died while the call was in flight.' },
  'outcome-unknown': {
    http: 504,
    retry: 'never',
    means: 'The call was sent, and its outcome is unknown: it may or may not have happened.',
  },
  'child-failed': { http: 502, retry: 'never', means: 'The child run did not succeed.' },
  'question-expired': { http: 504, retry: 'never', means: 'The question got no answer in time.' },
  'wait-expired': { http: 504, retry: 'never', means: 'The signal did not come in time.' },
  'step-timed-out': { http: 504, retry: 'never', means: 'The step, with everything in it, exceeded its timeout.' },
  'run-timed-out': { http: 504, retry: 'never', means: 'The run exceeded its timeout.' },
  'budget-exceeded': { http: 422, retry: 'never', means: 'The budget of the run or step was exceeded.' },
  'limit-exceeded': { http: 422, retry: 'never', means: 'A limit of Baton was reached.' },
  'repeat-exhausted': {
    http: 422,
    retry: 'never',
    means: 'A `repeat` reached `max` and its condition did not come true.',
  },
  'not-achieved': {
    http: 422,
    retry: 'never',
    means: 'What the workflow must `ensure` is not true.',
  },
  'not-verified': {
    http: 502,
    retry: 'never',
    means: 'Whether what the workflow must `ensure` is true could not be read. Nothing is undone for that.',
  },
  'state-changed': {
    http: 409,
    retry: 'never',
    means: 'Another run has written the state meanwhile, and the step says `ifUnchanged`.',
  },
  'state-unfit': { http: 422, retry: 'never', means: 'A value does not fit the state that the workflow declares.' },
  'workflow-failed': { http: 422, retry: 'never', means: 'The workflow said so, with `fail`.' },
  'integrity-lost': {
    http: 500,
    retry: 'never',
    means: 'Stored content does not match its digest: it was changed.',
  },
  'run-poisonous': { http: 500, retry: 'never', means: 'Several workers in a row died while driving the run.' },
  cancelled: { http: 409, retry: 'never', means: 'It was cancelled on request.' },
} as const satisfies Record<string, { http: number; retry: 'never' | 'transient'; means: string }>;

export type FailureCode = keyof typeof failureCodes;

export interface Failure {
  /** A row of the table, or a code that the workflow gave with `fail`. */
  readonly code: string;
  readonly message: string;
  /** Path of the step that failed first. */
  readonly step?: string;
  /** Further details: exit code, stderr tail, JSON-RPC code, schema errors. */
  readonly details?: Json;
}

/** How far a call got before it failed; decides whether a `write` may be tried again. */
export type Delivery =
  /** It never left: refused connection, no session, invalid arguments. */
  | 'unsent'
  /** It arrived and was turned away before it ran. */
  | 'rejected'
  /** It ran, and answered with an error. */
  | 'answered'
  /** It was sent, and its answer is lost. */
  | 'unknown';

/** Carries a failure up the stack. Caught at the edges only: a request, an MCP call, a worker's attempt. */
export class FailureError extends Error {
  override readonly name = 'FailureError';
  readonly code: FailureCode;
  readonly failure: Failure;
  readonly delivery: Delivery;
  /** How long the server asked clients to wait before the next request. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: FailureCode,
    message: string,
    options: ErrorOptions & { delivery?: Delivery; details?: Json; retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.failure = { code, message, ...(options.details === undefined ? {} : { details: options.details }) };
    this.delivery = options.delivery ?? 'unsent';
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function isTransient(code: string): boolean {
  return Object.hasOwn(failureCodes, code) && failureCodes[code as FailureCode].retry === 'transient';
}

/** What messages about a call say whose outcome is unknown. */
export const mayHaveHappened = 'may or may not have happened';

/** How the answer of a call was lost. */
export type LostAnswer = Pick<Failure, 'code' | 'message'>;

export const lostAnswer = ({ code, message }: LostAnswer): string =>
  `It was sent, and its answer is lost (${code}: ${message.replace(/\.$/, '')}).`;

/** Of a failure `outcome-unknown`; undefined: it was written before failures had it, or Postgres has lost a time. */
export function lostAnswerIn({ details }: Pick<Failure, 'details'>): LostAnswer | undefined {
  const lost = isObject(details) ? details['lost'] : undefined;
  if (!isObject(lost)) return undefined;
  const { code, message } = lost;
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}

/** The code of a failure that undoes nothing, in the run and in those that wait for it. */
export const notVerified = 'not-verified' satisfies FailureCode;

/** Whether a limit of the run, or of a step around it, ended the reading of what it must `ensure`. */
export const isCutByLimit = ({ code, details }: Failure): boolean =>
  code === notVerified && isObject(details) && details['limit'] !== undefined;

/** A message that others follow: servers often leave out the full stop. */
export const sentenceOf = (message: string): string => (/[.!?…]$/.test(message) ? message : `${message}.`);

/** The message of a cancelled run's failure if no reason was given. */
export const cancelledMessage = 'the run was cancelled';
