/** Translates the schedules of n8n: cron, or an interval where cron begins anew and n8n goes on counting. */
import { childOf } from '@baton/expressions';
import { type Json, type JsonObject, defined } from '@baton/primitives';

import type { Import } from '../importing.ts';
import { dig, listOf, mapOf, textOf, wordOf } from '../json.ts';
import type { N8nNode } from './readN8n.ts';

export function schedulesOf(importing: Import, node: N8nNode, timezone: string | undefined): JsonObject[] {
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
    const times = timesOf(importing, rule, pointer);
    if (times !== undefined) return times.map((one) => ({ ...one, ...zone }));
    const message = `This interval cannot be written as a schedule: ${JSON.stringify(rule)}.`;
    importing.note('left-out', {
      pointer: childOf(pointer, 'parameters'),
      message,
      hint: 'write a schedule under `on`',
    });
    return [];
  });
}

function timesOf(importing: Import, rule: JsonObject, pointer: string): readonly JsonObject[] | undefined {
  const count = countOf(rule);
  if (!Number.isSafeInteger(count) || count < 1) return undefined;
  return intervalOf(importing, rule, pointer) ?? cronTimesOf(importing, rule, pointer);
}

/** Units of which a number does not always divide what the next one counts. */
const wholes: Readonly<Record<string, number>> = { seconds: 60, minutes: 60, hours: 24, days: 1, weeks: 1, months: 12 };

const fieldOf = (rule: JsonObject): string => textOf(rule['field']) ?? 'days';

const countOf = (rule: JsonObject): number => {
  const field = fieldOf(rule);
  return Number(rule[`${field}Interval`] ?? usualIntervals[field] ?? 1);
};

/** Cron begins anew with each minute, hour, day, month or year. */
const isEven = (rule: JsonObject): boolean => {
  const whole = wholes[fieldOf(rule)];
  return whole === undefined || whole % countOf(rule) === 0;
};

/** Undefined if cron means the same, or if Baton counts no such unit. */
function intervalOf(importing: Import, rule: JsonObject, pointer: string): readonly JsonObject[] | undefined {
  const [field, count] = [fieldOf(rule), countOf(rule)];
  if (isEven(rule) && cronOf(rule) !== undefined) return undefined;
  const [hour, minute] = [Number(rule['triggerAtHour'] ?? 0), Number(rule['triggerAtMinute'] ?? 0)];
  switch (field) {
    case 'seconds':
    case 'minutes':
      return [{ every: `${count}${field.charAt(0)}` }];
    case 'hours':
      return [{ every: `${count}h`, ...(minute === 0 ? {} : { from: firstAt(0, 0, minute) }) }];
    case 'days':
      noteDays(importing, pointer, `${count} days`);
      return [{ every: `${count}d`, from: firstAt(0, hour, minute) }];
    case 'weeks': {
      noteDays(importing, pointer, `${count} weeks`);
      const days = listOf(rule['triggerAtDay']).map(Number);
      return (days.length === 0 ? [0] : days).map((day) => ({
        every: `${count * 7}d`,
        from: firstAt(day, hour, minute),
      }));
    }
    default:
      return undefined;
  }
}

/** In the week that begins with Sunday, the 4th of January 2026. */
const firstAt = (weekday: number, hour: number, minute: number): string =>
  `2026-01-${padded(4 + weekday)}T${padded(hour)}:${padded(minute)}`;

const padded = (count: number): string => String(count).padStart(2, '0');

/** n8n counts days from the first run after the workflow was switched on, on the clock of its time zone. */
function noteDays(importing: Import, pointer: string, interval: string): void {
  const message = `n8n counts ${interval} from the first run; here \`from\` says which days, and where clocks change, the time moves by an hour.`;
  importing.note('differs', { pointer, message, hint: 'write the day of a run in `from`' });
}

function cronTimesOf(importing: Import, rule: JsonObject, pointer: string): readonly JsonObject[] | undefined {
  const cron = cronOf(rule);
  if (cron === undefined) return undefined;
  if (!isEven(rule)) {
    const counted = `${countOf(rule)} ${fieldOf(rule)}`;
    const message = `n8n counts ${counted} from one run to the next; cron begins anew where the larger unit begins.`;
    importing.note('differs', { pointer, message, hint: 'look at the next times: baton schedules next' });
  }
  return [{ schedule: cron }];
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
    ...defined({ triggerAtMinute: minute }),
    triggerAtHour: hour ?? (mode === 'everyHour' || mode === 'everyMinute' ? 0 : 14),
    ...(weekday === undefined ? {} : { triggerAtDay: [Number(weekday)] }),
    ...defined({ triggerAtDayOfMonth: dayOfMonth }),
  };
}

/** What n8n takes where no interval is given. */
const usualIntervals: Readonly<Record<string, number>> = { seconds: 30, minutes: 5 };

/** Undefined if cron cannot express the interval. */
function cronOf(rule: JsonObject): string | undefined {
  const [field, every] = [fieldOf(rule), countOf(rule)];
  const number = (key: string, usual: number): number => Number(rule[key] ?? usual);
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
      return every === 1 ? `${minute} ${hour} * * *` : undefined;
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
