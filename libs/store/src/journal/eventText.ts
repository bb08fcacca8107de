/** Converts events to and from their stored form: position, time and type as columns, the rest as JSON text. */
import { type RunEvent, FailureError } from '@baton/engine';

/** An event with its position in the journal. */
export interface StoredEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

/** The JSON text of an event without type and time; path and verb of a step come first. Throws `FailureError` where it is nested too deeply. */
export function eventText({ type: _type, at: _at, ...rest }: RunEvent): string {
  try {
    return JSON.stringify({ path: undefined, verb: undefined, ...rest });
  } catch (cause) {
    throw new FailureError('limit-exceeded', 'The event is nested too deeply to be stored.', { cause });
  }
}

export const parseEvent = (type: string, at: number, data: string): RunEvent =>
  ({ type, at, ...(JSON.parse(data) as object) }) as RunEvent;

// Postgres cannot parse JSON in which a text has a NUL or half of a surrogate pair, and servers may send those: `->` fails
// then, whichever member it asks for. So these columns are searched for in the text of an event, in which the path of a
// step comes first. What people, servers and models wrote may look like members, but not before Baton's own.
const jsonText = String.raw`"(?:[^"\\]|\\.)*"`;

/** SQL that extracts from the column `data` a JSON text, digits, or null. */
export const pathColumn = String.raw`substring(data::text, '^\{"path":(${jsonText})')`;
/** `pathColumn` of a table with this name in the statement. */
export const pathColumnOf = (table: string): string => pathColumn.replace('data::', `${table}.data::`);
export const attemptColumn = `substring(data::text, '"attempt":([0-9]+)')`;
/** Of the end of a call: whose login it used, as JSON; null where that is not said. */
export const loginColumn = String.raw`substring(data::text, '^\{"path":${jsonText}(?:,"verb":"[a-z]+")?,"attempt":[0-9]+(?:,"session":${jsonText})?,"login":(${jsonText})')`;
/** Of a `step.waiting`: its call had begun, and was not sent. */
export const missedTurnText = `data::text like '%,"missedTurn":true}'`;
/** Of a `step.started` or `step.waiting`. */
export const isToolText = String.raw`data::text ~ '^\{"path":${jsonText},"verb":"tool",'`;
/** Of a `child.finished`; null where it says nothing of it. */
export const toolCallsColumn = String.raw`substring(right(data::text, 300), '"spent":\{"toolCalls":([0-9]+),[^{}]*\}[^{}]*\}$')::int`;
/** Of a `run.requested`: it runs one item of another run. */
export const isPartText = `split_part(data::text, ',"inputs":', 1) like '%,"part":{%'`;
/** Older failures of calls of unknown outcome name their step first. */
const stepBefore = `(?:"step":${jsonText},)?`;
/** The code of the failure of a `run.finished`, as JSON; null where it succeeded. */
export const endCodeColumn = String.raw`substring(data::text, '^\{"status":"[a-z]+","failure":\{${stepBefore}"code":(${jsonText})')`;
export const failureCodeColumn = String.raw`substring(data::text, '"failure":\{${stepBefore}"code":(${jsonText})')`;

/**
 * A column as JSON that Postgres can read, for what is asked of small values: each character that is written as its number
 * becomes a question mark.
 */
export const readableJson = (column: string): string =>
  String.raw`regexp_replace(${column}::text, '(?<!\\)((?:\\\\)*)\\u[0-9a-fA-F]{4}', '\1?', 'g')::json`;
