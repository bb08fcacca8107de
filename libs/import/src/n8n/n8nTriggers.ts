/** Translates the triggers of a workflow of n8n into triggers and inputs. */
import { childOf, interpolated } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import { type PathPart, joined } from '../expression/celOf.ts';
import { UnmappedError } from '../expression/syntax.ts';
import type { Import } from '../importing.ts';
import { dig, listOf, mapOf, textOf } from '../json.ts';
import { slugOf } from '../stepIds.ts';
import { schedulesOf } from './n8nSchedules.ts';
import type { N8nNode } from './readN8n.ts';

export interface N8nStart {
  readonly on: readonly JsonObject[];
  readonly inputs: JsonObject;
  /** The CEL of the trigger's output. */
  readonly read: (path: readonly PathPart[]) => string;
}

const triggerKinds = new Set(['webhook', 'cron', 'interval', 'start', 'emailReadImap']);

export const isTrigger = ({ kind }: N8nNode): boolean => /trigger$/i.test(kind) || triggerKinds.has(kind);

/** Throws `UnmappedError` for an input that the trigger does not give. */
function known(path: readonly PathPart[], names: readonly string[]): string {
  const [first] = path;
  if (first !== undefined && !names.includes(String(first))) throw new UnmappedError(`the trigger gives no "${first}"`);
  return joined('inputs', path);
}

/** The inputs that a called workflow declares; without a declaration, any. */
function called(parameters: JsonObject): N8nStart {
  const inputs = declared(parameters);
  if (Object.keys(inputs).length > 0) return { on: [], inputs, read: (path) => known(path, Object.keys(inputs)) };
  return { on: [], inputs: { item: { type: 'object' } }, read: (path) => joined('inputs.item', path) };
}

export function startOf(importing: Import, node: N8nNode, timezone: string | undefined): N8nStart {
  const { kind, parameters } = node;
  switch (kind) {
    case 'manualTrigger':
    case 'start':
    case 'errorTrigger':
      return { on: [], inputs: {}, read: (path) => known(path, []) };
    case 'scheduleTrigger':
    case 'cron':
    case 'interval':
      return { on: schedulesOf(importing, node, timezone), inputs: {}, read: () => 'run.startedAt' };
    case 'webhook':
      return webhook(importing, node);
    case 'formTrigger':
      notePeople(importing, node, 'fill in a form');
      return form(parameters);
    case 'executeWorkflowTrigger':
      return called(parameters);
    case 'chatTrigger':
    case 'manualChatTrigger':
      notePeople(importing, node, 'chat');
      return {
        on: [{ tool: {} }],
        inputs: { chatInput: { type: 'string' }, sessionId: { type: 'string', optional: true } },
        read: (path) => known(path, ['chatInput', 'sessionId']),
      };
    default:
      return ofApp(importing, node);
  }
}

function notePeople(importing: Import, { name, pointer }: N8nNode, what: string): void {
  const message = `People ${what} at "${name}". Here MCP clients call a tool, and \`baton run\` and the page ask for its inputs.`;
  importing.note('differs', { pointer, message });
}

function webhook(importing: Import, { name, parameters, pointer }: N8nNode): N8nStart {
  const hook = slugOf(textOf(parameters['path']) ?? name, 'hook');
  const secret = secretOf(hook);
  importing.note('differs', {
    pointer,
    message: `The caller of the webhook "${hook}" has to send a POST, signed with the secret ${secret}.`,
    hint: `baton secrets set ${secret}`,
  });
  if (parameters['responseMode'] === 'lastNode') {
    const message = 'n8n answers the caller when the last node has ended; Baton answers when it accepts the run.';
    const hint = 'start the run over the API with `Prefer: wait`, or with a `callback`';
    importing.note('differs', { pointer: childOf(childOf(pointer, 'parameters'), 'responseMode'), message, hint });
  }
  const event = (field: string): string => interpolated(`event.${field}`);
  const open = { type: 'object', optional: true };
  return {
    on: [{ webhook: hook, secret, inputs: { body: event('body'), headers: event('headers'), query: event('query') } }],
    inputs: { body: open, headers: open, query: open },
    read: (path) => known(path, ['body', 'headers', 'query']),
  };
}

const secretOf = (hook: string): string =>
  `${hook.replaceAll('-', '_').toUpperCase()}_HOOK`.replace(/^(?=\d)/, 'HOOK_');

/** A trigger of an app: its events come by webhook. */
function ofApp(importing: Import, { name, kind, pointer }: N8nNode): N8nStart {
  const hook = slugOf(kind.replace(/Trigger$/, ''), 'events');
  const secret = secretOf(hook);
  importing.note('differs', {
    pointer,
    message: `"${name}" (${kind}) waits for events of an app. Baton receives them at the webhook "${hook}".`,
    hint: 'let the app call the webhook, or start the workflow by a schedule and ask the app',
  });
  return {
    on: [{ webhook: hook, secret, inputs: { event: interpolated('event.body') } }],
    inputs: { event: { type: 'object' } },
    read: (path) => joined('inputs.event', path),
  };
}

function form(parameters: JsonObject): N8nStart {
  const fields = listOf(dig(parameters, 'formFields', 'values')).map((one) => {
    const field = mapOf(one);
    const label = textOf(field['fieldLabel']) ?? 'field';
    const options = listOf(dig(field, 'fieldOptions', 'values')).flatMap(
      (option) => textOf(mapOf(option)['option']) ?? [],
    );
    const type = field['fieldType'] === 'number' ? 'number' : 'string';
    const schema: JsonObject = {
      type,
      ...(options.length === 0 || type === 'number' ? {} : { enum: [...new Set(options)] }),
      ...(field['requiredField'] === true ? {} : { optional: true }),
    };
    return { label, name: slugOf(label, 'field').replaceAll('-', '_'), schema };
  });
  const names = new Map<PathPart, string>(fields.map(({ label, name }) => [label, name]));
  return {
    on: [{ tool: {} }],
    inputs: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    read: ([first = '', ...rest]) => known([names.get(first) ?? first, ...rest], [...names.values()]),
  };
}

const types: Readonly<Record<string, string>> = {
  number: 'number',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
};

const declared = (parameters: JsonObject): JsonObject =>
  Object.fromEntries(
    listOf(dig(parameters, 'workflowInputs', 'values')).flatMap((one): [string, Json][] => {
      const { name, type } = mapOf(one);
      const written = textOf(name);
      return written === undefined ? [] : [[written, { type: types[textOf(type) ?? ''] ?? 'string', optional: true }]];
    }),
  );
