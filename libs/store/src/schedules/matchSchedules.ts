/**
 * Finds out which schedules of a new version are those of the version before, so that what Baton keeps about a schedule
 * follows the one that the author means, at any place in the file. Pure.
 */

/** A schedule that is stored. */
export interface KnownSchedule {
  readonly id: string;
  /** Its names before. */
  readonly formerly: readonly string[];
  /** Key of its trigger: `schedule-<place>`. */
  readonly trigger: string;
  readonly times: string;
  readonly timezone: string;
  /** Digest of its inputs as they are written; null: unknown. */
  readonly inputs: string | null;
  readonly removedAt: Date | null;
}

/** A schedule of the new version. */
export interface WantedSchedule {
  readonly key: string;
  /** What its author calls it. */
  readonly id?: string;
  readonly times: string;
  readonly timezone: string;
  readonly inputs: string;
}

export interface MatchedSchedule<Known, Wanted> {
  readonly id: string;
  readonly wanted: Wanted;
  /** Undefined: it is new. */
  readonly before: Known | undefined;
}

type Test = (known: KnownSchedule, wanted: WantedSchedule) => boolean;

const isLive: Test = ({ removedAt }) => removedAt === null;
const hasSameTimes: Test = (known, { times, timezone }) => known.times === times && known.timezone === timezone;
const isEqual: Test = (known, wanted) => hasSameTimes(known, wanted) && known.inputs === wanted.inputs;
const isUnnamed: Test = ({ id }, wanted) => wanted.id === undefined && numberIn(id) !== undefined;
/** Of two names that authors gave, each means a schedule of its own. */
const mayBeSame: Test = ({ id }, wanted) => wanted.id === undefined || numberIn(id) !== undefined;

const allOf =
  (...tests: readonly Test[]): Test =>
  (known, wanted) =>
    tests.every((test) => test(known, wanted));

/** In this order; what is left is matched by its place. */
const tests: readonly Test[] = [
  ({ id }, wanted) => wanted.id !== undefined && nameIn(id) === wanted.id,
  allOf(isLive, isEqual, isUnnamed),
  allOf(isLive, isEqual),
  allOf(isLive, hasSameTimes, mayBeSame),
  // One that was removed and comes back.
  isEqual,
];

/** In order of `wanted`. Stored schedules that are not in the result are gone. */
export function matchSchedules<Known extends KnownSchedule, Wanted extends WantedSchedule>(
  workflow: string,
  stored: readonly Known[],
  wanted: readonly Wanted[],
): readonly MatchedSchedule<Known, Wanted>[] {
  const left = new Set(stored.toSorted(inOrder));
  const found = new Map<Wanted, Known>();
  const pair = (one: Wanted, known: Known | undefined): void => {
    if (known === undefined) return;
    found.set(one, known);
    left.delete(known);
  };
  for (const test of tests) {
    for (const one of wanted)
      if (!found.has(one))
        pair(
          one,
          [...left].find((known) => test(known, one)),
        );
  }
  const [oldPlaces, newPlaces] = [placesOf([...stored].toSorted(inOrder), found), wantedPlaces(wanted, found)];
  for (const one of wanted) {
    const place = newPlaces.get(one);
    const isAtPlace = (known: Known): boolean =>
      isLive(known, one) && isUnnamed(known, one) && oldPlaces.get(known) === place;
    if (!found.has(one)) pair(one, [...left].find(isAtPlace));
  }
  return named(workflow, stored, wanted, found);
}

/** Living ones in order of their places, then those that were removed, the last one first. */
function inOrder(one: KnownSchedule, other: KnownSchedule): number {
  if (one.removedAt === null && other.removedAt === null) return placeIn(one) - placeIn(other);
  return (other.removedAt?.getTime() ?? Infinity) - (one.removedAt?.getTime() ?? Infinity);
}

const placeIn = ({ trigger }: KnownSchedule): number => Number(/\d+$/.exec(trigger)?.[0] ?? 0);

/** For each stored schedule the id of the last one before it that was found in the new version. */
function placesOf<Known extends KnownSchedule>(
  stored: readonly Known[],
  found: ReadonlyMap<unknown, Known>,
): ReadonlyMap<Known, string> {
  const kept = new Set(found.values());
  let last = '';
  const places = new Map<Known, string>();
  for (const known of stored) {
    places.set(known, last);
    if (kept.has(known)) last = known.id;
  }
  return places;
}

/** The same for each schedule of the new version. */
function wantedPlaces<Wanted>(
  wanted: readonly Wanted[],
  found: ReadonlyMap<Wanted, KnownSchedule>,
): ReadonlyMap<Wanted, string> {
  let last = '';
  return new Map(
    wanted.map((one) => {
      const place = last;
      last = found.get(one)?.id ?? last;
      return [one, place];
    }),
  );
}

/** A new schedule without a name gets a number that no schedule of the workflow has, or had. */
function named<Known extends KnownSchedule, Wanted extends WantedSchedule>(
  workflow: string,
  stored: readonly Known[],
  wanted: readonly Wanted[],
  found: ReadonlyMap<Wanted, Known>,
): readonly MatchedSchedule<Known, Wanted>[] {
  const names = [
    ...stored.flatMap(({ id, formerly }) => [id, ...formerly]),
    ...wanted.flatMap(({ id }) => (id === undefined ? [] : [`${workflow}.${id}`])),
  ];
  let last = Math.max(0, ...names.map((name) => numberIn(name) ?? 0));
  return wanted.map((one) => {
    const before = found.get(one);
    if (one.id !== undefined) return { id: `${workflow}.${one.id}`, wanted: one, before };
    if (before !== undefined) return { id: before.id, wanted: one, before };
    last += 1;
    return { id: `${workflow}.schedule-${last}`, wanted: one, before };
  });
}

const nameIn = (id: string): string => id.slice(id.indexOf('.') + 1);

/** The number of a schedule that its author gave no name. */
function numberIn(id: string): number | undefined {
  const number = /^schedule-(\d{1,9})$/.exec(nameIn(id))?.[1];
  return number === undefined ? undefined : Number(number);
}
