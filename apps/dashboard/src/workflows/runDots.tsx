/** The last runs of a workflow as dots, whose height shows the duration. */
import type { WorkflowStats } from '@baton/api/client';
import { durationText } from '@baton/primitives';
import { Link } from 'wouter';

import { useStats } from '../api/figures.ts';

const height = 24;
const dot = 6;
const shown = 30;

export function RunDots({ workflow }: { readonly workflow: string }) {
  const { data } = useStats(workflow);
  if (data === undefined) return <span className="dots" />;
  const runs = data.runs.slice(0, shown).toReversed();
  const durations = runs.flatMap(({ durationMs }) => durationMs ?? []);
  const longest = Math.max(1, ...durations);
  // Dots of runs that took the same time are in the middle.
  const top = Math.min(...durations) > longest * 0.9 ? longest * 2 : longest;
  if (runs.length === 0) return <span className="faint small">never ran</span>;
  return (
    <span className="dots" title="The higher the dot, the longer the run took">
      {runs.map(({ id, status, durationMs }) => {
        const up = durationMs === undefined ? 0 : Math.round((durationMs / top) * (height - dot));
        const took = durationMs === undefined ? 'not ended' : durationText(durationMs);
        return (
          <Link
            key={id}
            href={`/runs/${id}`}
            className={`s-${status}`}
            title={`${status}, ${took}`}
            aria-label={`Run ${status}, ${took}`}
          >
            <i style={{ transform: `translateY(${-up}px)` }} />
          </Link>
        );
      })}
    </span>
  );
}

/** Undefined: none has ended. A run that a person cancelled says nothing about the workflow. */
export function successOf({ counts: { succeeded = 0, failed = 0 } }: WorkflowStats): number | undefined {
  const ended = succeeded + failed;
  return ended === 0 ? undefined : succeeded / ended;
}

export function successText(stats: WorkflowStats): string | undefined {
  const share = successOf(stats);
  const unachieved = stats.notAchieved === undefined ? '' : ` · ${stats.notAchieved} not achieved`;
  return share === undefined ? undefined : `${Math.round(share * 100)} %${unachieved}`;
}

export function StatFigures({ stats }: { readonly stats: WorkflowStats | undefined }) {
  const { p50Ms, p95Ms, askedP95Ms } = stats ?? {};
  const figures = {
    succeeded: stats && successText(stats),
    p50: p50Ms === undefined ? undefined : durationText(p50Ms),
    p95: p95Ms === undefined ? undefined : durationText(p95Ms),
  };
  const asked =
    askedP95Ms === undefined
      ? undefined
      : `Without the time that it waited for people: up to ${durationText(askedP95Ms)}`;
  return Object.entries(figures).map(([name, text]) => (
    <td key={name} className="wide-only right num" title={name === 'succeeded' ? undefined : asked}>
      {text ?? <span className="faint">—</span>}
      {name === 'p95' && askedP95Ms !== undefined && (
        <div className="small dim">+ {durationText(askedP95Ms)} for people</div>
      )}
    </td>
  ));
}
