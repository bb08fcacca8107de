/** Sends one request to one model, and streams its answer. */
import { type Usage, FailureError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { defined } from '@baton/primitives';
import {
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  simulateStreamingMiddleware,
  streamText,
  type TextStreamPart,
  type ToolSet,
  wrapLanguageModel,
} from 'ai';

import type { Deadline } from './deadline.ts';
import { InterruptedError } from './failureOf.ts';
import { NotStreamedError } from './notStreamed.ts';
import type { ProviderOptions } from './remoteModel.ts';
import { countedUsage } from './usage.ts';

export interface ModelQuestion {
  readonly model: LanguageModel;
  readonly instructions: string | undefined;
  readonly messages: ModelMessage[];
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly stopSequences: readonly string[];
  /** The answer's type, where the provider accepts one. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  readonly providerOptions: ProviderOptions;
}

export interface ModelAnswer {
  readonly text: string;
  /** A stop reason of MCP. */
  readonly stopReason: string;
  /** The provider's own name of the model. */
  readonly model: string;
  readonly usage: Usage;
}

type StreamPart = TextStreamPart<ToolSet>;
type ModelEnd = Extract<StreamPart, { type: 'finish-step' }>;

/** Asks a provider that does not stream again for the whole answer. Rejects with the errors of `askOnce`. */
export async function ask(
  question: ModelQuestion,
  deadline: Deadline,
  onText: (characters: number) => void,
): Promise<ModelAnswer> {
  try {
    return await askOnce(question, deadline, onText);
  } catch (error) {
    const { model } = question;
    if (!(error instanceof NotStreamedError) || typeof model === 'string') throw error;
    const whole = wrapLanguageModel({ model, middleware: simulateStreamingMiddleware() });
    return askOnce({ ...question, model: whole }, deadline, onText);
  }
}

/** Rejects with the errors of the SDK or the provider, and with `FailureError` where the answer is too large. */
async function askOnce(
  question: ModelQuestion,
  deadline: Deadline,
  onText: (characters: number) => void,
): Promise<ModelAnswer> {
  let text = '';
  let characters = 0;
  let end: ModelEnd | undefined;
  for await (const part of partsOf(question, deadline)) {
    deadline.touch();
    if (part.type === 'error') throw part.error;
    if (part.type === 'finish-step') end = part;
    if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') continue;
    characters += part.text.length;
    if (characters > limits.value.resultBytes) throw tooLarge();
    onText(part.text.length);
    if (part.type === 'text-delta') text += part.text;
  }
  if (end === undefined || end.finishReason === 'interrupted' || end.finishReason === 'error') {
    throw new InterruptedError();
  }
  const cut = cutAtStop(text, question.stopSequences);
  return {
    text: cut ?? text,
    stopReason: cut === undefined ? stopReasonOf(end) : 'stopSequence',
    model: end.response.modelId,
    usage: countedUsage(end.usage, { asked: charactersOf(question), answered: characters }),
  };
}

function partsOf(question: ModelQuestion, deadline: Deadline): AsyncIterable<StreamPart> {
  const { model, instructions, messages, maxTokens, temperature, stopSequences, schema, providerOptions } = question;
  return streamText({
    model,
    messages,
    providerOptions,
    stopSequences: [...stopSequences],
    ...defined({ instructions, maxOutputTokens: maxTokens, temperature }),
    // Only a hint to the provider: the answer is parsed and checked here.
    ...(schema === undefined ? {} : { output: Output.object({ schema: jsonSchema(schema), name: 'answer' }) }),
    // The engine retries.
    maxRetries: 0,
    abortSignal: deadline.signal,
    // Errors come as parts of the stream; by default the SDK would also print them.
    onError: () => undefined,
  }).stream;
}

/** Cuts the answer at a stop sequence, for providers that do not support them. */
function cutAtStop(text: string, stopSequences: readonly string[]): string | undefined {
  const found = stopSequences.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return found.length === 0 ? undefined : text.slice(0, Math.min(...found));
}

function stopReasonOf({ finishReason, rawFinishReason }: ModelEnd): string {
  switch (finishReason) {
    case 'length':
      return 'maxTokens';
    case 'content-filter':
      return 'contentFilter';
    case 'stop':
      return rawFinishReason === 'stop_sequence' ? 'stopSequence' : 'endTurn';
    default:
      return finishReason;
  }
}

/** Characters of the request, without pictures and sounds: providers count those in their own ways. */
const charactersOf = ({ instructions = '', messages }: ModelQuestion): number =>
  instructions.length + messages.map(textOf).join('').length;

const textOf = ({ content }: ModelMessage): string =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');

function tooLarge(): FailureError {
  const megabytes = limits.value.resultBytes / 1024 / 1024;
  return new FailureError('result-too-large', `The model’s answer is larger than ${megabytes} MiB, the maximum.`, {
    delivery: 'answered',
  });
}
