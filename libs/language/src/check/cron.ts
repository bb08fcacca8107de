/** Cron expressions, read by croner. Those that depend on the moment of reading are refused. */
import { quoted, type Span } from '@baton/expressions';
import { Cron } from 'croner';

import { respellDuration } from '../document/duration.ts';
import { pointInTime } from '../schedule/times.ts';

export type CronProblem = {
  readonly code: 'cron-syntax' | 'cron-never';
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  /** Place in the text; absent: all of it. */
  readonly within?: Span;
  readonly hint?: string;
};

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** The fields in order; five fields begin with the minute. */
const fieldNames = ['second', 'minute', 'hour', 'day of the month', 'month', 'weekday'] as const;

const ranges: Readonly<Record<(typeof fieldNames)[number], string>> = {
  second: '0 to 59',
  minute: '0 to 59',
  hour: '0 to 23',
  'day of the month': '1 to 31, or L for the last',
  month: '1 to 12, or JAN to DEC',
  weekday: '0 to 7 (0 and 7 are Sunday), or SUN to SAT',
};

/** Any instant will do: a schedule that never fires after it never fires. */
const someInstant = new Date(Date.UTC(2024, 0, 1));

/** The problems of a schedule, in the order of its fields; empty: it can be used. */
export function cronProblems(written: string): readonly CronProblem[] {
  const problem = formProblem(written.trim());
  if (problem !== undefined) return [problem];
  const wrong = wrongParts(written);
  if (wrong.length > 0) return wrong;
  if (readCron(written.trim())?.nextRun(someInstant) !== null) return [];
  return [{ code: 'cron-never', message: 'This schedule never fires: there is no such date.' }];
}

function formProblem(pattern: string): CronProblem | undefined {
  const code = 'cron-syntax';
  const equivalent = nicknames[pattern.toLowerCase()];
  if (pattern.startsWith('@')) {
    const message = 'A schedule is written in fields; names such as this are not taken.';
    return { code, message, ...(equivalent === undefined ? {} : { hint: `"${equivalent}"` }) };
  }
  const other = otherTrigger(pattern);
  if (other !== undefined) return { code, message: 'A schedule is cron of five or six fields.', hint: other };
  const fields = pattern === '' ? 0 : pattern.split(/\s+/).length;
  if (fields !== 5 && fields !== 6) {
    const message = `A schedule has five or six fields, and this has ${fields}.`;
    return { code, message, hint: '"0 6 * * 1-5": minute, hour, day, month, weekday; seconds before them' };
  }
  return pattern.includes('?')
    ? { code, message: '`?` stands for the moment of reading and is not taken.', hint: 'write `*`' }
    : undefined;
}

/** The trigger that an interval or a point in time is written as. */
function otherTrigger(pattern: string): string | undefined {
  const interval = respellDuration(pattern.replace(/^every\s+/i, ''));
  if (interval !== undefined) return `\`- every: ${interval}\``;
  const at = pattern.replace(/^at\s+/i, '');
  return pointInTime(at, 'UTC') === undefined ? undefined : `\`- at: ${at}\``;
}

/** Undefined if it cannot be read. */
function readCron(pattern: string): Cron | undefined {
  try {
    return new Cron(pattern, { paused: true, timezone: 'UTC', mode: '5-or-6-parts' });
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The parts that cannot be read: each field is tried alone, and of a wrong field each part between its commas. */
function wrongParts(written: string): CronProblem[] {
  if (readCron(written.trim()) !== undefined) return [];
  const fields = [...written.matchAll(/\S+/g)];
  return fields.flatMap(({ 0: field, index }, at) => {
    const isReadable = (part: string): boolean =>
      readCron(fields.map((_, i) => (i === at ? part : '*')).join(' ')) !== undefined;
    if (isReadable(field)) return [];
    const parts = [...field.matchAll(/[^,]+/g)].filter(([part]) => !isReadable(part));
    // A field such as `1,,2` is wrong, and its parts are not.
    const wrong = parts.length === 0 ? [{ 0: field, index: 0 }] : parts;
    return wrong.map(({ 0: part, index: from }) =>
      wrongPart(fieldNames[at + fieldNames.length - fields.length] ?? 'second', part, index + from),
    );
  });
}

const wrongPart = (name: (typeof fieldNames)[number], part: string, from: number): CronProblem => ({
  code: 'cron-syntax',
  message: `${quoted(part)} cannot be the ${name} of a schedule.`,
  expected: `${ranges[name]}; also *, a range 1-5, a list 1,3 or a step */5`,
  found: part,
  within: [from, from + part.length],
});

/** A schedule that can be used, and probably means something else than its author thinks. */
export function cronDoubt(written: string): CronDoubt | undefined {
  const fields = written.trim().split(/\s+/);
  if (/^\*(\/1)?( \*){5}$/.test(fields.join(' '))) {
    return {
      code: 'cron-every-second',
      message: 'This schedule fires every second.',
      hint: 'five fields begin with the minute',
    };
  }
  const [day = '', month = '', weekday = ''] = fields.slice(-3);
  const isEither = day !== '*' && weekday !== '*' && !weekday.startsWith('+');
  if (!isEither) return undefined;
  const before = fields.slice(0, -3).join(' ');
  const nth = weekOf[day];
  const both = `\`${before} ${day} ${month} +${weekday}\``;
  const meant = nth !== undefined && /^\w+$/.test(weekday) ? `\`${before} * ${month} ${weekday}#${nth}\`` : both;
  return {
    code: 'cron-day-or-weekday',
    message: `The day ${quoted(day)} and the weekday ${quoted(weekday)} are joined with "or": this fires on each of those days, and on each of those weekdays.`,
    expected: 'a day of the month or a weekday, and `*` for the other',
    hint: `for days that are both, write ${meant}; for either, write two schedules`,
  };
}

type CronDoubt = Pick<CronProblem, 'message' | 'expected' | 'hint'> & {
  readonly code: 'cron-every-second' | 'cron-day-or-weekday';
};

/** Days of the month in which each weekday comes once, and the how many-th it is there. */
const weekOf: Readonly<Record<string, number>> = { '1-7': 1, '8-14': 2, '15-21': 3, '22-28': 4 };
