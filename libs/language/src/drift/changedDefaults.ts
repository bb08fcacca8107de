/**
 * Finds changed defaults: they change what a call does, though each call fits as it did. Baton fills in those of required
 * arguments, and a server may fill in any. The default of an argument that is new changes nothing that the tool was
 * known to do: it is what the tool does without the argument, whether its schema says so or not.
 */
import { excerpt, pointerTo, quoted, resolved, schemasIn, segmentsOf } from '@baton/expressions';
import { canonicalJson, isSameJson, type Json, type JsonSchema } from '@baton/primitives';

import { isPlainMap } from '../fit/schemaParts.ts';
import type { ChangedTool, Doubt } from './changedTool.ts';

export function defaultDoubts(tool: string, { before, now }: ChangedTool): readonly Doubt[] {
  if (isSameJson(before.inputSchema, now.inputSchema)) return [];
  const doubt = (message: string): Doubt => ({ pointer: '', message });
  const [old, fresh] = [placesOf(before.inputSchema), placesOf(now.inputSchema)];
  if (old === undefined || fresh === undefined)
    return [doubt(`The schema of the arguments of ${quoted(tool)} is too involved for its defaults to be compared.`)];
  return changesOf(old, fresh, isPlainMap(now.inputSchema)).map((place) =>
    doubt(
      `${subjectAt(place)} of ${quoted(tool)} has another default: it was ${shown(old.get(place))}, and is ${shown(fresh.get(place))}.`,
    ),
  );
}

const shown = (value: Json | undefined): string => (value === undefined ? 'none' : excerpt(canonicalJson(value), 80));

function subjectAt(place: string): string {
  const [, name = '', ...inside] = segmentsOf(place);
  const argument = `The argument ${quoted(name)}`;
  return inside.length === 0 ? argument : `${argument} (${excerpt(place)})`;
}

/** The default at each place of a schema; a place behind a reference is where the reference stands. */
type Defaults = ReadonlyMap<string, Json | undefined>;

const placesMax = 2_000;

/** Undefined: there are too many places. */
function placesOf(schema: JsonSchema): Defaults | undefined {
  const found = new Map<string, Json | undefined>();
  return addPlaces(found, schema, { root: schema, pointer: '', above: [] }) ? found : undefined;
}

interface Within {
  readonly root: JsonSchema;
  readonly pointer: string;
  /** References that led here: a schema may hold itself. */
  readonly above: readonly string[];
}

function addPlaces(found: Map<string, Json | undefined>, schema: Json, { root, pointer, above }: Within): boolean {
  const definitions = ['$defs', 'definitions'].map((keyword) => `${pointer}/${keyword}/`);
  for (const { schema: one, pointer: at } of schemasIn(schema, pointer)) {
    if (definitions.some((place) => at.startsWith(place))) continue;
    if (found.size > placesMax) return false;
    found.set(at, found.get(at) ?? one['default']);
    const { $ref } = one;
    if (typeof $ref !== 'string' || above.includes($ref)) continue;
    const target = resolved($ref, root) ?? true;
    if (!addPlaces(found, target, { root, pointer: at, above: [...above, $ref] })) return false;
  }
  return true;
}

/** The places whose defaults differ, those of members aside that are new, and of arguments that are gone. */
function changesOf(old: Defaults, fresh: Defaults, isPlain: boolean): readonly string[] {
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((place) => {
    const [from, to] = [old.get(place), fresh.get(place)];
    if ((from === undefined) === (to === undefined) && isSameJson(from, to)) return false;
    if (!fresh.has(place)) return !(isPlain && isArgument(place));
    return old.has(place) || !isNewMember(place, old, fresh);
  });
}

const isArgument = (place: string): boolean => {
  const [keyword, , ...inside] = segmentsOf(place);
  return keyword === 'properties' && inside.length === 0;
};

/** Whether the outermost schema around the place that was not there before is that of a member. */
function isNewMember(place: string, old: Defaults, fresh: Defaults): boolean {
  const segments = segmentsOf(place);
  const length = segments.findIndex((_, i) => {
    const around = pointerTo(segments.slice(0, i + 1));
    return fresh.has(around) && !old.has(around);
  });
  const owner = pointerTo(segments.slice(0, length - 1));
  return segments[length - 1] === 'properties' && old.has(owner) && fresh.has(owner);
}
