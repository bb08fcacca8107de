/** The list of deployed workflows, with their last runs. */
import type { Schedule, WorkflowInList } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Play } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { useWorkflows } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { RunDialog } from './runDialog.tsx';
import { RunDots, StatFigures } from './runDots.tsx';

import './workflows.css';

export function WorkflowsPage() {
  const { data, error, isPending } = useWorkflows();
  const mayWrite = useMay('workflows:write');
  const { data: schedules = [] } = useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => Array.fromAsync(client.schedules.all(undefined, { signal })),
  });
  const [running, setRunning] = useState<string>();
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
            hasActions
          >
            {data.map((workflow) => (
              <WorkflowRow
                key={workflow.id}
                workflow={workflow}
                schedules={schedules.filter((one) => one.workflow === workflow.id)}
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

interface WorkflowRowProps {
  readonly workflow: WorkflowInList;
  readonly schedules: readonly Schedule[];
  readonly onRun: () => void;
}

function WorkflowRow({ workflow, schedules, onRun }: WorkflowRowProps) {
  const { id, title, version, deployedAt, pausedAt, drift } = workflow;
  const [, go] = useLocation();
  const mayRun = useMay('runs:write');
  const [next] = schedules.flatMap((schedule) => schedule.next).toSorted();
  return (
    <tr
      className="click"
      onClick={(event) => {
        if ((event.target as HTMLElement).closest('a, button') === null) go(`/workflows/${id}`);
      }}
    >
      <td className="cell-flow">
        <Link href={`/workflows/${id}`} className="plain name">
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
      <StatFigures workflow={id} />
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
