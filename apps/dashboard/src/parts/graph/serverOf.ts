import type { GraphNode } from '@baton/editor-service';

const calls: ReadonlySet<GraphNode['kind']> = new Set(['tool', 'prompt', 'resource']);

/** The server that a node calls, which its label begins with; undefined for a node that calls none. */
export const serverOf = ({ kind, label }: GraphNode): string | undefined =>
  calls.has(kind) && label !== kind ? label.split(/[/ ]/)[0] : undefined;
