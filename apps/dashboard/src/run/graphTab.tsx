/** Draws the run's version of the workflow, with the states of its steps at the shown moment. */
import { useMemo } from 'react';

import { GraphSkeleton, GraphView } from '../parts/graph/graphView.tsx';
import { keyInGraph, stepKeys } from '../parts/graph/stepKeys.ts';
import { Empty } from '../parts/notes.tsx';
import type { RunMoment } from './fold.ts';
import { worstOf } from './timeline/worstStatus.ts';
import { useRunOutline } from './useRunOutline.ts';

interface GraphTabProps {
  readonly moment: RunMoment;
  readonly chosen: string | undefined;
  readonly onStep: (path: string) => void;
}

export function GraphTab({ moment, chosen, onStep }: GraphTabProps) {
  const { graph, isLoading } = useRunOutline(moment.run);
  const byKey = useMemo(() => Map.groupBy(moment.trace.steps, ({ path }) => keyInGraph(path)), [moment]);
  if (isLoading) return <GraphSkeleton />;
  if (graph === undefined) {
    return (
      <Empty title="There is no graph of this run">Its workflow was sent with the request, or may not be read.</Empty>
    );
  }
  const keys = stepKeys(graph.nodes);
  const chosenKey = chosen && keyInGraph(chosen);
  // A trigger has no key.
  const chosenNode = chosenKey && graph.nodes.find(({ pointer }) => keys.get(pointer) === chosenKey);
  return (
    <GraphView
      graph={graph}
      chosen={chosenNode ? chosenNode.pointer : undefined}
      look={(pointer) => {
        const steps = byKey.get(keys.get(pointer) ?? '') ?? [];
        return {
          status: worstOf(steps),
          note: steps.length > 1 ? `${steps.length.toLocaleString('en')} ×` : undefined,
        };
      }}
      onChoose={(pointer) => {
        const [step] = byKey.get(keys.get(pointer) ?? '') ?? [];
        if (step !== undefined) onStep(step.path);
      }}
    />
  );
}
