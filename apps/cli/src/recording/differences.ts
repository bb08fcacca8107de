/** Compares a replay with its recording. */
import type { Json } from '@baton/primitives';

export interface RecordingDifference {
  /** A whole sentence if there are no values to show. */
  readonly message: string;
  /** The path of the step. */
  readonly path?: string;
  /** The place of the values: `with.items[0]`, `outputs.summary`. */
  readonly at?: string;
  readonly expected?: Json | undefined;
  readonly found?: Json | undefined;
}

/** The maximum of differences in one value. */
const leavesMax = 20;

/** The innermost places where two values differ; a missing member is undefined. */
export function differencesIn(
  expected: Json,
  found: Json,
  at: string,
): Pick<RecordingDifference, 'at' | 'expected' | 'found'>[] {
  const all: Pick<RecordingDifference, 'at' | 'expected' | 'found'>[] = [];
  const compare = (a: Json | undefined, b: Json | undefined, place: string): void => {
    if (all.length >= leavesMax || a === b) return;
    const [members, others] = [membersOf(a), membersOf(b)];
    if (members === undefined || others === undefined || Array.isArray(a) !== Array.isArray(b)) {
      all.push({ at: place, expected: a, found: b });
      return;
    }
    for (const name of new Set([...members.keys(), ...others.keys()])) {
      compare(members.get(name), others.get(name), Array.isArray(a) ? `${place}[${name}]` : `${place}.${name}`);
    }
  };
  compare(expected, found, at);
  return all;
}

function membersOf(value: Json | undefined): ReadonlyMap<string, Json> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}
