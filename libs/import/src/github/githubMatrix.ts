/** The combinations of a matrix of GitHub Actions, as items of a loop. */
import { childOf, interpolated } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import type { Import } from '../importing.ts';
import { listOf, mapOf, textOf } from '../json.ts';
import { valueOf } from './githubExpressions.ts';
import type { GithubNames } from './githubNames.ts';

/** The limit for one matrix, as on GitHub. */
const jobsMax = 256;

export function combinationsOf(importing: Import, matrix: Json, pointer: string, names: GithubNames): Json {
  if (typeof matrix === 'string') return valueOf(importing, matrix, pointer, names);
  const { include, exclude, ...axes } = mapOf(matrix);
  const computed = Object.entries(axes).find(([, values]) => !Array.isArray(values));
  if (computed !== undefined) {
    const isAlone = Object.keys(axes).length === 1 && include === undefined && exclude === undefined;
    return isAlone
      ? computedAxis(importing, computed, pointer, names)
      : unmapped(importing, `matrix.${computed[0]}`, childOf(pointer, computed[0]), 'other axes are combined with it');
  }
  if (!isListed(include) || !isListed(exclude))
    return unmapped(importing, 'include or exclude', pointer, 'it is computed when the workflow runs');
  const count = Object.values(axes).reduce((product: number, values) => product * listOf(values).length, 1);
  if (count > jobsMax) {
    const message = `A matrix has ${jobsMax} jobs at the most, and this one ${count}.`;
    const hint = 'replace notImported(…) with the list of its combinations';
    importing.note('expression-not-imported', { pointer, at: 'key', message, hint });
    return interpolated('notImported("matrix")');
  }
  return valueOf(importing, combined(axes, listOf(include).map(mapOf), listOf(exclude).map(mapOf)), pointer, names);
}

const isListed = (value: Json | undefined): boolean => value === undefined || Array.isArray(value);

const unmapped = (importing: Import, what: string, pointer: string, why: string): string =>
  interpolated(importing.unmapped(what, pointer, why));

/** One axis, whose values an expression gives. */
function computedAxis(
  importing: Import,
  [name, values]: readonly [string, Json],
  pointer: string,
  names: GithubNames,
): Json {
  const at = childOf(pointer, name);
  const list = valueOf(importing, values, at, names);
  const [, code] = /^\$\{\{ ([^]*) \}\}$/.exec(textOf(list) ?? '') ?? [];
  return code === undefined
    ? unmapped(importing, JSON.stringify(values), at, 'it is no list')
    : interpolated(`${code}.map(one, {${JSON.stringify(name)}: one})`);
}

function combined(axes: JsonObject, include: readonly JsonObject[], exclude: readonly JsonObject[]): JsonObject[] {
  if (Object.keys(axes).length === 0) return [...include];
  const all = Object.entries(axes).reduce<JsonObject[]>(
    (combinations, [name, values]) =>
      combinations.flatMap((one) => listOf(values).map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
  const left = all.filter((one) => !exclude.some((other) => isWithin(other, one)));
  const grown = left.map((one): JsonObject => {
    const added = include.filter((other) => fitsAxes(other, one, axes));
    return Object.assign({}, one, ...added) as JsonObject;
  });
  return [...grown, ...include.filter((other) => !left.some((one) => fitsAxes(other, one, axes)))];
}

const isWithin = (part: JsonObject, whole: JsonObject): boolean =>
  Object.entries(part).every(([key, value]) => JSON.stringify(whole[key]) === JSON.stringify(value));

/** An entry of `include` adds to the combinations whose axes it does not change. */
function fitsAxes(entry: JsonObject, one: JsonObject, axes: JsonObject): boolean {
  const shared = Object.entries(entry).filter(([key]) => Object.hasOwn(axes, key));
  return shared.every(([key, value]) => JSON.stringify(one[key]) === JSON.stringify(value));
}
