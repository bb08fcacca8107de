/** Translates agents and chains of n8n into `sample` steps. */
import { childOf } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import { UnmappedError } from '../expression/syntax.ts';
import type { StepDraft } from '../importing.ts';
import { dig, listOf, mapOf, textOf, wordOf } from '../json.ts';
import { type ReadOutput, outputOfStep } from './n8nValues.ts';
import { type NodeContext, type Translate, value } from './nodeDraft.ts';
import type { N8nNode } from './readN8n.ts';

/** Translates a node that asks a model. */
export const sample: Translate = (node, context) => {
  const { parameters, name, helpers, pointer } = node;
  const { importing, nodes } = context;
  const text =
    parameters['text'] ??
    parameters['prompt'] ??
    mapOf(listOf(dig(parameters, 'messages', 'values'))[0])['content'] ??
    '={{ $json.chatInput }}';
  const system = dig(parameters, 'options', 'systemMessage');
  const tools = helpers.filter(({ as }) => as === 'ai_tool').map((one) => one.name);
  if (tools.length > 0) {
    importing.note('differs', {
      pointer,
      message: `The model of "${name}" may call ${tools.slice(0, 3).join(', ')}. The model of a \`sample\` step calls no tools.`,
      hint: 'make the calls steps of their own, before the sample or after it',
    });
  }
  const others = helpers.filter(({ as }) => !translated.has(as)).map((one) => one.name);
  if (others.length > 0) {
    const message = `The model of "${name}" has ${others.slice(0, 3).join(', ')}. A \`sample\` step has neither memory nor documents.`;
    const hint = 'append what the model has to know';
    importing.note('differs', { pointer, message, hint });
  }
  if (listOf(dig(parameters, 'messages', 'values')).length > 1) {
    const message = `"${name}" has several messages. Only the first is imported.`;
    importing.note('left-out', { pointer: childOf(childOf(pointer, 'parameters'), 'messages'), at: 'key', message });
  }
  const model = helpers.find(({ as }) => as === 'ai_languageModel')?.name;
  const { parameters: settings = {} } = nodes.get(model ?? '') ?? {};
  const wanted = textOf(dig(settings, 'model', 'value')) ?? textOf(settings['model']);
  const step: StepDraft = {
    sample: {
      ...(system === undefined ? {} : { systemPrompt: value(node, context, system, 'options', 'systemMessage') }),
      append: value(node, context, typeof text === 'string' && text !== '' ? text : '={{ $json }}', 'text'),
      ...(wanted === undefined || wanted.startsWith('=') ? {} : { modelPreferences: { hints: [{ name: wanted }] } }),
    },
  };
  const id = context.takeId(name);
  const schema = answerSchema(node, context);
  if (schema !== undefined) (step['sample'] as Record<string, Json>)['output'] = schema;
  const output = outputOfStep(id);
  // Agents answer `output`, chains `text`, models `message.content`.
  const read: ReadOutput = ([first, ...rest], isOptional) => {
    if (schema !== undefined)
      return output(first === 'output' || first === undefined ? rest : [first, ...rest], isOptional);
    const isText = first === undefined || /^(?:output|text|content|message|response)$/.test(String(first));
    if (isText && rest.every((one) => one === 'content')) return output([], isOptional);
    throw new UnmappedError(`the sample "${name}" answers with a text`);
  };
  return { step: { id, ...step }, read };
};

const translated = new Set(['ai_languageModel', 'ai_outputParser', 'ai_tool']);

/** The schema of a structured answer, from an example or a schema. */
function answerSchema({ helpers, kind, parameters }: N8nNode, { nodes }: NodeContext): JsonObject | undefined {
  if (kind === 'informationExtractor') {
    const rows = listOf(dig(parameters, 'attributes', 'attributes')).flatMap((one): [string, Json][] => {
      const { name, type, description } = mapOf(one);
      const told = textOf(description);
      const schema = {
        type: type === 'number' || type === 'boolean' ? type : 'string',
        ...(told === undefined ? {} : { description: told }),
      };
      return textOf(name) === undefined ? [] : [[wordOf(name), schema]];
    });
    if (rows.length > 0) return Object.fromEntries(rows);
  }
  const parser = helpers.find(({ as }) => as === 'ai_outputParser')?.name;
  const { parameters: settings = {} } = nodes.get(parser ?? '') ?? {};
  const schema = mapOf(readJson(settings['inputSchema'] ?? settings['jsonSchema']));
  if (typeof schema['type'] === 'string') return schema;
  const example = readJson(settings['jsonSchemaExample']);
  return example === undefined || Array.isArray(example) || Object.keys(mapOf(example)).length === 0
    ? undefined
    : (shapeOf(example)['properties'] as JsonObject);
}

function readJson(text: Json | undefined): Json | undefined {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as Json) : text;
  } catch {
    return undefined;
  }
}

function shapeOf(example: Json): JsonObject {
  if (Array.isArray(example))
    return { type: 'array', ...(example[0] === undefined ? {} : { items: shapeOf(example[0] as Json) }) };
  if (example === null) return {};
  if (typeof example !== 'object') return { type: typeof example };
  const entries = Object.entries(mapOf(example)).map(([key, one]): [string, Json] => [key, shapeOf(one)]);
  return { type: 'object', properties: Object.fromEntries(entries) };
}
