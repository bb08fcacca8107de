/** The child runs of earlier runs from which the children of a rerun go on. */
import type { KeptChild } from './event.ts';
import type { Path } from './path.ts';

/** A linked list that shares its tail, newest first: a run may begin with thousands. */
export interface KeptChildren {
  readonly step: Path;
  readonly child: KeptChild;
  readonly before: KeptChildren | undefined;
}

const maps = new WeakMap<KeptChildren, ReadonlyMap<Path, KeptChild>>();

/** The child run from which the one that the step at `path` requests goes on. */
export function keptChildAt(all: KeptChildren | undefined, path: Path): KeptChild | undefined {
  if (all === undefined) return undefined;
  const known = maps.get(all);
  if (known !== undefined) return known.get(path);
  const map = new Map<Path, KeptChild>();
  for (let at: KeptChildren | undefined = all; at !== undefined; at = at.before)
    if (!map.has(at.step)) map.set(at.step, at.child);
  maps.set(all, map);
  return map.get(path);
}
