/** The answer of a run to its MCP caller: a result of `tools/call`, or a question to answer first. */
import type { RunEvent } from '@baton/engine';
import type { Json, JsonObject } from '@baton/language';
import type { CallToolResult, InputRequiredResult, InputRequest } from '@modelcontextprotocol/server';
import { inputRequired, isCallToolResult } from '@modelcontextprotocol/server';

import type { AskedQuestion } from '../questions/openQuestions.ts';
import type { RunView } from '../shapes/runView.ts';
import { uriOf } from './runUris.ts';
import { contentOutput } from './workflowTools.ts';

/** `events`: the whole journal of an ended run. Rejects with `UnavailableError`. */
export async function finishedAnswer(
  view: RunView,
  runId: string,
  events: readonly RunEvent[],
): Promise<CallToolResult> {
  const { status, outputs, error } = await view.shown(runId, events);
  if (status === 'succeeded') return withNext(runId, answerWith(runId, (outputs ?? {}) as JsonObject));
  const message = error === undefined ? `The run was ${status}.` : `${error.code}: ${error.message}`;
  const where = `What its steps did: get_run with { "id": "${runId}" }.`;
  return { content: [{ type: 'text', text: message }, linkTo(runId), { type: 'text', text: where }], isError: true };
}

/** Without outputs there is nothing to read: says so, and where the steps are. */
function withNext(runId: string, answer: CallToolResult): CallToolResult {
  if (Object.keys(answer.structuredContent ?? { content: answer.content }).length > 0) return answer;
  const text = `The run succeeded, without outputs. What its steps did: get_run with { "id": "${runId}" }.`;
  return { ...answer, content: [...answer.content, { type: 'text', text }] };
}

/** For a run that goes on after its call. */
export function lateAnswer(runId: string, status: string): CallToolResult {
  const answer = structured(runId, { run: { id: runId, status } });
  const text = `The run goes on and is ${status} now. Its outcome: get_run with { "id": "${runId}" }.`;
  return { ...answer, content: [...answer.content, { type: 'text', text }] };
}

/** Identifies the answers of the client: the step that asks. */
export const keyOf = ({ path }: Pick<AskedQuestion, 'path'>): string => path.slice(path.lastIndexOf('/') + 1);

export const askFor = (question: AskedQuestion): InputRequiredResult =>
  inputRequired({ inputRequests: { [keyOf(question)]: elicitation(question) }, requestState: question.id });

export function elicitation({ question: { message, form, url } }: AskedQuestion): InputRequest {
  if (url !== undefined) return inputRequired.elicitUrl({ message, url });
  const requestedSchema = form as Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];
  return inputRequired.elicit({ message, requestedSchema });
}

/**
 * For a client that cannot ask its user, or whose answer was refused: the handle, the question, and what to do. `why`:
 * what was wrong with the answer.
 */
export function questionAsText(
  runId: string,
  { id, question: { message, form, url } }: AskedQuestion,
  why = 'this client cannot put questions to its user',
): CallToolResult {
  const question = { id, message, form, ...(url === undefined ? {} : { url }) };
  const { content, ...rest } = structured(runId, { run: { id: runId, status: 'waiting' }, questions: [question] });
  const text =
    `The run waits for an answer: ${why.replace(/\.$/, '')}. Ask the user yourself, then call ` +
    `answer_question with { "id": "${id}", "answer": … } in the form given, and get_run with { "id": "${runId}" }.`;
  return { ...rest, content: [{ type: 'text', text }, ...content] };
}

/** The meaning of the client's consent: the answer to an address has no content. */
export const consent = ({ question: { url } }: AskedQuestion, content: unknown): Json =>
  url === undefined ? ((content ?? {}) as Json) : { accept: true };

const linkTo = (runId: string) =>
  ({ type: 'resource_link', uri: uriOf(runId), name: `run ${runId}`, mimeType: 'application/json' }) as const;

function answerWith(runId: string, { [contentOutput]: content, ...value }: JsonObject): CallToolResult {
  const blocks = contentBlocks(content);
  if (blocks === undefined)
    return structured(runId, content === undefined ? value : { ...value, [contentOutput]: content });
  return { content: blocks, ...(Object.keys(value).length === 0 ? {} : { structuredContent: value }) };
}

const structured = (runId: string, value: JsonObject): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }, linkTo(runId)],
  structuredContent: value,
});

/** Undefined if the value is no content block. */
function contentBlocks(value: Json | undefined): CallToolResult['content'] | undefined {
  const result = { content: value };
  return Array.isArray(value) && value.length > 0 && isCallToolResult(result) ? result.content : undefined;
}
