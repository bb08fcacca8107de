/** What the author wrote about the steps of a run: their titles, from the version that ran. */
import type { Run } from '@baton/engine';
import type { WorkflowGraph } from '@baton/language/service';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { useWorkflow } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { checker } from '../editor/checker.ts';
import type { KnownWorld } from '../editor/checkerCalls.ts';
import { holdersOf, stepKeys } from '../parts/graph/stepKeys.ts';

const noNames: ReadonlyMap<string, string> = new Map();

export interface RunOutline {
  /** By the key of the step, where that is the only step of its key. */
  readonly titles: ReadonlyMap<string, string>;
  /** By the key of a step: the key of the `parallel`, `switch` or group that holds it. */
  readonly holders: ReadonlyMap<string, string>;
  readonly graph: WorkflowGraph | undefined;
  readonly isLoading: boolean;
}

/** What a version knows of the tools that it calls: each pin holds an effect, and who decided it. */
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

export function useRunOutline({ workflow, version }: Pick<Run, 'workflow' | 'version'>): RunOutline {
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
  return { titles, holders, graph, isLoading: isLoading || isDrawing };
}
