/** Reads a problem from an answer. */
import { codeOfType, ProblemError } from '../problems.ts';
import type { ProblemDetail } from '../schemas/problem.ts';

/** Undefined if the answer is not a problem document of Baton. */
export function readProblem(request: string, status: number, headers: Headers, text: string): ProblemError | undefined {
  const body = jsonIn(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { type, title, detail, errors, requestId } = body as Readonly<Record<string, unknown>>;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ProblemError(
    codeOfType(textIn(type) ?? ''),
    textIn(detail) ?? textIn(title) ?? `The server answered ${status}.`,
    {
      status,
      title: textIn(title) ?? '',
      errors: Array.isArray(errors) ? errors.flatMap(detailIn) : [],
      request,
      requestId: textIn(requestId),
      retryAfterMs: retryAfter >= 0 ? retryAfter * 1_000 : undefined,
    },
  );
}

/** Undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A detail without a message is dropped. */
function detailIn(value: unknown): ProblemDetail[] {
  const isDetail = typeof value === 'object' && value !== null && 'message' in value && textIn(value.message);
  return isDetail ? [value as ProblemDetail] : [];
}
