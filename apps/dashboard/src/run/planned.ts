/** Steps that every run of the workflow comes to unless it fails: none of a case, of a loop or of a handler. */
import type { GraphNode } from '@baton/editor-service';

import { stepKeys } from '../parts/graph/stepKeys.ts';

export interface PlannedStep {
  readonly path: string;
  /** The path of the `parallel` or group that holds it; at the top, the name of its frame. */
  readonly around: string;
}

const frames: Readonly<Record<string, string>> = { steps: '', ensure: '', finally: '@finally' };

/** An `ensure` of a group comes after its steps; one of a step belongs to the step. */
const isHeld = ({ lane: { kind } }: GraphNode, holder: GraphNode | undefined): boolean =>
  kind === 'parallel' || kind === 'group' || (kind === 'ensure' && holder?.kind === 'steps');

/** In the order of the text. */
export function plannedOf(nodes: readonly GraphNode[]): PlannedStep[] {
  const keys = stepKeys(nodes);
  const known = new Map(nodes.map((node) => [node.pointer, node]));
  const places = new Map<string, PlannedStep & { readonly frame: string }>();
  for (const node of nodes) {
    const { pointer, parent, lane } = node;
    const holder = isHeld(node, known.get(parent ?? '')) ? places.get(parent ?? '') : undefined;
    const frame = lane.kind === 'root' ? frames[lane.label ?? ''] : holder?.frame;
    const key = keys.get(pointer);
    if (frame === undefined || key === undefined) continue;
    places.set(pointer, { path: frame === '' ? key : `${frame}/${key}`, around: holder?.path ?? frame, frame });
  }
  return [...places.values()].map(({ path, around }) => ({ path, around }));
}
