/** The runs above and below this one, as one tree. Runs that did not succeed are open, down to the one that failed first. */
import type { RunInList } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { StatusMark } from '../parts/statusMark.tsx';
import { DurationText } from '../parts/timeText.tsx';
import { shortRunId } from '../runs/shortRunId.ts';
import type { RunMoment } from './fold.ts';

const childrenMax = '50';
/** As deep as runs may start each other. */
const aboveMax = 16;

type NamedRun = Pick<RunInList, 'id' | 'workflow' | 'version' | 'status'> &
  Partial<Pick<RunInList, 'error' | 'parent' | 'startedAt' | 'endedAt'>>;

/** The runs above it, the outermost first. */
const useRunsAbove = (parentId: string | undefined) =>
  useQuery({
    queryKey: ['runs above', parentId],
    queryFn: async ({ signal }) => {
      const above: NamedRun[] = [];
      for (let next = parentId; next !== undefined && above.length < aboveMax; next = above[0]?.parent?.runId)
        above.unshift(await client.runs.get(next, { signal }));
      return above;
    },
    enabled: parentId !== undefined,
  });

const useChildRuns = (parent: string, isAsked: boolean, state?: string) =>
  useQuery({
    queryKey: ['child runs', parent, state],
    queryFn: ({ signal }) => client.runs.list({ parent, limit: childrenMax }, { signal }),
    enabled: isAsked,
    placeholderData: (before) => before,
  });

export function RunTree({ moment: { run, trace } }: { readonly moment: RunMoment }) {
  const starting = trace.steps.filter(({ verb, awaiting }) => verb === 'workflow' || awaiting?.for === 'child');
  const { data: above = [] } = useRunsAbove(run.parent?.runId);
  const { data: children } = useChildRuns(
    run.id,
    starting.length > 0,
    `${starting.length} ${starting.filter(({ status }) => status === 'waiting').length}`,
  );
  if (above.length === 0 && (children?.data.length ?? 0) === 0) return null;
  const own = { id: run.id, workflow: run.workflow, version: run.version ?? null, status: run.status };
  return (
    <section className="beneath" aria-labelledby="tree-title">
      <h2 id="tree-title">Parent and child runs</h2>
      <ul className="run-tree">
        {above.map((one, depth) => (
          <Row key={one.id} run={one} depth={depth} />
        ))}
        <Row run={own} depth={above.length} isHere />
        <Children page={children} depth={above.length + 1} />
      </ul>
    </section>
  );
}

interface ChildrenProps {
  readonly page: { readonly data: readonly RunInList[]; readonly nextCursor?: string | undefined } | undefined;
  readonly depth: number;
}

function Children({ page, depth }: ChildrenProps) {
  return (
    <>
      {page?.data.toReversed().map((child) => (
        <Branch key={child.id} run={child} depth={depth} />
      ))}
      {page?.nextCursor !== undefined && (
        <li className="dim small" style={indent(depth)}>
          Older ones are not shown.
        </li>
      )}
    </>
  );
}

/** A failure that came through a child run names it. */
const isFromBelow = ({ error }: NamedRun): boolean =>
  error?.code === 'child-failed' || error?.message.includes('By way of: ') === true;

function Branch({ run, depth }: { readonly run: NamedRun; readonly depth: number }) {
  const [isOpen, setOpen] = useState(isFromBelow(run));
  const { data } = useChildRuns(run.id, isOpen);
  return (
    <>
      <Row run={run} depth={depth} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
      {isOpen && data?.data.length === 0 && (
        <li className="dim small" style={indent(depth + 1)}>
          It started no run.
        </li>
      )}
      {isOpen && <Children page={data} depth={depth + 1} />}
    </>
  );
}

interface RowProps {
  readonly run: NamedRun;
  readonly depth: number;
  readonly isHere?: boolean;
  readonly isOpen?: boolean;
  readonly onToggle?: () => void;
}

function Row({ run, depth, isHere = false, isOpen = false, onToggle }: RowProps) {
  const { id, workflow, version, status, parent, error, startedAt, endedAt } = run;
  const name = `${workflow}${version === null ? '' : `@${version}`}`;
  return (
    <li className={isHere ? 'here' : undefined} aria-current={isHere ? 'true' : undefined} style={indent(depth)}>
      {onToggle !== undefined ? (
        <Button
          look="quiet"
          isTiny
          label={isOpen ? `Fold ${name}` : `Show the runs that ${name} started`}
          aria-expanded={isOpen}
          icon={isOpen ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
          onClick={onToggle}
        />
      ) : (
        <span className="no-toggle" />
      )}
      <StatusMark status={status} />
      <span className="sr">{status}</span>
      {isHere ? <b>{name}</b> : <Link href={`/runs/${id}`}>{name}</Link>}
      <span className="faint small">{isHere ? 'this run' : (parent?.path ?? shortRunId(id))}</span>
      {error !== undefined && <span className="dim small cut">{error.message}</span>}
      {startedAt !== undefined && endedAt !== undefined && (
        <span className="took dim small num">
          <DurationText from={Date.parse(startedAt)} to={Date.parse(endedAt)} />
        </span>
      )}
    </li>
  );
}

const indent = (depth: number): React.CSSProperties => ({ paddingLeft: depth * 18 });
