/** Nodes of n8n that do something, each as a step. What has no counterpart becomes a tool to be found or written. */
import type { Json, JsonObject } from '@baton/language';
import { childOf } from '@baton/language';
import { isObject } from '@baton/primitives';

import { UnmappedError } from '../expression/syntax.ts';
import type { Import, StepDraft } from '../importing.ts';
import { dig, listOf, mapOf, textOf, wordOf } from '../json.ts';
import { slugOf } from '../names.ts';
import type { N8nSight, ReadOutput } from './n8nValues.ts';
import { outputOfStep, valueOf } from './n8nValues.ts';
import type { N8nNode } from './readN8n.ts';

export interface NodeContext {
  readonly importing: Import;
  readonly sight: N8nSight;
  readonly nodes: ReadonlyMap<string, N8nNode>;
  readonly takeId: (name: string) => string;
}

export interface NodeDraft {
  /** Without its `id`, where nothing is read of it. */
  readonly step: StepDraft;
  readonly read: ReadOutput | undefined;
}

type Translate = (node: N8nNode, context: NodeContext) => NodeDraft | undefined;

/** Undefined: nothing stands for it, and what came in goes on. */
export function draftOf(node: N8nNode, context: NodeContext): NodeDraft | undefined {
  const { kind, name, pointer, fields } = node;
  if (fields['disabled'] === true) {
    context.importing.note('left-out', { pointer, message: `"${name}" is disabled, so it is left out.` });
    return undefined;
  }
  const translate = Object.hasOwn(translations, kind) ? translations[kind] : undefined;
  return (translate ?? (isModel(node, context) ? sample : tool))(node, context);
}

const isModel = ({ helpers, kind }: N8nNode, { nodes }: NodeContext): boolean =>
  helpers.some(({ as, name }) => as === 'ai_languageModel' && nodes.has(name)) || kind === 'openAi';

const called = (name: string, step: StepDraft, { takeId }: NodeContext): NodeDraft => {
  const id = takeId(name);
  return { step: { id, ...step }, read: outputOfStep(id) };
};

const parametersAt = ({ pointer }: N8nNode): string => childOf(pointer, 'parameters');

function value(node: N8nNode, { importing, sight }: NodeContext, given: Json | undefined, ...keys: string[]): Json {
  const pointer = keys.reduce(childOf, parametersAt(node));
  return valueOf(importing, given ?? '', pointer, sight);
}

const http: Translate = (node, context) => {
  const { parameters } = node;
  const method = (textOf(parameters['method']) ?? textOf(parameters['requestMethod']) ?? 'GET').toUpperCase();
  const pairs = (...keys: readonly string[]): JsonObject =>
    Object.fromEntries(
      listOf(dig(parameters, ...keys)).flatMap((one, i): [string, Json][] => {
        const { name, value: given } = mapOf(one);
        const written = textOf(name);
        return written === undefined || written === ''
          ? []
          : [[written, value(node, context, given, ...keys, String(i), 'value')]];
      }),
    );
  const some = (name: string, ...maps: readonly JsonObject[]): JsonObject => {
    const map = Object.assign({}, ...maps) as JsonObject;
    return Object.keys(map).length === 0 ? {} : { [name]: map };
  };
  const json = parameters['jsonBody'] ?? parameters['bodyParametersJson'];
  const body = parameters['body'];
  const step: StepDraft = {
    tool: context.importing.tool('http', 'request'),
    ...(method === 'GET' || method === 'HEAD' ? { effect: 'read' } : {}),
    with: {
      ...(method === 'GET' ? {} : { method }),
      url: value(node, context, parameters['url'], 'url'),
      ...some('headers', pairs('headerParameters', 'parameters'), pairs('headerParametersUi', 'parameter')),
      ...some('query', pairs('queryParameters', 'parameters'), pairs('queryParametersUi', 'parameter')),
      ...some('body', pairs('bodyParameters', 'parameters'), pairs('bodyParametersUi', 'parameter')),
      ...(json === undefined ? {} : { body: value(node, context, parsed(json), 'jsonBody') }),
      ...(body === undefined ? {} : { body: value(node, context, body, 'body') }),
    },
  };
  return called(node.name, step, context);
};

/** JSON with expressions inside of its texts is read as JSON. */
function parsed(json: Json): Json {
  if (typeof json !== 'string') return json;
  try {
    const read = JSON.parse(json.replace(/^=/, '')) as Json;
    return json.startsWith('=') ? marked(read) : read;
  } catch {
    return json;
  }
}

function marked(read: Json): Json {
  if (typeof read === 'string') return read.includes('{{') ? `=${read}` : read;
  if (Array.isArray(read)) return read.map((one: Json) => marked(one));
  if (read === null || typeof read !== 'object') return read;
  return Object.fromEntries(Object.entries(mapOf(read)).map(([key, one]) => [key, marked(one)]));
}

/** The fields of `set`, in the four forms that it has had. */
function assigned(node: N8nNode): readonly (readonly [name: string, value: Json, keys: readonly string[]])[] {
  const { parameters } = node;
  const rows = (...keys: readonly string[]): [string, Json, string[]][] =>
    listOf(dig(parameters, ...keys)).flatMap((one, i): [string, Json, string[]][] => {
      const fields = mapOf(one);
      const name = textOf(fields['name']);
      const key = Object.keys(fields).find((own) => /value$/i.test(own)) ?? 'value';
      return name === undefined || name === ''
        ? []
        : [[name.replace(/^=/, ''), typedValue(fields, key), [...keys, String(i), key]]];
    });
  return [
    ...rows('assignments', 'assignments'),
    ...rows('fields', 'values'),
    ...['string', 'number', 'boolean'].flatMap((type) => rows('values', type)),
  ];
}

/** Numbers and lists are written as texts. */
function typedValue(fields: JsonObject, key: string): Json {
  const given = fields[key] ?? '';
  const type = textOf(fields['type']) ?? '';
  if (typeof given !== 'string' || given.startsWith('=') || !/number|array|object|boolean/i.test(`${type}${key}`))
    return given;
  try {
    return JSON.parse(given) as Json;
  } catch {
    return given;
  }
}

const set: Translate = (node, context) => {
  const { parameters, name } = node;
  const raw = parameters['jsonOutput'];
  const rows = assigned(node);
  if (parameters['mode'] === 'raw' && raw !== undefined) {
    const whole = value(node, context, parsed(raw), 'jsonOutput');
    if (isObject(whole)) return named(name, whole, context);
    return named(name, { value: whole }, context, 'value');
  }
  if (rows.length === 0) return undefined;
  const values: JsonObject = {};
  for (const [field, given, keys] of rows) assign(values, field.split('.'), value(node, context, given, ...keys));
  return named(name, values, context, undefined, !isAlone(node));
};

/** What came in is not handed on. */
function isAlone({ parameters, version }: N8nNode): boolean {
  if (version < 3) return parameters['keepOnlySet'] === true;
  if (version < 3.3) return parameters['include'] === 'none';
  return parameters['includeOtherFields'] !== true;
}

function assign(values: Record<string, Json>, [first = '', ...rest]: readonly string[], given: Json): void {
  if (rest.length === 0) values[first] = given;
  else {
    const inner = { ...mapOf(values[first]) };
    assign(inner, rest, given);
    values[first] = inner;
  }
}

function named(name: string, values: JsonObject, context: NodeContext, field?: string, handsOn = false): NodeDraft {
  const id = context.takeId(name);
  const own = outputOfStep(id, field ?? 'output');
  const { input } = context.sight;
  // A field that the step does not set is one that came in.
  const read: ReadOutput = (path, isOptional) => {
    const [first] = path;
    if (first === undefined || field !== undefined || Object.hasOwn(values, first)) return own(path, isOptional);
    if (handsOn) return input(path);
    throw new UnmappedError(`"${name}" hands on no "${first}"`);
  };
  return { step: { id, set: values }, read };
}

const units: Readonly<Record<string, string>> = { seconds: 's', minutes: 'm', hours: 'h', days: 'd' };

const wait: Translate = (node, { importing, sight, takeId }) => {
  const { parameters, name, version } = node;
  if (parameters['resume'] === 'webhook' || parameters['resume'] === 'form') {
    const id = takeId(name);
    return { step: { id, wait: { signal: slugOf(name, 'go-on') } }, read: outputOfStep(id) };
  }
  if (parameters['resume'] === 'specificTime') {
    const until = valueOf(importing, parameters['dateTime'] ?? '', childOf(parametersAt(node), 'dateTime'), sight);
    return { step: { wait: { until } }, read: undefined };
  }
  const amount = parameters['amount'] ?? (version < 1.1 ? 1 : 5);
  const unit = textOf(parameters['unit']) ?? (version < 1.1 ? 'hours' : 'seconds');
  if (typeof amount === 'number' && Number.isInteger(amount) && amount > 0)
    return { step: { wait: `${amount}${units[unit] ?? 's'}` }, read: undefined };
  const message = `"${name}" computes how long it waits. A \`wait\` of Baton has a fixed duration, or ends at an instant.`;
  importing.note('differs', { pointer: parametersAt(node), message });
  return { step: { wait: `1${units[unit] ?? 's'}` }, read: undefined };
};

const fail: Translate = (node, context) => {
  const { errorMessage, errorObject } = node.parameters;
  const message = value(node, context, errorMessage ?? errorObject ?? 'Stopped', 'errorMessage');
  return { step: { fail: typeof message === 'string' && message !== '' ? message : 'Stopped' }, read: undefined };
};

const child: Translate = (node, context) => {
  const { parameters, name } = node;
  const shown =
    dig(parameters, 'workflowId', 'cachedResultName') ??
    dig(parameters, 'workflowId', 'value') ??
    parameters['workflowId'];
  const workflow = slugOf(textOf(shown)?.replace(/^=/, '') ?? name, 'other');
  const message = `It runs the workflow "${workflow}", which has to be imported and deployed under that name.`;
  context.importing.note('differs', { pointer: parametersAt(node), message });
  const given = value(node, context, dig(parameters, 'workflowInputs', 'value') ?? {}, 'workflowInputs', 'value');
  const inputs = mapOf(given);
  return called(name, { workflow, ...(Object.keys(inputs).length === 0 ? {} : { with: inputs }) }, context);
};

/** Agents and chains: what they say to a model. */
const sample: Translate = (node, context) => {
  const { parameters, name, helpers, pointer } = node;
  const { importing, nodes } = context;
  const text =
    parameters['text'] ??
    parameters['prompt'] ??
    dig(parameters, 'messages', 'values', '0', 'content') ??
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
    throw new UnmappedError(`the sample "${name}" answers a text`);
  };
  return { step: { id, ...step }, read };
};

/** Of a structured answer: from an example, or as a schema. */
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

/** JavaScript and Python. */
const code: Translate = (node, context) => {
  const { name, parameters, pointer } = node;
  const written = ['jsCode', 'pythonCode', 'functionCode'].find((key) => parameters[key] !== undefined);
  const target = slugOf(name, 'code').replaceAll('-', '_');
  context.importing.note('tool-needed', {
    pointer: written === undefined ? pointer : childOf(parametersAt(node), written),
    message: `Baton runs no code in a workflow: "${name}" becomes the tool code/${target}.`,
    hint: 'write it as expressions in a `set` step, or as a tool of a server of your own',
  });
  const items = value(node, context, '={{ $json }}');
  const step = { tool: context.importing.tool('code', target), with: { input: items } };
  return called(name, step, context);
};

/** Parameters that say which tool it is, or nothing to a tool. */
const aside = new Set(['resource', 'operation', 'authentication', 'options', 'additionalFields', 'nodeCredentialType']);

const tool: Translate = (node, context) => {
  const { kind, name, parameters, fields, pointer } = node;
  const { importing } = context;
  const server = slugOf(kind, 'app');
  const parts = [parameters['resource'], parameters['operation']].flatMap((one) => textOf(one) ?? []);
  const target = slugOf(parts.join(' '), 'run').replaceAll('-', '_');
  const given = Object.entries({
    ...parameters,
    ...mapOf(parameters['additionalFields']),
    ...mapOf(parameters['options']),
  });
  const values = given.flatMap(([key, one]): [string, Json][] =>
    aside.has(key) ? [] : [[key, value(node, context, one, key)]],
  );
  const credentials = Object.keys(mapOf(fields['credentials']));
  importing.note('tool-needed', {
    pointer,
    message: `"${name}" becomes the tool ${server}/${target}${parts.length === 0 ? '; n8n does not export the default operation, so its name is a guess' : ''}.`,
    hint: `name the tool of an MCP server for ${kind}, with its arguments${credentials.length === 0 ? '' : `; the server has the credentials (${credentials.join(', ')})`}`,
  });
  const step = {
    tool: importing.tool(server, target),
    ...(values.length === 0 ? {} : { with: Object.fromEntries(values) }),
  };
  return called(name, step, context);
};

const nothing: Translate = () => undefined;

const respond: Translate = (node, context) => {
  const { parameters, pointer } = node;
  const given = parameters['responseBody'];
  const message = 'Baton answers a webhook when it accepts the run. The response of the node becomes a `set` step.';
  context.importing.note('differs', {
    pointer,
    message,
    hint: 'start the run over the API with a `callback` to receive its outputs',
  });
  if (given === undefined) return undefined;
  return named('response', { body: value(node, context, parsed(given), 'responseBody') }, context);
};

const translations: Readonly<Record<string, Translate>> = {
  httpRequest: http,
  set,
  wait,
  stopAndError: fail,
  executeWorkflow: child,
  code,
  function: code,
  functionItem: code,
  noOp: nothing,
  merge: nothing,
  limit: nothing,
  respondToWebhook: respond,
};
