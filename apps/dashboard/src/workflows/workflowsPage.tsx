/** The list of deployed workflows, with their last runs. */
import { type WorkflowInList, type WorkflowStats, nameInPath } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Play } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { useStatsOfWorkflows } from '../api/figures.ts';
import { useWorkflows } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { useSorted } from '../parts/sortedBy.ts';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { RunDialog } from './runDialog.tsx';
import { RunDots, StatFigures, successOf } from './runDots.tsx';

import './workflows.css';

export function WorkflowsPage() {
  const { data, error, isPending } = useWorkflows();
  const mayWrite = useMay('workflows:write');
  const { data: schedules = [] } = useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => Array.fromAsync(client.schedules.all(undefined, { signal })),
  });
  const [running, setRunning] = useState<string>();
  const stats = useStatsOfWorkflows((data ?? []).map(({ id }) => id));
  const nextOf = (id: string): string | undefined =>
    schedules.flatMap(({ workflow, next }) => (workflow === id ? next : [])).toSorted()[0];
  const { rows, ...sort } = useSorted(data ?? [], {
    Workflow: ({ id }) => id,
    Succeeded: ({ id }) => successIn(stats.get(id)),
    p50: ({ id }) => stats.get(id)?.p50Ms,
    p95: ({ id }) => stats.get(id)?.p95Ms,
    Next: ({ id }) => nextOf(id),
    Deployed: ({ deployedAt }) => deployedAt,
  });
  return (
    <>
      <PageHead
        title="Workflows"
        actions={
          mayWrite && (
            <Link href="/new" className="btn main-btn">
              <Pencil size={13} /> Write a workflow
            </Link>
          )
        }
      />
      <div className="body flush">
        {isPending && <Skeleton />}
        <ProblemNote error={error} />
        {data?.length === 0 && (
          <Empty title="No workflow is deployed" command="npx baton init">
            Write a first one from the command line, or here.
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <Table
            look="workflows"
            heads={[
              'Workflow',
              'Last runs',
              ['Succeeded', 'wide-only right'],
              ['p50', 'wide-only right'],
              ['p95', 'wide-only right'],
              ['Next', 'wide-only'],
              ['Deployed', 'very-wide-only'],
            ]}
            sort={{ ...sort, columns: ['Workflow', 'Succeeded', 'p50', 'p95', 'Next', 'Deployed'] }}
            hasActions
          >
            {rows.map((workflow) => (
              <WorkflowRow
                key={workflow.id}
                workflow={workflow}
                stats={stats.get(workflow.id)}
                next={nextOf(workflow.id)}
                onRun={() => setRunning(workflow.id)}
              />
            ))}
          </Table>
        )}
      </div>
      {running !== undefined && <RunDialog id={running} onClose={() => setRunning(undefined)} />}
    </>
  );
}

const successIn = (stats: WorkflowStats | undefined): number | undefined => stats && successOf(stats);

interface WorkflowRowProps {
  readonly workflow: WorkflowInList;
  readonly stats: WorkflowStats | undefined;
  readonly next: string | undefined;
  readonly onRun: () => void;
}

function WorkflowRow({ workflow, stats, next, onRun }: WorkflowRowProps) {
  const { id, title, version, deployedAt, pausedAt, drift } = workflow;
  const [, go] = useLocation();
  const mayRun = useMay('runs:write');
  return (
    <tr
      className="click"
      onClick={(event) => {
        if ((event.target as HTMLElement).closest('a, button') === null) go(`/workflows/${nameInPath(id)}`);
      }}
    >
      <td className="cell-flow">
        <Link href={`/workflows/${nameInPath(id)}`} className="plain name">
          {id}
          <span className="faint">@{version}</span>
        </Link>{' '}
        {pausedAt !== undefined && <span className="chip warn">paused</span>}
        {drift !== undefined && <DriftChip {...drift} />}
        {title !== undefined && (
          <div className="small dim cut" title={title}>
            {title}
          </div>
        )}
      </td>
      <td>
        <RunDots workflow={id} />
      </td>
      <StatFigures stats={stats} />
      <td className="wide-only dim">{next === undefined ? '' : <TimeText at={next} />}</td>
      <td className="very-wide-only dim">
        <TimeText at={deployedAt} />
      </td>
      <td className="right">
        {mayRun && (
          <Button isTiny icon={<Play size={12} />} onClick={onRun}>
            Run
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Leads to the server whose tools have changed. */
function DriftChip({ servers, blocked }: NonNullable<WorkflowInList['drift']>) {
  const [first = ''] = servers;
  const title = `The tools of ${servers.join(', ')} have changed since it was checked.`;
  return (
    <Link
      href={`/servers/${first}`}
      className={blocked === true ? 'chip bad' : 'chip warn'}
      title={blocked === true ? `${title} New runs are refused.` : title}
    >
      {blocked === true ? 'blocked' : 'tools changed'}
    </Link>
  );
}
