/** The last runs of a workflow as dots, whose height shows the duration. */
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

export function StatFigures({ workflow }: { readonly workflow: string }) {
  const { data } = useStats(workflow);
  // A run that a person cancelled says nothing about the workflow.
  const { succeeded = 0, failed = 0 } = data?.counts ?? {};
  const ended = succeeded + failed;
  const unachieved = data?.notAchieved === undefined ? '' : ` · ${data.notAchieved} not achieved`;
  const figures = {
    succeeded: ended === 0 ? undefined : `${Math.round((succeeded / ended) * 100)} %${unachieved}`,
    p50: data?.p50Ms === undefined ? undefined : durationText(data.p50Ms),
    p95: data?.p95Ms === undefined ? undefined : durationText(data.p95Ms),
  };
  return Object.entries(figures).map(([name, text]) => (
    <td key={name} className="wide-only right num">
      {text ?? <span className="faint">—</span>}
    </td>
  ));
}
