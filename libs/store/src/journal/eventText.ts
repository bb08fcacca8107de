/** Events as they are stored: position, time and type as columns, the rest as JSON text. */
import type { RunEvent } from '@baton/engine';
import { FailureError } from '@baton/engine';

/** An event with its position in the journal. */
export interface StoredEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

/** The rest of the event. Throws `FailureError` where it is nested too deeply for JSON. */
export function eventText({ type: _type, at: _at, ...rest }: RunEvent): string {
  try {
    return JSON.stringify(rest);
  } catch (cause) {
    throw new FailureError('limit-exceeded', 'The event is nested too deeply to be stored.', { cause });
  }
}

export const parseEvent = (type: string, at: number, data: string): RunEvent =>
  ({ type, at, ...(JSON.parse(data) as object) }) as RunEvent;
