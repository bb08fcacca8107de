/** Translates HTTP Request of n8n, in the forms of all its versions. */
import { childOf } from '@baton/expressions';
import { type Json, type JsonObject, defined } from '@baton/primitives';

import { httpTool, httpToolOf, isReading } from '../httpTool.ts';
import type { StepDraft } from '../importing.ts';
import { dig, listOf, mapOf, textOf } from '../json.ts';
import { outputOfStep } from './n8nValues.ts';
import { type NodeContext, type NodeDraft, type Translate, called, parametersAt, parsed, value } from './nodeDraft.ts';
import type { N8nNode } from './readN8n.ts';

/** Name and value pairs at a path of keys. */
function pairs(node: N8nNode, context: NodeContext, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    listOf(dig(node.parameters, ...keys)).flatMap((one, i): [string, Json][] => {
      const { name, value: given } = mapOf(one);
      const written = textOf(name);
      return written === undefined || written === ''
        ? []
        : [[written, value(node, context, given, ...keys, String(i), 'value')]];
    }),
  );
}

const titles = { query: 'Query', header: 'Headers', body: 'Body' } as const;

/** The headers, the query or the body: as pairs, or written as JSON. */
function part(node: N8nNode, context: NodeContext, what: keyof typeof titles): Json | undefined {
  const { parameters, version } = node;
  const title = titles[what];
  // Parameters of a part that is not sent stay in the export.
  if (version >= 3 && parameters[`send${title}`] !== true) return undefined;
  const written = parameters[`json${title}`] ?? (what === 'body' ? parameters['bodyParametersJson'] : undefined);
  const isWritten = parameters[`specify${title}`] === 'json' || parameters[`specify${title}`] === undefined;
  if (written !== undefined && isWritten) return value(node, context, parsed(written), `json${title}`);
  const map = {
    ...pairs(node, context, `${what}Parameters`, 'parameters'),
    ...pairs(node, context, `${what}ParametersUi`, 'parameter'),
  };
  return Object.keys(map).length === 0 ? undefined : map;
}

function noteBody({ importing }: NodeContext, node: N8nNode): void {
  const { parameters, fields } = node;
  const { contentType } = parameters;
  if (typeof contentType === 'string' && contentType !== 'json' && contentType !== 'raw') {
    const message = `The body is sent as ${contentType.slice(0, 40)}; the tool sends a map as JSON.`;
    importing.note('differs', { pointer: childOf(parametersAt(node), 'contentType'), message });
  }
  const credentials = Object.keys(mapOf(fields['credentials']));
  if (credentials.length === 0) return;
  const message = `The export has no credentials (${credentials.join(', ').slice(0, 80)}): give them to the request in a header, as a secret.`;
  importing.noteOnce('left-out', { pointer: childOf(node.pointer, 'credentials'), at: 'key', message });
}

export const http: Translate = (node, context) => {
  const { parameters } = node;
  const method = textOf(parameters['method']) ?? textOf(parameters['requestMethod']) ?? 'GET';
  const tool = httpToolOf(method);
  const timeout = dig(parameters, 'options', 'timeout');
  noteBody(context, node);
  const [query, headers, sent] = [
    part(node, context, 'query'),
    part(node, context, 'header'),
    part(node, context, 'body'),
  ];
  const raw = parameters['body'];
  const body = sent ?? (raw === undefined ? undefined : value(node, context, raw, 'body'));
  const url = value(node, context, parameters['url'], 'url');
  const given = { url, ...defined({ headers, query }) };
  const more = typeof timeout === 'number' && timeout >= 1 ? { timeout: `${Math.round(timeout)}ms` } : {};
  if (tool === undefined)
    return otherMethod(node, context, { with: { method, ...given, ...defined({ body }) }, ...more });
  const reads = isReading(tool);
  if (reads && body !== undefined) {
    const message = `A ${method} of the tool http/${tool} has no body.`;
    context.importing.note('left-out', { pointer: parametersAt(node), message });
  }
  const id = context.takeId(node.name);
  const isText = parameters['contentType'] === 'raw' && typeof body === 'string';
  const step: StepDraft = {
    id,
    tool: httpTool(context.importing, tool, url, node.pointer),
    ...(reads ? { effect: 'read' } : {}),
    with: { ...given, ...(body === undefined || reads ? {} : { [isText ? 'body' : 'json']: body }) },
    ...more,
  };
  return { step, read: outputOfStep(id, 'output', 'body') };
};

function otherMethod(node: N8nNode, context: NodeContext, step: StepDraft): NodeDraft {
  const tool = context.importing.neededTool('requests', 'request', {
    pointer: node.pointer,
    was: `"${node.name}"`,
    hint: 'give it the arguments method, url, headers, query and body, or call a tool of the built-in server http',
  });
  return called(node.name, { tool, ...step }, context);
}
