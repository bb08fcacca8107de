/** Compares a step with the same step of another run, or its last attempt with an earlier one. */
import type { Run, TracedAttempt, TracedStep } from '@baton/engine';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { DiffView } from '../parts/diffView.tsx';
import { prettyJson } from '../parts/json.ts';
import { ProblemNote, Skeleton } from '../parts/notes.tsx';
import { relativeTo } from '../parts/time.ts';
import { shortRunId } from '../runs/shortRunId.ts';

const runsMax = '20';
const attemptPrefix = 'attempt ';

export function CompareTab({ run, step }: { readonly run: Run; readonly step: TracedStep }) {
  const [chosen, setChosen] = useState('');
  const { data, error } = useQuery({
    queryKey: ['runs to compare', run.workflow],
    queryFn: ({ signal }) => client.runs.list({ workflow: run.workflow, limit: runsMax }, { signal }),
  });
  const others = (data?.data ?? []).filter(({ id }) => id !== run.id);
  const earlier = step.attempts.slice(0, -1);
  return (
    <div className="col">
      <label className="field">
        <span className="label">Compare with</span>
        <select className="input" value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value="">choose an attempt or a run</option>
          {earlier.map(({ n }) => (
            <option key={n} value={`${attemptPrefix}${n}`}>
              attempt {n} of this run
            </option>
          ))}
          {others.map(({ id, status, version, createdAt }) => (
            <option key={id} value={id}>
              {shortRunId(id)}, {version === null ? 'text sent with it' : `version ${version}`}, {status}{' '}
              {relativeTo(createdAt)}
            </option>
          ))}
        </select>
      </label>
      <ProblemNote error={error} />
      {chosen.startsWith(attemptPrefix) && <Attempts step={step} n={Number(chosen.slice(attemptPrefix.length))} />}
      {chosen !== '' && !chosen.startsWith(attemptPrefix) && <Runs own={run.id} other={chosen} path={step.path} />}
    </div>
  );
}

const attemptText = ({ status, failure, worker, session }: TracedAttempt): string =>
  prettyJson({ status, worker, session, failure });

function Attempts({ step, n }: { readonly step: TracedStep; readonly n: number }) {
  const before = step.attempts.find((one) => one.n === n);
  const last = step.attempts.at(-1);
  if (before === undefined || last === undefined) return null;
  return <DiffView before={attemptText(before)} after={attemptText(last)} />;
}

interface RunsProps {
  readonly own: string;
  readonly other: string;
  readonly path: string;
}

function Runs({ own, other, path }: RunsProps) {
  const { data, error } = useQuery({
    queryKey: ['compared', own, other, path],
    queryFn: async ({ signal }) => Promise.all([other, own].map((id) => stepText(id, path, signal))),
  });
  if (data === undefined) return error === null ? <Skeleton rows={3} /> : <ProblemNote error={error} />;
  const [before, after] = data;
  if (before === undefined) return <p className="dim">That run has no step {path}.</p>;
  return <DiffView before={before} after={after ?? ''} />;
}

/** The arguments and the result of the step as text; undefined if the run has no such step. */
async function stepText(id: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  const { steps } = await client.runs.get(id, { signal });
  const step = steps.find((one) => one.path === path);
  if (step === undefined) return undefined;
  const { status, target, arguments: given, output, error } = step;
  return prettyJson({ status, target, arguments: given, output, error });
}
