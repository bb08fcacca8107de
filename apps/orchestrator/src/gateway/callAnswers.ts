/** The answer to a gateway client: what is the server's own of its result, or a sentence that says why there is none. */
import { type Failure, checkProgress } from '@baton/engine';
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import { type CallToolResult, type ContentBlock, isCallToolResult } from '@modelcontextprotocol/server';

import type { CallOutcome, PlacedCall } from './gatewayCalls.ts';
import { readableBlock, readableResult } from './hiddenBytes.ts';
import { passedOn } from './passedOn.ts';

type EndedOutcome = Exclude<CallOutcome, { kind: 'asked' }>;

/** The `_meta` of each result: the session's run, and the step of the call. */
const metaOf = ({ runId, path, isRepeated }: PlacedCall) => ({
  'baton/run': runId,
  'baton/step': path,
  ...(isRepeated ? { 'baton/repeated': true } : {}),
});

export function toolAnswer(outcome: EndedOutcome, placed: PlacedCall): CallToolResult {
  const _meta = metaOf(placed);
  if (outcome.kind === 'ended' && outcome.state.status === 'succeeded') {
    const result = passedOn(asObject(outcome.value));
    if (checkProgress(outcome.state) === 'over') return foundAnswer(result, _meta);
    return {
      ...result,
      content: blocksIn(result),
      _meta: { ...asObject(result['_meta']), ..._meta },
    };
  }
  const failure = failureOf(outcome);
  const said = contentOf(failure);
  return { content: said ?? [{ type: 'text', text: failure.message }], isError: true, _meta };
}

/**
 * The answer itself is lost, and a declared check found that the call happened. `isError` where the check did not find
 * its output: a client would refuse a result without the data that the tool promises.
 */
function foundAnswer({ structuredContent = {} }: JsonObject, _meta: JsonObject): CallToolResult {
  const isKnown = !isObject(structuredContent) || Object.keys(structuredContent).length > 0;
  const said = isKnown ? ` Its output: ${JSON.stringify(structuredContent)}` : ' Its output is not known.';
  const text = `The answer was lost on the way. Baton asked the server, and the call happened: do not make it again.${said}`;
  const output = isKnown ? { structuredContent } : { isError: true };
  return { content: [{ type: 'text', text }], ...output, _meta };
}

/** The result of a prompt or a resource; throws for a failure. */
export function valueAnswer(
  outcome: EndedOutcome,
  placed: PlacedCall,
): { readonly result: JsonObject } | { readonly failure: Failure } {
  if (outcome.kind !== 'ended' || outcome.state.status !== 'succeeded') return { failure: failureOf(outcome) };
  const result = passedOn(asObject(outcome.value));
  return { result: { ...readableResult(result), _meta: { ...asObject(result['_meta']), ...metaOf(placed) } } };
}

function failureOf(outcome: EndedOutcome): Failure {
  switch (outcome.kind) {
    case 'unanswered':
      return failed(unanswered(outcome));
    case 'sessionOver':
      return failed('The session ended before this was called. Nothing was done; call it again.');
    case 'left':
      return failed('The client stopped waiting. The call continues; make the same call again to get its answer.');
    case 'ended':
      return ofState(outcome.state);
  }
}

/** `seq`: present if the server asked during the call. */
function unanswered({ question: { seq }, why }: Extract<EndedOutcome, { kind: 'unanswered' }>): string {
  const refused =
    why === undefined
      ? ''
      : `This client was asked, and none of its answers fits the form: ${why} The question stays open. `;
  return seq === undefined
    ? `${refused}A person was asked whether this may be called, and has not answered yet. Nothing was done. Go on with ` +
        'other work; the same call with the same arguments, made later, finds the answer.'
    : `${refused}The server asked a question during this call, and no person has answered yet. The call goes on at the ` +
        'server, and may have done something. A person can answer the question in Baton; the run shows how it ends.';
}

const failed = (message: string): Failure => ({ code: 'cancelled', message });

function ofState(state: Extract<EndedOutcome, { kind: 'ended' }>['state']): Failure {
  switch (state.status) {
    case 'skipped':
      return failed('A person was asked whether this may be called, and said no. Nothing was done.');
    case 'succeeded':
    case 'cancelled':
      return failed('The call was cancelled. If it had been sent before, it may or may not have happened.');
    case 'unknown':
    case 'failed':
      return { ...state.failure, message: failureText(state.failure) };
  }
}

/** With advice that a model can follow. */
function failureText({ code, message, details }: Failure): string {
  if (code === 'server-overloaded') {
    const waitMs = asObject(details)['retryAfterMs'];
    const wait = typeof waitMs === 'number' ? secondsText(Math.max(1, Math.ceil(waitMs / 1_000))) : 'a minute';
    return `Too many calls were made to this server: it did nothing. Wait ${wait}, then make the same call again. (${message})`;
  }
  if (code === 'server-unreachable' || code === 'session-lost') {
    return `${message} Nothing was done; the same call may be made again later.`;
  }
  if (code === 'outcome-unknown') return `${code}: ${message} The same call, made again, asks a person first.`;
  return code === 'tool-failed' ? message : `${code}: ${message}`;
}

const secondsText = (count: number): string => `${count} ${count === 1 ? 'second' : 'seconds'}`;

/** The tool's own text about its failure. */
function contentOf({ code, details }: Failure): ContentBlock[] | undefined {
  if (code !== 'tool-failed') return undefined;
  const result = { content: blocksIn(passedOn(asObject(details))) };
  if (!isCallToolResult(result) || result.content.length === 0) return undefined;
  const { content }: CallToolResult = result;
  return content;
}

/** The blocks were a tool's answer, which a session checked when it came. */
const blocksIn = ({ content }: JsonObject): ContentBlock[] =>
  Array.isArray(content) ? ((content as readonly Json[]).map(readableBlock) as unknown as ContentBlock[]) : [];

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
