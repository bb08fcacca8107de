/** Answers that are no success: RFC 9457 problems, and what comes from something that is not Baton. */
import type { Json, JsonObject } from '@baton/language';

/** One of the things that are wrong with what was sent. */
export interface ProblemDetail {
  /** JSON pointer into what was sent. */
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly code?: string;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly hint?: string;
  /** Of a finding in a workflow: the lines around the place. */
  readonly frame?: string;
}

/** The server understood, and refused. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** What was asked for: `POST /v1/runs`. */
  readonly request: string;
  readonly errors: readonly ProblemDetail[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(request: string, status: number, problem: JsonObject, retryAfterMs?: number) {
    super(textOf(problem['detail']) ?? textOf(problem['title']) ?? `The server answered ${status}.`);
    this.status = status;
    this.request = request;
    this.errors = detailsOf(problem['errors'] ?? problem['findings']);
    this.requestId = textOf(problem['requestId']);
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer, or one that no Baton gives. Nothing is known of what was asked for. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly url: string;
  readonly hint: string | undefined;

  constructor(url: string, message: string, options: ErrorOptions & { readonly hint?: string } = {}) {
    super(message, options);
    this.url = url;
    this.hint = options.hint;
  }
}

function detailsOf(errors: Json | undefined): ProblemDetail[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((one: Json): ProblemDetail[] => {
    if (one === null || typeof one !== 'object' || Array.isArray(one)) return [];
    const error = one as JsonObject;
    const { line, column } = error;
    const pointer = textOf(error['pointer']) ?? textOf(error['path']);
    return [
      {
        message: textOf(error['message']) ?? 'It is not valid.',
        ...present('pointer', pointer),
        ...present('code', textOf(error['code'])),
        ...present('expected', textOf(error['expected'])),
        ...present('found', textOf(error['found'])),
        ...present('hint', textOf(error['hint'])),
        ...present('frame', textOf(error['frame'])),
        ...(typeof line === 'number' ? { line } : {}),
        ...(typeof column === 'number' ? { column } : {}),
      },
    ];
  });
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const present = <Name extends string>(name: Name, value: string | undefined): { readonly [name in Name]?: string } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: string });
