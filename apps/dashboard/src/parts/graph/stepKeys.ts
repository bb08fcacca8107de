/** Maps the nodes of a graph to the step keys of a run. */
import type { GraphNode } from '@baton/editor-service';

/** The id of the step, or its verb and its position among its siblings. */
const stepKeyOf = ({ id, kind, pointer }: GraphNode): string =>
  id ?? `${kind}-${Number(pointer.slice(pointer.lastIndexOf('/') + 1)) + 1}`;

/** Step keys by the pointer of the node. */
export function stepKeys(nodes: readonly GraphNode[]): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  // A step comes before what is inside it.
  for (const node of nodes.filter(({ kind }) => kind !== 'trigger')) keys.set(node.pointer, keyAmong(keys, node));
  return keys;
}

function keyAmong(keys: ReadonlyMap<string, string>, node: GraphNode): string {
  const { lane, pointer, parent } = node;
  if (lane.kind !== 'ensure' && lane.label !== 'ensure') return stepKeyOf(node);
  const key = `ensure.${Number(pointer.slice(pointer.lastIndexOf('/') + 1)) + 1}`;
  return parent === undefined ? key : `${keys.get(parent)}.${key}`;
}

/** The key, as `stepKeys` has it, of the step at a path; the reads of an `ensure` are a part of it. */
export function keyInGraph(path: string): string {
  const [, owner = '', entry] = /(?:^|\/)(?:([^/]+)\/@ensure\/)?([^/]*\bensure\.\d+)(?:\/\d+\/.*)?$/.exec(path) ?? [];
  if (entry === undefined) return path.slice(path.lastIndexOf('/') + 1);
  return owner === '' ? entry : `${owner}.${entry}`;
}

/** Lists whose steps share the frame of the step that contains them, so that paths do not show the nesting. */
const sharing: ReadonlySet<GraphNode['lane']['kind']> = new Set(['parallel', 'case', 'group', 'ensure']);

/** By the key of a step: the key of the `parallel`, `switch` or group that holds it. */
export function holdersOf(nodes: readonly GraphNode[]): ReadonlyMap<string, string> {
  const keys = stepKeys(nodes);
  return new Map(
    nodes.flatMap(({ pointer, parent, lane }) => {
      const [key, holder] = [keys.get(pointer), keys.get(parent ?? '')];
      return key === undefined || holder === undefined || !sharing.has(lane.kind) ? [] : [[key, holder] as const];
    }),
  );
}
