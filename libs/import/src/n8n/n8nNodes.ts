/** Translates each node of n8n into a step. A node without a counterpart becomes a call of a tool to be found or written. */
import { childOf } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import { dig, mapOf, textOf } from '../json.ts';
import { slugOf } from '../stepIds.ts';
import { http } from './n8nHttp.ts';
import { noteNode, noteParameters } from './n8nKeys.ts';
import { sample } from './n8nSample.ts';
import { set } from './n8nSet.ts';
import { outputOfStep, valueOf } from './n8nValues.ts';
import {
  type NodeContext,
  type NodeDraft,
  type Translate,
  called,
  parametersAt,
  parsed,
  setOf,
  value,
} from './nodeDraft.ts';
import type { N8nNode } from './readN8n.ts';

/** Undefined: the node is omitted, and its input passes through. */
export function draftOf(node: N8nNode, context: NodeContext): NodeDraft | undefined {
  const { kind, name, pointer, fields } = node;
  if (fields['disabled'] === true) {
    context.importing.note('left-out', { pointer, message: `"${name}" is disabled, so it is left out.` });
    return undefined;
  }
  noteNode(context.importing, node);
  noteParameters(context.importing, node);
  const translate = Object.hasOwn(translations, kind) ? translations[kind] : undefined;
  return (translate ?? (isModel(node, context) ? sample : tool))(node, context);
}

const isModel = ({ helpers, kind, parameters }: N8nNode, { nodes }: NodeContext): boolean =>
  helpers.some(({ as, name }) => as === 'ai_languageModel' && nodes.has(name)) ||
  (kind === 'openAi' && ['text', 'chat', undefined].includes(textOf(parameters['resource'])));

const units: Readonly<Record<string, string>> = { seconds: 's', minutes: 'm', hours: 'h', days: 'd' };

const wait: Translate = (node, { importing, names, takeId }) => {
  const { parameters, name, version } = node;
  if (parameters['resume'] === 'webhook' || parameters['resume'] === 'form') {
    const id = takeId(name);
    const signal = slugOf(name, 'go-on');
    importing.note('differs', {
      pointer: childOf(parametersAt(node), 'resume'),
      message: `"${name}" goes on when its URL is called; here when the run gets the signal "${signal}".`,
      hint: `POST /v1/runs/<id>/signals/${signal}, or \`baton signal\``,
    });
    if (parameters['limitWaitTime'] === true) {
      const message = `"${name}" waits at most for a time: give the \`wait\` a \`timeout\`.`;
      importing.note('left-out', { pointer: childOf(parametersAt(node), 'limitWaitTime'), at: 'key', message });
    }
    return { step: { id, wait: { signal } }, read: outputOfStep(id) };
  }
  if (parameters['resume'] === 'specificTime') {
    const until = valueOf(importing, parameters['dateTime'] ?? '', childOf(parametersAt(node), 'dateTime'), names);
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
  const goesOn = dig(parameters, 'options', 'waitForSubWorkflow') === false;
  return called(
    name,
    { workflow, ...(goesOn ? { await: false } : {}), ...(Object.keys(inputs).length === 0 ? {} : { with: inputs }) },
    context,
  );
};

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

/** Parameters that choose the tool, or mean nothing to a tool. */
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

/** Its data is that of its first input. */
const merge: Translate = ({ name, pointer }, { importing }) => {
  const message = `"${name}" joins the items of its inputs. Here the steps after it read the first input, and may read the others.`;
  importing.note('differs', { pointer, message });
  return undefined;
};

const limit: Translate = ({ name, pointer }, { importing }) => {
  const message = `"${name}" keeps the first items. Here all of them go on.`;
  importing.note('left-out', { pointer, message, hint: 'write slice(list, 0, n) where the list is read' });
  return undefined;
};

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
  return setOf('response', { body: value(node, context, parsed(given), 'responseBody') }, context);
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
  merge,
  limit,
  respondToWebhook: respond,
};
