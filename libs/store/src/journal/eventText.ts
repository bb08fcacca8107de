/** Converts events to and from their stored form: position, time and type as columns, the rest as JSON text. */
import { type RunEvent, FailureError } from '@baton/engine';

/** An event with its position in the journal. */
export interface StoredEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

/** The JSON text of an event without type and time. Throws `FailureError` where it is nested too deeply. */
export function eventText({ type: _type, at: _at, ...rest }: RunEvent): string {
  try {
    return JSON.stringify(rest);
  } catch (cause) {
    throw new FailureError('limit-exceeded', 'The event is nested too deeply to be stored.', { cause });
  }
}

export const parseEvent = (type: string, at: number, data: string): RunEvent =>
  ({ type, at, ...(JSON.parse(data) as object) }) as RunEvent;

// Postgres cannot parse JSON in which a text has a NUL or half of a surrogate pair, and servers may send those. So these
// columns are searched for in the text of an event, in which the path of a step comes first.
const jsonText = String.raw`"(?:[^"\\]|\\.)*"`;

/** SQL that extracts from the column `data` a JSON text, digits, or null. */
export const pathColumn = String.raw`substring(data::text, '^\{"path":(${jsonText})')`;
/** `pathColumn` of a table with this name in the statement. */
export const pathColumnOf = (table: string): string => pathColumn.replace('data::', `${table}.data::`);
export const attemptColumn = `substring(data::text, '"attempt":([0-9]+)')`;
export const failureCodeColumn = String.raw`substring(data::text, '"failure":\{"code":(${jsonText})')`;
