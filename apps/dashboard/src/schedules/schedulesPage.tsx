/** The list of schedules, with their next times and past firings. */
import { type Schedule, nameInPath } from '@baton/api/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CalendarPlus, Ellipsis, Pause, Play, Zap } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Menu } from '../parts/menu.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { InstantText, TimeText } from '../parts/timeText.tsx';
import { toast, toastError } from '../parts/toast.tsx';
import { useRowKeys } from '../runs/useRowKeys.ts';
import { PageHead } from '../shell/pageHead.tsx';
import { BackfillDialog } from './backfillDialog.tsx';
import { timesWords } from './timesWords.ts';

import './schedules.css';

const outcomeChips: Readonly<Record<string, string>> = { started: 'chip good', refused: 'chip bad' };

export function SchedulesPage() {
  const { data, error, isPending } = useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => Array.fromAsync(client.schedules.all(undefined, { signal })),
  });
  const [open, setOpen] = useState<string>();
  const cursor = useRowKeys({ count: data?.length ?? 0, onOpen: (at) => setOpen(data?.[at]?.id) });
  return (
    <>
      <PageHead title="Schedules" />
      <div className="body flush">
        {isPending && <Skeleton />}
        <ProblemNote error={error} />
        {data?.length === 0 && (
          <Empty title="No workflow has a schedule" command="npx baton deploy .">
            Write{' '}
            <code>
              on: [{'{'} schedule: &apos;0 6 * * *&apos; {'}'}]
            </code>{' '}
            into a workflow, and deploy it.
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <Table
            heads={['Schedule', 'Next', ['If a run is still going', 'wide-only'], ['If it was missed', 'wide-only']]}
            hasActions
          >
            {data.map((schedule, at) => (
              <ScheduleRow
                key={schedule.id}
                schedule={schedule}
                isOpen={open === schedule.id}
                isAtCursor={cursor === at}
                onToggle={() => setOpen(open === schedule.id ? undefined : schedule.id)}
              />
            ))}
          </Table>
        )}
      </div>
    </>
  );
}

const overlaps = {
  skip: 'skip the new one',
  queue: 'queue the new one',
  replace: 'cancel the old one',
  allow: 'run both',
};
const catchUps = { none: 'leave it', latest: 'run the latest', all: 'run all' };

interface ScheduleRowProps {
  readonly schedule: Schedule;
  readonly isOpen: boolean;
  readonly isAtCursor: boolean;
  readonly onToggle: () => void;
}

function ScheduleRow({ schedule, isOpen, isAtCursor, onToggle }: ScheduleRowProps) {
  const { times, timezone, workflow, version, overlap, catchUp, paused, next, pausedBy, refused } = schedule;
  return (
    <>
      <tr
        className={`click${isAtCursor ? ' cursor' : ''}`}
        onClick={(event) => {
          if ((event.target as HTMLElement).closest('a, button, dialog, [popover]') === null) onToggle();
        }}
      >
        <td>
          <button type="button" className="t-name name" aria-expanded={isOpen} onClick={onToggle}>
            {timesWords(times)}
          </button>
          <div className="small dim">
            {timesWords(times) !== times && <code className="chip">{times}</code>} {timezone} ·{' '}
            <Link href={`/workflows/${nameInPath(workflow)}`}>
              {workflow}@{version}
            </Link>
          </div>
        </td>
        <td>
          {paused ? (
            <span className="chip warn" title={pausedBy}>
              paused
            </span>
          ) : (
            <TimeText at={next[0]} />
          )}
          {refused !== undefined && (
            <div className="small">
              <span className="chip bad" title={refused.reason}>
                refused
              </span>{' '}
              <TimeText at={refused.instant} />
            </div>
          )}
        </td>
        <td className="wide-only dim">{overlaps[overlap]}</td>
        <td className="wide-only dim">{catchUps[catchUp]}</td>
        <td className="right">
          <ScheduleActions schedule={schedule} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={5}>
            <ScheduleDetail schedule={schedule} />
          </td>
        </tr>
      )}
    </>
  );
}

function ScheduleDetail({ schedule: { id, next } }: { readonly schedule: Schedule }) {
  const { data, error } = useQuery({
    queryKey: ['schedules', 'one', id],
    queryFn: ({ signal }) => client.schedules.get(id, { signal }),
  });
  return (
    <div className="row wrap top schedule-detail">
      <section className="section">
        <h3>Next</h3>
        <ol>
          {next.map((at) => (
            <li key={at}>
              <InstantText at={at} />{' '}
              <span className="dim small">
                <TimeText at={at} />
              </span>
            </li>
          ))}
        </ol>
      </section>
      <section className="section grow">
        <h3>Last</h3>
        <ProblemNote error={error} />
        {data?.recent.length === 0 && <p className="dim">It has not fired yet.</p>}
        <ol className="col">
          {data?.recent.slice(0, 20).map(({ instant, outcome, reason, runId, cause, by }) => (
            <li key={`${instant} ${runId ?? by}`} className="row wrap">
              <span className={outcomeChips[outcome] ?? 'chip'}>{outcome}</span>
              <InstantText at={instant} />
              {cause !== 'due' && <span className="chip">{cause}</span>}
              {runId !== undefined && <Link href={`/runs/${runId}`}>its run</Link>}
              <span className="dim">{reason}</span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function ScheduleActions({ schedule: { id, paused, workflow } }: { readonly schedule: Schedule }) {
  const mayStart = useMay('runs:write');
  const mayHold = useMay('workflows:write', 'runs:write');
  const [, go] = useLocation();
  const cache = useQueryClient();
  const [isFilling, setFilling] = useState(false);
  const hold = useMutation({
    mutationFn: () => (paused ? client.schedules.resume(id) : client.schedules.pause(id)),
    onSuccess: () => void cache.invalidateQueries({ queryKey: ['schedules'] }),
    onError: toastError,
  });
  const trigger = useMutation({
    mutationFn: () => client.schedules.trigger(id),
    onSuccess: ({ id: run }) => {
      toast(`A run of ${workflow} was started.`);
      go(`/runs/${run}`);
    },
    onError: toastError,
  });
  if (!mayHold) return null;
  return (
    <>
      <Menu
        label={`Actions on the schedule of ${workflow}`}
        look="quiet"
        icon={<Ellipsis size={15} />}
        items={[
          { label: 'Run now', icon: <Zap size={14} />, onChoose: () => trigger.mutate(), isOff: !mayStart },
          {
            label: paused ? 'Resume' : 'Pause',
            icon: paused ? <Play size={14} /> : <Pause size={14} />,
            onChoose: () => hold.mutate(),
          },
          { label: 'Backfill…', icon: <CalendarPlus size={14} />, onChoose: () => setFilling(true), isOff: !mayStart },
        ]}
      />
      {isFilling && <BackfillDialog id={id} onClose={() => setFilling(false)} />}
    </>
  );
}
