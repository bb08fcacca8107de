/** Maps the nodes of a graph to the step keys of a run. */
import type { GraphNode } from '@baton/editor-service';

/** The id of the step, or its verb and its position among its siblings. */
const stepKeyOf = ({ id, kind, pointer }: GraphNode): string =>
  id ?? `${kind}-${Number(pointer.slice(pointer.lastIndexOf('/') + 1)) + 1}`;

/** Step keys by the pointer of the node. */
export const stepKeys = (nodes: readonly GraphNode[]): ReadonlyMap<string, string> =>
  new Map(nodes.filter(({ kind }) => kind !== 'trigger').map((node) => [node.pointer, stepKeyOf(node)]));

/** Lists whose steps share the frame of the step that contains them, so that paths do not show the nesting. */
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
