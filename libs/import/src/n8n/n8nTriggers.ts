/** Translates the triggers of a workflow of n8n into triggers and inputs. */
import type { Json, JsonObject } from '@baton/language';
import { childOf, interpolated } from '@baton/language';

import type { PathPart } from '../expression/celOf.ts';
import { joined } from '../expression/celOf.ts';
import { UnmappedError } from '../expression/syntax.ts';
import type { Import } from '../importing.ts';
import { dig, listOf, mapOf, textOf, wordOf } from '../json.ts';
import { slugOf } from '../names.ts';
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
      return { on: schedules(importing, node, timezone), inputs: {}, read: () => 'run.startedAt' };
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

function schedules(importing: Import, node: N8nNode, timezone: string | undefined): JsonObject[] {
  const { pointer } = node;
  const rules = rulesOf(node);
  const zone = timezone === undefined ? {} : { timezone };
  if (timezone === undefined)
    importing.note('differs', {
      pointer,
      message: 'The export names no time zone: n8n takes that of its installation, and here it is UTC.',
      hint: 'write `timezone` beside the schedule',
    });
  return (rules.length === 0 ? [{}] : rules).flatMap((rule: JsonObject) => {
    const cron = cronOf(rule);
    if (cron !== undefined) {
      noteUneven(importing, rule, pointer);
      return [{ schedule: cron, ...zone }];
    }
    const message = `This interval cannot be written as a cron expression: ${JSON.stringify(rule)}.`;
    importing.note('left-out', {
      pointer: childOf(pointer, 'parameters'),
      message,
      hint: 'write a schedule under `on`',
    });
    return [];
  });
}

/** Units of which a number does not always divide what the next one counts. */
const wholes: Readonly<Record<string, number>> = { seconds: 60, minutes: 60, hours: 24, days: 1, months: 12 };

/** Cron begins anew with each minute, hour, day, month or year. */
function noteUneven(importing: Import, rule: JsonObject, pointer: string): void {
  const field = textOf(rule['field']) ?? 'days';
  const every = Number(rule[`${field}Interval`] ?? usualIntervals[field] ?? 1);
  if ((wholes[field] ?? every) % every === 0) return;
  const message = `n8n counts ${every} ${field} from one run to the next; cron begins anew where the larger unit begins.`;
  importing.note('differs', { pointer, message, hint: 'look at the next times: baton schedules next' });
}

/** In the form of the newest trigger node, from the forms of three. */
function rulesOf({ parameters, kind }: N8nNode): readonly JsonObject[] {
  if (kind === 'cron') return listOf(dig(parameters, 'triggerTimes', 'item')).map(ofCronItem);
  if (kind !== 'interval') return listOf(dig(parameters, 'rule', 'interval')).map(mapOf);
  const unit = parameters['unit'] ?? 'seconds';
  return [{ field: unit, ...everyX(unit, parameters['interval'] ?? 1) }];
}

const everyX = (unit: Json, value: Json): JsonObject => ({ [`${wordOf(unit)}Interval`]: value });

const cronModes: Readonly<Record<string, string>> = {
  everyMinute: 'minutes',
  everyHour: 'hours',
  everyDay: 'days',
  everyWeek: 'weeks',
  everyMonth: 'months',
};

function ofCronItem(item: Json): JsonObject {
  const { mode, hour, minute, weekday, dayOfMonth, unit, value, cronExpression } = mapOf(item);
  if (mode === 'custom') return { field: 'cronExpression', expression: cronExpression ?? '' };
  if (mode === 'everyX') return { field: unit ?? 'hours', ...everyX(unit ?? 'hours', value ?? 2) };
  return {
    field: cronModes[textOf(mode) ?? 'everyDay'] ?? 'days',
    ...(minute === undefined ? {} : { triggerAtMinute: minute }),
    triggerAtHour: hour ?? (mode === 'everyHour' || mode === 'everyMinute' ? 0 : 14),
    ...(weekday === undefined ? {} : { triggerAtDay: [Number(weekday)] }),
    ...(dayOfMonth === undefined ? {} : { triggerAtDayOfMonth: dayOfMonth }),
  };
}

/** What n8n takes where no interval is given. */
const usualIntervals: Readonly<Record<string, number>> = { seconds: 30, minutes: 5 };

/** Undefined if cron cannot express the interval. */
function cronOf(rule: JsonObject): string | undefined {
  const field = textOf(rule['field']) ?? 'days';
  const number = (key: string, usual: number): number => Number(rule[key] ?? usual);
  const every = number(`${field}Interval`, usualIntervals[field] ?? 1);
  const [minute, hour] = [number('triggerAtMinute', 0), number('triggerAtHour', 0)];
  const step = every === 1 ? '*' : `*/${every}`;
  switch (field) {
    case 'cronExpression':
      return textOf(rule['expression'])?.replace(/^=/, '').trim() || undefined;
    case 'seconds':
      return every < 60 ? `${step} * * * * *` : undefined;
    case 'minutes':
      return every < 60 ? `${step} * * * *` : undefined;
    case 'hours':
      return every < 24 ? `${minute} ${step} * * *` : undefined;
    case 'days':
      return every <= 31 ? `${minute} ${hour} ${step} * *` : undefined;
    case 'weeks': {
      const days = listOf(rule['triggerAtDay']).map(Number);
      return every === 1 ? `${minute} ${hour} * * ${days.length === 0 ? 0 : days.join(',')}` : undefined;
    }
    case 'months':
      return every <= 12 ? `${minute} ${hour} ${number('triggerAtDayOfMonth', 1)} ${step} *` : undefined;
    default:
      return undefined;
  }
}
