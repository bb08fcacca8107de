/** How a run names the steps of a graph. */
import type { GraphNode } from '@baton/language/service';

/** Its id, or its verb and its place among its siblings. */
const stepKeyOf = ({ id, kind, pointer }: GraphNode): string =>
  id ?? `${kind}-${Number(pointer.slice(pointer.lastIndexOf('/') + 1)) + 1}`;

/** By the pointer of the node. */
export const stepKeys = (nodes: readonly GraphNode[]): ReadonlyMap<string, string> =>
  new Map(nodes.filter(({ kind }) => kind !== 'trigger').map((node) => [node.pointer, stepKeyOf(node)]));

/** The lists whose steps stand beside the step that holds them: they are in one frame, and their paths do not tell. */
const sharing: ReadonlySet<GraphNode['lane']['kind']> = new Set(['parallel', 'case', 'group']);

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
