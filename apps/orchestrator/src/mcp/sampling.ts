/** Converts a sample into a request to the caller's model, and the model's reply into the answer of the step. */
import { type RunAppender, appendOutside } from '@baton/control';
import { type EventOf, type Failure, type Usage, isTokenCount, planFor, replay, resolve, stepAt } from '@baton/engine';
import { parseJsonText, validator } from '@baton/expressions';
import { type Json, type JsonObject, type JsonSchema, cleanText, defined, isObject } from '@baton/primitives';
import { type Plans, BlobCache, BlobOffloader } from '@baton/runner';
import type { Store } from '@baton/store';
import { type CreateMessageRequestParams, isSpecType } from '@modelcontextprotocol/server';

import { type AskedSample, isSampleAwaited } from './pendingSamples.ts';

export interface SamplingOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
}

type SampleAnswer = Pick<EventOf<'sample.answered'>, 'value' | 'failure' | 'usage'>;

/** The failure for a client without sampling. */
export const callerAbsent: SampleAnswer = {
  failure: {
    code: 'caller-absent',
    message: 'The calling MCP client does not offer its model (the capability `sampling`).',
  },
};

/** The failure for a client that failed at sampling. `why`: what it reported. */
export const clientFailed = (why: string): SampleAnswer => ({
  failure: { code: 'model-failed', message: `The calling MCP client failed to ask its model: ${why}` },
});

/** Further messages: the model's answer, and what is wrong with it. */
export type SampleCorrection = readonly JsonObject[];

/** Fails the sample, because the client cannot be asked. Rejects with `UnavailableError`. */
export async function samplingRequest(
  options: SamplingOptions,
  asked: AskedSample,
  correction: SampleCorrection,
): Promise<{ readonly params: CreateMessageRequestParams } | { readonly failure: Failure }> {
  const { request } = asked;
  const text = 'blob' in request ? await options.store.blobs.get(request.blob.sha256) : undefined;
  const given = (text === undefined ? resolve(request, () => null) : JSON.parse(text)) as JsonObject;
  const schema = await outputOf(options, asked);
  // `includeContext` is the client's own decision.
  const { includeContext: _, ...fields } = given;
  const messages = [...messagesOf(given['messages']), ...correction];
  const params = { ...fields, messages, ...typedSystemPrompt(given['systemPrompt'], schema) };
  if (isSpecType.CreateMessageRequestParams(params)) return { params };
  return { failure: { code: 'invalid-arguments', message: 'The request is not a valid sampling request.' } };
}

/**
 * Accepts an answer of a client. The first answer counts. If it does not fit and the model may try again, it returns
 * what to tell the model. Rejects with `UnavailableError`.
 */
export async function takeAnswer(
  options: SamplingOptions,
  asked: AskedSample,
  { result, by, mayTryAgain }: { readonly result: unknown; readonly by: string; readonly mayTryAgain: boolean },
): Promise<SampleCorrection | undefined> {
  const { correction, ...answered } = await judgeReply(options, asked, result);
  if (mayTryAgain && correction !== undefined) return correction;
  await answerSample(options, asked, answered, by);
  return undefined;
}

/** The first answer counts. Rejects with `UnavailableError`. */
export async function answerSample(
  options: SamplingOptions,
  asked: AskedSample,
  answered: SampleAnswer,
  by: string,
): Promise<void> {
  const { runId, path } = asked;
  const keeper = new BlobOffloader(new BlobCache(0));
  const follow: Parameters<typeof appendOutside>[2] = (run, at) =>
    isSampleAwaited(run, asked) ? [{ type: 'sample.answered', at, path, by, ...answered }] : [];
  await appendOutside(options, runId, follow, keeper);
}

/** Untrusted, because a client sent it. */
async function judgeReply(
  options: SamplingOptions,
  asked: AskedSample,
  result: unknown,
): Promise<SampleAnswer & { readonly correction?: SampleCorrection }> {
  if (!isSpecType.CreateMessageResult(result)) {
    return {
      failure: { code: 'model-failed', message: 'The calling MCP client did not answer with a CreateMessageResult.' },
    };
  }
  const { role, content, model, stopReason } = result;
  const value = { role, content, model, ...defined({ stopReason }) } as unknown as JsonObject;
  const usage = usageOf(result, model);
  const schema = await outputOf(options, asked);
  if (schema === undefined) return { value: { json: value }, usage };
  const text = content.type === 'text' ? content.text : '';
  const output = readJson(text);
  const errors = output === undefined ? ['It is not JSON.'] : errorsOf(schema, output);
  if (output !== undefined && errors.length === 0) return { value: { json: { ...value, output } }, usage };
  const wrong = errors.slice(0, errorsShown).join(' ');
  const message = `The answer of the caller’s model does not fit the declared output: ${wrong}`;
  const details = { errors: errors.slice(0, errorsShown), answer: text.slice(0, answerCharacters) };
  return { failure: { code: 'output-invalid', message, details }, usage, correction: correctionOf(text, wrong) };
}

/** MCP has no field for tokens: some clients say them, of others they stay unknown. */
function usageOf(result: object, model: string): Usage {
  const said: unknown = 'usage' in result ? result.usage : undefined;
  const { inputTokens, outputTokens } = isObject(said) ? said : {};
  return {
    model: cleanText(model, modelCharacters),
    ...(isTokenCount(inputTokens) ? { inputTokens } : {}),
    ...(isTokenCount(outputTokens) ? { outputTokens } : {}),
  };
}

const modelCharacters = 100;

const errorsShown = 5;
/** As much of an answer as a worker keeps of one that does not fit. */
const answerCharacters = 1_000;

const correctionOf = (text: string, wrong: string): SampleCorrection => [
  // Models refuse an empty text.
  { role: 'assistant', content: { type: 'text', text: text.trim() === '' ? '(nothing)' : text } },
  {
    role: 'user',
    content: { type: 'text', text: `That does not fit the JSON Schema: ${wrong} Answer again, with the whole value.` },
  },
];

const errorsOf = (schema: JsonSchema, output: Json): readonly string[] =>
  (validator(schema).validate?.(output) ?? []).map(({ message }) => message);

/** The declared type of the answer. */
async function outputOf(
  { journal, plans }: SamplingOptions,
  { runId, path }: AskedSample,
): Promise<JsonSchema | undefined> {
  const opened = await journal.open(runId);
  if (opened === undefined) return undefined;
  const run = replay(runId, opened.events);
  const step = stepAt(planFor(await plans(run.definition), run), run, path);
  return step.verb === 'sample' ? step.output : undefined;
}

/** Describes the type to the model in words, since MCP has no field for it. */
function typedSystemPrompt(systemPrompt: Json | undefined, schema: JsonSchema | undefined): { systemPrompt?: string } {
  const given = typeof systemPrompt === 'string' ? [systemPrompt] : [];
  if (schema === undefined) return given[0] === undefined ? {} : { systemPrompt: given[0] };
  const type = `Answer with one JSON value and nothing else: no prose, no code fence. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
  return { systemPrompt: [...given, type].join('\n\n') };
}

/** Prompt messages may contain resources, which sampling does not support: their text is used. */
function messagesOf(messages: Json | undefined): Json[] {
  if (!Array.isArray(messages)) return [];
  return (messages as readonly Json[]).map((message) => {
    if (!isObject(message)) return message;
    const { content = null } = message;
    const blocks = Array.isArray(content) ? (content as readonly Json[]).map(blockOf) : blockOf(content);
    return { ...message, content: blocks };
  });
}

function blockOf(block: Json): Json {
  if (typeof block === 'string') return { type: 'text', text: block };
  if (!isObject(block)) return block;
  const { type, uri = null, resource = null } = block;
  if (type === 'resource_link') return { type: 'text', text: textOf(uri) };
  if (type !== 'resource' || !isObject(resource)) return block;
  return { type: 'text', text: textOf(resource['text'] ?? resource['uri'] ?? null) };
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Models put JSON into a code fence even when told not to. */
function readJson(text: string): Json | undefined {
  const inFence = /^\s*```\w*\n([\s\S]*?)```\s*$/.exec(text)?.[1];
  return parseJsonText(inFence ?? text);
}
