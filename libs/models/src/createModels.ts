import { FailureError, type Usage } from '@baton/engine';
import type { JsonObject, JsonSchema } from '@baton/primitives';
import type { Lookups, ModelsConfig, ProviderConfig } from '@baton/protocol';
import type { CallContext, Models } from '@baton/runner';
import type { LanguageModel } from 'ai';

import { type ModelAnswer, ask, type ModelQuestion } from './ask.ts';
import { type Catalog, type CatalogEntry, catalogOf, fullName } from './catalog.ts';
import { choose } from './choose.ts';
import { resolveProvider } from './credentials.ts';
import { Deadline } from './deadline.ts';
import { failureOf } from './failureOf.ts';
import { promptOf } from './prompt.ts';
import { optionsFor, type ProviderOptions, remoteModel } from './remoteModel.ts';
import { parseRequest, type SamplingRequest } from './request.ts';
import { ScriptedModel } from './scripted/scriptedModel.ts';
import { askTyped, schemaInstruction, isObjectSchema, type TypedAnswer } from './typed.ts';
import { priced, tokensIn } from './usage.ts';

/** Used if neither the request nor the configuration sets a limit. */
const maxTokensByDefault = 4_096;

/**
 * Answers `sample` steps through the configured providers. Contacts a provider only for a request. `noteUsage`: called with
 * what each answer cost, also of one that does not fit.
 */
export function createModels(
  config: ModelsConfig,
  lookups: Lookups,
  noteUsage: (usage: Usage) => void = () => {},
): Models {
  // The SDK would print warnings to stdout, which carries MCP messages where Baton serves stdio.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const catalog = catalogOf(config);
  return { sample: (request, options) => sample({ catalog, lookups, noteUsage }, request, options) };
}

interface ModelParts {
  readonly catalog: Catalog;
  readonly lookups: Lookups;
  readonly noteUsage: (usage: Usage) => void;
}

async function sample(
  { catalog, lookups, noteUsage }: ModelParts,
  json: JsonObject,
  { output, context }: { readonly output?: JsonSchema; readonly context: CallContext },
): Promise<{ result: JsonObject; usage: Usage }> {
  const request = parseRequest(json);
  const entry = choose(catalog, request.modelPreferences);
  if (entry === undefined) {
    throw new FailureError('model-failed', 'No model can be asked: mcp.json names no provider under models.providers.');
  }
  const opened = await openModel(entry, lookups, request);
  const deadline = new Deadline(context);
  const asked = { target: fullName(entry), secrets: opened.secrets, now: Date.now };
  const onText = progressMeter(context.onProgress);
  const answer = async (question: ModelQuestion): Promise<ModelAnswer> => {
    const answered = await ask(question, deadline, onText);
    const usage = { ...priced(answered.usage, entry.model), model: fullName(entry) };
    noteUsage(usage);
    return { ...answered, usage };
  };
  try {
    const question = questionOf(entry, opened, request, output);
    const answered = output === undefined ? await answer(question) : await askTyped(question, output, answer);
    const { model: _, ...counted } = answered.usage;
    return { result: resultOf(answered, counted), usage: answered.usage };
  } catch (error) {
    throw failureOf(error, deadline, asked);
  } finally {
    deadline.close();
  }
}

/** Reports how much has arrived, of a first answer and its correction together, so progress only grows. */
function progressMeter(onProgress: CallContext['onProgress']): (characters: number) => void {
  let all = 0;
  return (characters) => {
    all += characters;
    const tokens = tokensIn(all);
    onProgress({ progress: tokens, message: `about ${tokens} ${tokens === 1 ? 'token' : 'tokens'} so far` });
  };
}

interface OpenedModel {
  readonly model: LanguageModel;
  readonly providerOptions: ProviderOptions;
  readonly secrets: readonly string[];
}

async function openModel(
  { provider, id, config }: CatalogEntry,
  lookups: Lookups,
  request: SamplingRequest,
): Promise<OpenedModel> {
  if (config.kind === 'scripted') return { model: new ScriptedModel(config.rules), providerOptions: {}, secrets: [] };
  const resolved = await resolveProvider(provider, config, lookups);
  return {
    model: remoteModel(config, id, resolved),
    providerOptions: optionsFor(config, request.metadata?.userId),
    secrets: resolved.secrets,
  };
}

function questionOf(
  { config, model }: CatalogEntry,
  opened: OpenedModel,
  request: SamplingRequest,
  output: JsonSchema | undefined,
): ModelQuestion {
  const schema = output !== undefined && takesSchema(config, output) ? output : undefined;
  const instructions = [
    request.systemPrompt,
    output === undefined || schema !== undefined ? undefined : schemaInstruction(output),
  ];
  return {
    model: opened.model,
    providerOptions: opened.providerOptions,
    instructions: instructions.filter((one) => one !== undefined && one !== '').join('\n\n') || undefined,
    messages: promptOf(request.messages),
    maxTokens: request.maxTokens ?? model.maxTokens ?? maxTokensByDefault,
    temperature: request.temperature,
    stopSequences: request.stopSequences ?? [],
    schema,
  };
}

function takesSchema(config: ProviderConfig, output: JsonSchema): output is JsonObject {
  if (config.kind === 'scripted') return typeof output === 'object';
  return isObjectSchema(output) && (config.kind !== 'openai-compatible' || config.structuredOutputs);
}

/** The answer as MCP's CreateMessageResult. */
function resultOf(answer: ModelAnswer | TypedAnswer, usage: Usage): JsonObject {
  return {
    role: 'assistant',
    content: { type: 'text', text: answer.text },
    model: answer.model,
    stopReason: answer.stopReason,
    usage: { ...usage },
    ...('output' in answer ? { output: answer.output } : {}),
  };
}
