/** Cron expressions, read by croner. Those that depend on the moment of reading are refused. */
import { Cron } from 'croner';

import { excerpt } from '../source/excerpt.ts';

export type CronProblem = {
  readonly code: 'cron-syntax' | 'cron-never';
  readonly message: string;
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

/** Any instant will do: a schedule that never fires after it never fires. */
const someInstant = new Date(Date.UTC(2024, 0, 1));

export function cronProblem(written: string): CronProblem | undefined {
  const pattern = written.trim();
  const equivalent = nicknames[pattern.toLowerCase()];
  if (pattern.startsWith('@')) {
    const message = 'A schedule is written in fields; names such as this are not taken.';
    return { code: 'cron-syntax', message, ...(equivalent === undefined ? {} : { hint: `"${equivalent}"` }) };
  }
  const fields = pattern === '' ? 0 : pattern.split(/\s+/).length;
  if (fields !== 5 && fields !== 6) {
    const message = `A schedule has five or six fields, and this has ${fields}.`;
    return {
      code: 'cron-syntax',
      message,
      hint: '"0 6 * * 1-5": minute, hour, day, month, weekday; seconds before them',
    };
  }
  if (pattern.includes('?')) {
    return {
      code: 'cron-syntax',
      message: '`?` stands for the moment of reading and is not taken.',
      hint: 'write `*`',
    };
  }
  return firstInstant(pattern);
}

function firstInstant(pattern: string): CronProblem | undefined {
  let cron: Cron;
  try {
    cron = new Cron(pattern, { paused: true, timezone: 'UTC', mode: '5-or-6-parts' });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { code: 'cron-syntax', message: `The schedule cannot be read: ${said(error.message)}.` };
  }
  if (cron.nextRun(someInstant) !== null) return undefined;
  return { code: 'cron-never', message: 'This schedule never fires: there is no such date.' };
}

const said = (message: string): string => excerpt(message.replace(/^CronPattern: /, '').replace(/\.$/, ''));

/** Every second, in effect. */
export const firesEverySecond = (pattern: string): boolean => /^\s*\*(\/1)?\s+(\*\s+){4}\*\s*$/.test(pattern);
