/** The table of runs: rows are clickable, and j and k move through them. */
import type { RunInList } from '@baton/api/client';
import { CircleHelp, GitBranch } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';

import { CallerText } from '../parts/callerText.tsx';
import { spentText } from '../parts/money.ts';
import { StatusText } from '../parts/statusMark.tsx';
import { msOf } from '../parts/time.ts';
import { DurationText, TimeText } from '../parts/timeText.tsx';
import { useIsNarrow } from '../parts/useIsNarrow.ts';
import { shortRunId } from './shortRunId.ts';

interface RunsTableProps {
  readonly runs: readonly RunInList[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose?: (id: string) => void;
  /** Index of the row that the keyboard is on; -1: none. */
  readonly cursor: number;
  readonly isShort?: boolean;
  /** They fit the filter before, while those of the new one are loading. */
  readonly isOld?: boolean;
}

export function RunsTable({ runs, chosen, onChoose, cursor, isShort = false, isOld = false }: RunsTableProps) {
  const hasCosts = runs.some(({ spent }) => spent !== undefined);
  return (
    <table className="table runs" aria-busy={isOld}>
      <thead>
        <tr>
          {onChoose !== undefined && (
            <th className="pick">
              <span className="sr">Choose</span>
            </th>
          )}
          <th title="j and k move between rows, Enter opens, x chooses">Status</th>
          <th>{isShort ? 'Run' : 'Workflow'}</th>
          <th className="very-wide-only">Trigger</th>
          <th>Started</th>
          <th className="right took">Took</th>
          {hasCosts && <th className="right very-wide-only">Cost</th>}
          <th className="wide-only">Details</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run, at) => (
          <Row
            key={run.id}
            run={run}
            isChosen={chosen.has(run.id)}
            isAtCursor={at === cursor}
            isShort={isShort}
            hasCosts={hasCosts}
            {...(onChoose === undefined ? {} : { onChoose })}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly run: RunInList;
  readonly isChosen: boolean;
  readonly isAtCursor: boolean;
  readonly isShort: boolean;
  /** Whether one of the runs asked a model. */
  readonly hasCosts: boolean;
  readonly onChoose?: (id: string) => void;
}

function Row({ run, isChosen, isAtCursor, isShort, hasCosts, onChoose }: RowProps) {
  const [, go] = useLocation();
  const row = useRef<HTMLTableRowElement>(null);
  const isNarrow = useIsNarrow();
  useEffect(() => {
    if (isAtCursor) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isAtCursor]);
  const { id, status, workflow, version, trigger, by, createdAt, startedAt, endedAt, spent, cancelRequested } = run;
  const address = `/runs/${id}`;
  const isCancelling = cancelRequested === true && endedAt === undefined;
  return (
    <tr
      ref={row}
      className={`click${isAtCursor ? ' cursor' : ''}`}
      aria-selected={isChosen}
      onClick={(event) => {
        if ((event.target as HTMLElement).closest('a, input, button') === null) go(address);
      }}
    >
      {onChoose !== undefined && (
        <td className="pick">
          <input type="checkbox" aria-label={`Choose the run ${id}`} checked={isChosen} onChange={() => onChoose(id)} />
        </td>
      )}
      <td>
        <StatusText status={status} word={isCancelling ? 'cancelling' : (unensuredIn(run) ?? status)} />
      </td>
      <td className="cell-name">
        <Link href={address} className="plain name cut" title={isShort ? id : workflow}>
          {isShort ? <code>{shortRunId(id)}</code> : workflow}
          <span className="faint">{version === null ? ' (inline)' : `@${version}`}</span>
        </Link>
        <Marks run={run} />
        {isNarrow && (
          <div className="small">
            <Why run={run} />
          </div>
        )}
      </td>
      <td className="very-wide-only dim cell-who">
        <span className="cut">
          {trigger.kind}{' '}
          {by !== undefined && (
            <span className="faint">
              <CallerText by={by} />
            </span>
          )}
        </span>
      </td>
      <td>
        <TimeText at={createdAt} />
      </td>
      <td className="right took">
        <DurationText from={msOf(startedAt) ?? msOf(createdAt)} to={msOf(endedAt)} />
      </td>
      {hasCosts && <td className="right very-wide-only num">{spent !== undefined && spentText(spent)}</td>}
      <td className="wide-only cell-why">{!isNarrow && <Why run={run} />}</td>
    </tr>
  );
}

/** A run that did its work, and not what it should, is no failure like others. */
const unensuredIn = ({ error }: RunInList): string | undefined =>
  error?.code === 'not-achieved' || error?.code === 'not-verified' ? error.code : undefined;

function Marks({ run }: { readonly run: RunInList }) {
  const { tags, parent, rerunOf, retriedAs, trigger, questions = 0 } = run;
  return (
    <span className="row marks">
      {questions > 0 && (
        <span className="chip warn" title="It waits for an answer">
          <CircleHelp size={12} /> {questions}
        </span>
      )}
      {retriedAs !== undefined && (
        <Link href={`/runs/${retriedAs}`} className="chip" title={`The run ${retriedAs} continues it`}>
          retried
        </Link>
      )}
      {(parent !== undefined || rerunOf !== undefined) && (
        <span
          className="faint"
          title={
            parent === undefined
              ? `${trigger.kind === 'undo' ? 'Undoes' : 'Again of'} ${rerunOf}`
              : `Started by ${parent.runId}`
          }
        >
          <GitBranch size={13} />
        </span>
      )}
      {tags.slice(0, 3).map((tag) => (
        <span key={tag} className="chip wide-only cut">
          {tag}
        </span>
      ))}
    </span>
  );
}

/** One sentence: why it failed, what it waits for, or what began last. */
function Why({ run: { error, questions = 0, status, wakeAt, waitsFor, lastStep } }: { readonly run: RunInList }) {
  if (error !== undefined) {
    return (
      <span className="cut why" title={error.message}>
        <span className={status === 'failed' ? 'red' : ''}>{error.code}</span>{' '}
        <span className="dim">{error.message}</span>
      </span>
    );
  }
  if (questions > 0) return <span className="dim">It waits for an answer.</span>;
  if (status === 'waiting' && waitsFor !== undefined) return <Waits waitsFor={waitsFor} wakeAt={wakeAt} />;
  if (status === 'running' && lastStep !== undefined)
    return <span className="dim cut why">{lastStep} is running.</span>;
  return status === 'waiting' ? <span className="dim">It waits.</span> : null;
}

interface WaitsProps {
  readonly waitsFor: NonNullable<RunInList['waitsFor']>;
  readonly wakeAt: string | undefined;
}

/** Time alone lets a timer and a retry go on; all other things may also never come. */
function Waits({ waitsFor: { step, kind, name = '', login }, wakeAt }: WaitsProps) {
  const goesOn = kind === 'time' ? 'continues' : 'is tried again';
  if (kind === 'time' || kind === 'retry')
    return (
      <span className="dim cut why">
        {step} {wakeAt === undefined ? 'waits.' : goesOn} {wakeAt !== undefined && <TimeText at={wakeAt} />}
      </span>
    );
  // When a worker looks again is no news to who waits.
  if (login !== undefined)
    return (
      <span className="dim cut why">
        {step} waits until {login} logs in to {name}.
      </span>
    );
  return (
    <span className="dim cut why">
      {step} waits for {awaited[kind]} {name}
      {wakeAt !== undefined && (
        <>
          {kind === 'turn' ? ', which comes' : '; its time is over'} <TimeText at={wakeAt} />
        </>
      )}
    </span>
  );
}

const awaited = {
  signal: 'the signal',
  turn: 'its turn at',
  child: 'its run of',
  answer: 'an answer',
  sample: 'the model of the client that called it',
};
