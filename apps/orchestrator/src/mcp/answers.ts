/** The answer of a run to its MCP caller: a result of `tools/call`, or a question to answer first. */
import { type Run, instant } from '@baton/api';
import type { Principal, AskedQuestion, RunView } from '@baton/control';
import type { RunEvent, RunStatus } from '@baton/engine';
import type { Json, JsonObject } from '@baton/primitives';
import {
  type CallToolResult,
  type InputRequiredResult,
  type InputRequest,
  inputRequired,
  isCallToolResult,
} from '@modelcontextprotocol/server';

import { endOfRunCall, getRunCall, nextForRun, shownQuestion } from './nextForRun.ts';
import { uriOf } from './runUris.ts';
import { contentOutput } from './workflowTools.ts';

/** Who called, and how. */
export interface Caller {
  readonly principal: Principal;
  /** The tool's name: `run_workflow`, or that of a workflow, whose outputs are then the answer. */
  readonly tool: string;
}

/** `events`: the whole journal of an ended run. Rejects with `UnavailableError`. */
export async function finishedAnswer(
  view: RunView,
  runId: string,
  events: readonly RunEvent[],
  caller: Caller,
): Promise<CallToolResult> {
  const { status, outputs, error, ensured } = await view.shown(runId, events);
  const run = { id: runId, status };
  if (status === 'succeeded') return withEnsured(succeeded(runId, (outputs ?? {}) as JsonObject, caller), ensured);
  const message = error === undefined ? `The run was ${status}.` : `${error.code}: ${error.message}`;
  const where = `What its steps did: ${getRunCall(runId)}.`;
  const next = status === 'failed' ? `${nextForRun(run, caller.principal)} ${where}` : where;
  return {
    content: [{ type: 'text', text: message }, linkTo(runId), { type: 'text', text: next }],
    ...(isWhole(caller) && { structuredContent: { run, ...(error && { error }), next } }),
    isError: true,
  };
}

/** A caller that reads "succeeded" also reads what was looked at, and found true. */
function withEnsured(answer: CallToolResult, ensured: Run['ensured'] = []): CallToolResult {
  const found = ensured.filter(({ status }) => status === 'succeeded');
  if (found.length === 0) return answer;
  const conditions = found.map(({ that, read }) => `${that} (read with ${read})`);
  const text = `Ensured: ${conditions.join('; ')}.`;
  return { ...withText(answer, text), _meta: { ...answer._meta, [ensuredKey]: found } };
}

const ensuredKey = 'baton/ensured';

/** Whether the caller named the workflow, and gets the run with the outputs in it. */
const isWhole = ({ tool }: Caller): boolean => tool === 'run_workflow';

/** Without outputs there is nothing to read: says so, and where the steps are. */
function succeeded(runId: string, outputs: JsonObject, caller: Caller): CallToolResult {
  const run = { id: runId, status: 'succeeded' };
  if (Object.keys(outputs).length === 0) {
    const next = `The run succeeded, without outputs. What its steps did: ${getRunCall(runId)}.`;
    return withText(structured(runId, { run, ...(isWhole(caller) && { outputs }), next }), next);
  }
  if (!isWhole(caller)) return answerWith(runId, outputs);
  const next = `The run succeeded. What its steps did: ${getRunCall(runId)}.`;
  const answer = structured(runId, { run, outputs, next });
  const blocks = contentBlocks(outputs[contentOutput]);
  return blocks === undefined ? answer : { ...answer, content: [...blocks, ...answer.content] };
}

/** For a run that goes on after its call. */
export function lateAnswer({ id, status, wakeAt }: RunNow, { principal }: Caller): CallToolResult {
  const run = { id, status, ...(wakeAt === undefined ? {} : { wakeAt: instant(wakeAt) }) };
  const next = `The run goes on and is ${status} now. ${nextForRun(run, principal)}`;
  return withText(structured(id, { run, next }), next);
}

interface RunNow {
  readonly id: string;
  readonly status: RunStatus;
  /** Epoch milliseconds; undefined if the run does not wait for time. */
  readonly wakeAt?: number | undefined;
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
  question: AskedQuestion,
  why = 'this client cannot put questions to its user',
): CallToolResult {
  const next =
    `The run waits for an answer: ${why.replace(/\.$/, '')}. Ask the user yourself, then call ` +
    `answer_question with { "id": "${question.id}", "answer": … } in the form given, and ${endOfRunCall(runId)}.`;
  const run = { id: runId, status: 'waiting' };
  const { content, ...rest } = structured(runId, { run, questions: [shownQuestion(question)], next });
  return { ...rest, content: [{ type: 'text', text: next }, ...content] };
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

const withText = (answer: CallToolResult, text: string): CallToolResult => ({
  ...answer,
  content: [...answer.content, { type: 'text', text }],
});

/** Undefined if the value is no content block. */
function contentBlocks(value: Json | undefined): CallToolResult['content'] | undefined {
  const result = { content: value };
  return Array.isArray(value) && value.length > 0 && isCallToolResult(result) ? result.content : undefined;
}
