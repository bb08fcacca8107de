/**
 * Sends questions to clients of revisions before 2026-07-28 as requests during the call. The SDK could do it, but if
 * the client fails, it would answer the call with an error that names neither run nor question.
 */
import { randomUUID } from 'node:crypto';

import type { InputRequest, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';

/** People answer more slowly than machines. */
const timeoutMs = 10 * 60_000;

type InputResponses = NonNullable<ServerContext['mcpReq']['inputResponses']>;

/** Many clients time out after a minute without a message. */
export const waitMs = 50_000;
/** How many questions one call may ask its client. */
const roundsMax = 100;

/** The answers, or why there are none. */
type DialogEnd = { readonly responses: InputResponses } | { readonly failure: string };

/** Rejects if the call itself was cancelled. */
async function askClient(
  { mcpReq }: ServerContext,
  { inputRequests = {} }: Pick<InputRequiredResult, 'inputRequests'>,
): Promise<DialogEnd> {
  const options = { timeout: timeoutMs, resetTimeoutOnProgress: true, signal: mcpReq.signal };
  const responses: Record<string, unknown> = {};
  try {
    for (const [key, request] of Object.entries(inputRequests ?? {})) {
      const { method, params } = withId(request);
      responses[key] = await mcpReq.send({ method, params: { ...params } }, options);
    }
    return { responses };
  } catch (error) {
    mcpReq.signal.throwIfAborted();
    return { failure: error instanceof Error ? error.message.slice(0, 200) : 'it gave no reason' };
  }
}

/** Before 2026-07-28 an address has an id, with which a server can announce that the user has visited it. */
function withId(request: InputRequest): InputRequest {
  if (request.method !== 'elicitation/create' || request.params.mode !== 'url') return request;
  return { ...request, params: { ...request.params, elicitationId: randomUUID() } };
}

/** Returns the call's context with the client's answers in it. */
function withResponses(context: ServerContext, end: DialogEnd, state: string | undefined): ServerContext {
  // The accessor is generic over the server's own state; ours is the text itself.
  const requestState = (() => state) as ServerContext['mcpReq']['requestState'];
  const { inputResponses: _before, ...mcpReq } = context.mcpReq;
  const given = 'responses' in end ? { inputResponses: end.responses } : {};
  return { ...context, mcpReq: { ...mcpReq, ...given, requestState } };
}

interface Dialogue<Answer> {
  readonly context: ServerContext;
  /** Answers the call, or asks. `failed`: the question before, at which the client failed. */
  readonly follow: (
    context: ServerContext,
    failed?: { readonly answer: Answer; readonly failure: string },
  ) => Promise<Answer>;
  readonly requestIn: (answer: Answer) => InputRequiredResult | undefined;
}

/** Asks the client during its call until it has the answer of the call, or was asked too often. */
export async function converse<Answer>({ context, follow, requestIn }: Dialogue<Answer>): Promise<Answer> {
  let answer = await follow(context);
  for (let round = 0; round < roundsMax; round += 1) {
    const request = requestIn(answer);
    if (request === undefined) break;
    const end = await askClient(context, request);
    const failed = 'failure' in end ? { answer, failure: end.failure } : undefined;
    answer = await follow(withResponses(context, end, request.requestState), failed);
  }
  return answer;
}
