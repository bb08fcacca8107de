/** The overview of a workflow: how its last runs did, what starts it next, and the runs themselves. */
import { type WorkflowStats, nameInPath } from '@baton/api/client';
import { durationText } from '@baton/primitives';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

import { useSchedulesOf, useStats } from '../api/figures.ts';
import { TimeText } from '../parts/timeText.tsx';
import { RunDots, successText } from './runDots.tsx';
import { RunsTab } from './runsTab.tsx';

const nextMax = 3;

export function OverviewTab({ id }: { readonly id: string }) {
  const { data } = useStats(id);
  const { data: schedules } = useSchedulesOf(id);
  const next = (schedules?.data ?? [])
    .filter(({ pausedAt }) => pausedAt === undefined)
    .flatMap((schedule) => schedule.next)
    .toSorted()
    .slice(0, nextMax);
  return (
    <>
      <ul className="overview" aria-label="Figures">
        <Figure name="Succeeded" about={lastText(data?.runs.length)}>
          {data === undefined ? '' : (successText(data) ?? '—')}
        </Figure>
        <Figure name="p50" about="half took no longer">
          {msText(data?.p50Ms)}
        </Figure>
        <Figure name="p95" about={waitedText(data)}>
          {msText(data?.p95Ms)}
        </Figure>
        <Figure name="Next" about={next.length > 1 ? `${next.length - 1} more are planned` : 'by its schedules'}>
          {next[0] === undefined ? '—' : <TimeText at={next[0]} />}
        </Figure>
        <li className="grow">
          <span className="small dim">Last runs</span>
          <RunDots workflow={id} />
          <span className="small faint">the higher, the longer</span>
        </li>
      </ul>
      <RunsTab id={id} />
      {data?.runs.length === 0 && (
        <p className="row more small">
          <Link href={`/workflows/${nameInPath(id)}?view=graph`}>Look at its graph</Link>
        </p>
      )}
    </>
  );
}

const msText = (ms: number | undefined): string => (ms === undefined ? '—' : durationText(ms));

const waitedText = (stats: WorkflowStats | undefined): string =>
  stats?.askedP95Ms === undefined
    ? 'of 20 runs one took longer'
    : `and up to ${durationText(stats.askedP95Ms)} for people`;

function lastText(runs: number | undefined): string {
  if (runs === undefined) return '';
  return runs === 1 ? 'of the last run' : `of the last ${runs} runs`;
}

interface FigureProps {
  readonly name: string;
  readonly about: string;
  readonly children: ReactNode;
}

function Figure({ name, about, children }: FigureProps) {
  return (
    <li>
      <span className="small dim">{name}</span>
      <b className="num">{children}</b>
      <span className="small faint">{about}</span>
    </li>
  );
}
