/** Parsers of option values. */
import { InvalidArgumentError } from 'commander';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

export function countArgument(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 10_000) return count;
  throw new InvalidArgumentError('Expected a whole number from 1 to 10000.');
}

/** A limit of a key; the server knows how large it may be. */
export function limitArgument(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number.');
}

/** A version of a workflow: `3`, or `latest`. */
export function versionArgument(text: string): number | 'latest' {
  if (text === 'latest' || /^[1-9]\d{0,8}$/.test(text)) return text === 'latest' ? text : Number(text);
  throw new InvalidArgumentError('Expected the number of a version, or latest.');
}

/** A name has no dots, and begins with no slash; everything else is a file. */
export const namePattern = /^([a-z0-9][a-z0-9-]*(?:\/[a-z0-9][a-z0-9-]*)*)(?:@([1-9]\d{0,8}))?$/;

/** `brief`, or `brief@3` for version 3. A text of another form is a name, and the API reports it. */
export function targetOf(text: string): { readonly workflow: string; readonly version?: number } {
  const [, workflow = text, number] = namePattern.exec(text) ?? [];
  return number === undefined ? { workflow } : { workflow, version: Number(number) };
}

/** For options that can be repeated. */
export const repeated = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** A duration, as in workflows: `250ms`, `30s`, `5m`, `2h`. Undefined for undefined; rejects with `CommandError`. */
export async function durationOption(name: string, text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const { durationMs } = await import('@baton/language');
  const ms = durationMs(text);
  // Timers have this maximum.
  if (ms !== undefined && ms > 0 && ms < 2 ** 31) return ms;
  throw new CommandError(exitCodes.usage, `${name} is "${text.slice(0, 80)}", which is not a duration.`, {
    hint: 'write it as 500ms, 30s or 5m; the maximum is 24d',
  });
}
