/** Formats log lines of Baton's processes, which are JSON, for a person at a terminal. */
import { cleanText, isObject } from '@baton/primitives';

import type { Paint } from '../output/output.ts';
import { oneLine } from '../output/text.ts';

/** Said by every line, or without a meaning on this machine. */
const left: ReadonlySet<string> = new Set(['level', 'time', 'name', 'pid', 'hostname', 'msg', 'err']);
const valueCharacters = 200;

/** A line of another kind, such as one of Node, is returned as it is. */
export function logLine(line: string, paint: Paint): string {
  const entry = parsed(line);
  if (entry === undefined) return line;
  const { level, time, name, msg, err } = entry;
  const at = new Date(String(time));
  const clock = Number.isNaN(at.getTime()) ? '' : `${paint.dim(at.toTimeString().slice(0, 8))} `;
  const colour = level === 'error' || level === 'fatal' ? paint.red : paint.yellow;
  const error = isObject(err) ? err : {};
  const cause = [error['message']].filter((text) => typeof text === 'string' && text !== msg);
  const fields = Object.entries(entry).filter(([field]) => !left.has(field));
  const said = fields.map(([field, value]) => `${field}=${valueText(value)}`);
  const text = [typeof msg === 'string' ? msg : '', ...cause].filter((part) => part !== '').join(': ');
  const head = `${clock}${colour(String(level))} ${oneLine(String(name))}: ${oneLine(text)}`;
  const stack = level === 'fatal' && typeof error['stack'] === 'string' ? [cleanText(error['stack'])] : [];
  return [said.length === 0 ? head : `${head} ${paint.dim(oneLine(said.join(' ')))}`, ...stack].join('\n');
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && 'level' in entry && 'time' in entry ? entry : undefined;
  } catch {
    return undefined;
  }
}

const valueText = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, valueCharacters);
