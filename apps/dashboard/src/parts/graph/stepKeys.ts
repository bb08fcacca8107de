/** The key by which a run names a step: its id, or its verb and its place among its siblings. */
import type { GraphNode } from '@baton/language/service';

const stepKeyOf = ({ id, kind, pointer }: GraphNode): string =>
  id ?? `${kind}-${Number(pointer.slice(pointer.lastIndexOf('/') + 1)) + 1}`;

/** By the pointer of the node. */
export const stepKeys = (nodes: readonly GraphNode[]): ReadonlyMap<string, string> =>
  new Map(nodes.filter(({ kind }) => kind !== 'trigger').map((node) => [node.pointer, stepKeyOf(node)]));
