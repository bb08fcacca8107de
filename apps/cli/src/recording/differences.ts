/** What came out, held against what was recorded. */
import type { Json } from '@baton/language';

export interface RecordingDifference {
  /** Whole, where there are no values to be shown. */
  readonly message: string;
  /** Of the step it is about. */
  readonly path?: string;
  /** Where the values stand: `with.items[0]`, `outputs.summary`. */
  readonly at?: string;
  readonly expected?: Json | undefined;
  readonly found?: Json | undefined;
}

/** In one value, so many are told. */
const leavesMax = 20;

/** The innermost places where two values are not the same; a member that is missing is undefined. */
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
