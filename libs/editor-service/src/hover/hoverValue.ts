/** Values that name something: a tool, a prompt, a workflow, a schedule. */
import { zonesNear, typeOfSchema } from '@baton/expressions';
import {
  cronProblems,
  type CheckOptions,
  durationMs,
  type DecidedEffect,
  type Effect,
  instantsAfter,
  atText,
  everyText,
  pointInTime,
  effectStated,
  leavesToDeclared,
  declaredText,
  shownEffect,
  splitTarget,
} from '@baton/language';
import { isObject, type Json, type JsonObject } from '@baton/primitives';

import { detailOf } from '../complete/completeKeys.ts';
import { type FilePlace, eventNamed, placeAt, promptNamed, toolNamed } from '../reading/filePlace.ts';
import type { TextReading } from '../reading/reading.ts';
import { propertiesAt, unfold } from '../schemas/schemaNode.ts';
import { typeText } from '../schemas/typeText.ts';
import { type Hover, plainText } from './hoverText.ts';

export function hoverValue(reading: TextReading, pointer: string, nowMs: number): Hover | undefined {
  const { document, known } = reading;
  const { value: root } = document;
  if (root === undefined) return undefined;
  const place = placeAt(root, pointer, known);
  if (typeof place.value !== 'string') return undefined;
  const paragraphs = about(place, place.value, known, nowMs);
  const span = document.spanOf({ code: 'assumed', message: '', pointer });
  return paragraphs.length === 0 ? undefined : { span, paragraphs };
}

function about(place: FilePlace, value: string, known: CheckOptions, nowMs: number): string[] {
  const owner = place.around.at(-1);
  const step: JsonObject = isObject(owner) ? owner : {};
  switch (place.offers) {
    case 'tool':
      return aboutTool(value, step, known);
    case 'event':
      return aboutEvent(value, known);
    case 'prompt':
      return aboutPrompt(value, known);
    case 'server':
      return aboutServer(value, known);
    case 'workflow':
      return aboutWorkflow(value, known);
    case 'cron':
    case 'interval':
    case 'pointInTime':
      return nextInstants(step, nowMs);
    default:
      return [];
  }
}

const whoDecided: Readonly<Record<DecidedEffect['from'], string>> = {
  step: 'this step says so',
  server: 'the server configuration says so',
  annotations: "the tool's annotations say so",
  default: 'nothing says otherwise',
};

const isEffect = (value: Json | undefined): value is Effect =>
  value === 'read' || value === 'idempotent' || value === 'write';

function aboutTool(target: string, step: JsonObject, known: CheckOptions): string[] {
  const tool = toolNamed(target, known);
  const stated = isEffect(step['effect']) ? step['effect'] : undefined;
  const own = known.effects?.(...splitTarget(target));
  const decided = effectStated(stated, own ?? { effect: 'write', from: 'default' });
  const shown = shownEffect(decided, own);
  const effect = `Effect: \`${shown.effect}\` (${whoDecided[shown.from]}).`;
  if (tool === undefined) return [...aboutServer(splitTarget(target)[0], known), effect];
  const { title, description, inputSchema, outputSchema } = tool;
  return [
    `**${plainText(title ?? tool.name)}**`,
    ...(description === undefined ? [] : [plainText(description)]),
    effect,
    ...aboutDeclared(target, step, decided.effect, known),
    ...argumentsText(inputSchema),
    ...(outputSchema === undefined ? [] : [`Gives \`${typeText(typeOfSchema(outputSchema))}\`.`]),
  ];
}

/** What the server configuration declares for the tool, and the step does not say itself. */
function aboutDeclared(target: string, step: JsonObject, effect: Effect, { declarations }: CheckOptions): string[] {
  const { check, undo, unusable = {} } = declarations?.(...splitTarget(target)) ?? {};
  const isChecked = leavesToDeclared({ ifUnknown: step['ifUnknown'], check: step['check'] }, effect);
  const isUndone = step['undo'] === 'declared';
  const sentences = declaredText({
    ...(isChecked && { check }),
    ...(isUndone && { undo }),
    unusable: {
      ...(isChecked && unusable.check && { check: unusable.check }),
      ...(isUndone && unusable.undo && { undo: unusable.undo }),
    },
  });
  return sentences.map((sentence) => `${plainText(sentence)} The server configuration says so.`);
}

function argumentsText(schema: Json): string[] {
  if (!isObject(schema)) return [];
  const all = propertiesAt(unfold({ schema, root: schema }, undefined));
  return all.length === 0 ? [] : [all.map((one) => `- \`${one.name}\`: ${detailOf(one)}`).join('\n')];
}

function aboutPrompt(target: string, known: CheckOptions): string[] {
  const prompt = promptNamed(target, known);
  if (prompt === undefined) return aboutServer(splitTarget(target)[0], known);
  const { title, description } = prompt;
  const names = prompt.arguments.map(({ name, required }) => `\`${name}\`${required === true ? '' : ' (optional)'}`);
  return [
    `**${plainText(title ?? prompt.name)}**`,
    ...(description === undefined ? [] : [plainText(description)]),
    ...(names.length === 0 ? [] : [`Arguments: ${names.join(', ')}.`]),
  ];
}

function aboutEvent(target: string, known: CheckOptions): string[] {
  const event = eventNamed(target, known);
  if (event === undefined) return aboutServer(splitTarget(target)[0], known);
  const { title, description, inputSchema, payloadSchema } = event;
  return [
    `**${plainText(title ?? event.name)}**`,
    ...(description === undefined ? [] : [plainText(description)]),
    ...argumentsText(inputSchema),
    `\`event\` is \`${typeText(typeOfSchema(payloadSchema))}\`.`,
  ];
}

function aboutServer(name: string, { servers }: CheckOptions): string[] {
  const offer = servers?.get(name);
  if (offer === undefined) return [];
  if (offer.kind === 'unreachable') return [`The server cannot be asked now. ${plainText(offer.reason)}`];
  if (offer.kind === 'unasked') return ['The server has not been asked.'];
  return [`The server offers ${offer.tools.length} tools and ${offer.prompts.length} prompts.`];
}

function aboutWorkflow(target: string, { workflows }: CheckOptions): string[] {
  const found = workflows?.get(target);
  if (found === undefined) return [];
  return [`Takes \`${typeText(typeOfSchema(found.inputs))}\`.`, `Hands back \`${typeText(found.outputs)}\`.`];
}

const instantsShown = 5;

function nextInstants(trigger: JsonObject, nowMs: number): string[] {
  const { timezone: zone } = trigger;
  const timezone = typeof zone === 'string' && zonesNear(zone) === undefined ? zone : 'UTC';
  const times = timesIn(trigger, timezone);
  if (times === undefined) return [];
  const next = [...instantsAfter({ times, timezone }, nowMs).take(instantsShown)];
  if (next.length === 0) return ['There is no next time.'];
  const list = next.map((ms) => `- ${clockText(ms, timezone)}`).join('\n');
  return [`The next ${next.length === 1 ? 'time' : 'times'} in ${timezone}:`, list];
}

/** The times of a trigger that is being written; undefined where one of its texts is wrong. */
function timesIn({ schedule, every, from, at }: JsonObject, timezone: string): string | undefined {
  const isTime = (written: Json | undefined): written is string =>
    typeof written === 'string' && pointInTime(written, timezone) !== undefined;
  if (typeof schedule === 'string') return cronProblems(schedule).length > 0 ? undefined : schedule.trim();
  if (at !== undefined) return isTime(at) ? atText(at) : undefined;
  if (typeof every !== 'string' || durationMs(every) === undefined) return undefined;
  if (from !== undefined && !isTime(from)) return undefined;
  return everyText(every, from);
}

/** `Mon 2026-11-23 06:00:00`, in the time zone. */
function clockText(ms: number, timeZone: string): string {
  const numeric = '2-digit';
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(new Date(ms)).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return `${of('weekday')} ${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')}`;
}
