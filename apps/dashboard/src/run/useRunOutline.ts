/** Reads titles and nesting of steps from the run's version of the workflow. */
import type { WorkflowGraph } from '@baton/editor-service';
import type { Run } from '@baton/engine';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { useWorkflow } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { checker } from '../editor/checker.ts';
import type { KnownWorld } from '../editor/checkerCalls.ts';
import { holdersOf, stepKeys } from '../parts/graph/stepKeys.ts';
import { type PlannedStep, plannedOf } from './planned.ts';

const noNames: ReadonlyMap<string, string> = new Map();

export interface RunOutline {
  /** Titles by the key of the step, for unique keys. */
  readonly titles: ReadonlyMap<string, string>;
  /** The key of the `parallel`, `switch` or group around a step, by the key of the step. */
  readonly holders: ReadonlyMap<string, string>;
  readonly planned: readonly PlannedStep[];
  readonly graph: WorkflowGraph | undefined;
  readonly isLoading: boolean;
}

/** A version's source and pins. A pin holds the effect of a tool, and who decided it. */
interface PinnedText {
  readonly source: string;
  readonly pins: unknown;
}

export function useGraphOf(version: PinnedText | undefined) {
  return useQuery({
    queryKey: ['graph', version?.source, version?.pins],
    queryFn: () => checker.graph(version?.source ?? '', { effects: version?.pins as KnownWorld['effects'] & object }),
    enabled: version !== undefined,
    staleTime: Infinity,
  });
}

export function useRunOutline({ workflow, version, part }: Pick<Run, 'workflow' | 'version' | 'part'>): RunOutline {
  const mayRead = useMay('runs:read', 'runs:write', 'workflows:write');
  const { data, isLoading } = useWorkflow(version === undefined || !mayRead ? undefined : workflow, version);
  const { data: graph, isLoading: isDrawing } = useGraphOf(data);
  const titles = useMemo(() => {
    if (graph === undefined) return noNames;
    const keys = stepKeys(graph.nodes);
    return new Map(
      graph.nodes.flatMap(({ pointer, title }) => {
        const key = keys.get(pointer);
        return title === undefined || key === undefined ? [] : [[key, title] as const];
      }),
    );
  }, [graph]);
  const holders = useMemo(() => (graph === undefined ? noNames : holdersOf(graph.nodes)), [graph]);
  // The run of an item carries out a part of the workflow only.
  const isWhole = part === undefined;
  const planned = useMemo(() => plannedOf(isWhole ? (graph?.nodes ?? []) : []), [graph, isWhole]);
  return { titles, holders, planned, graph, isLoading: isLoading || isDrawing };
}
