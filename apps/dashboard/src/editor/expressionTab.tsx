/** Evaluates an expression of the text with the values of a past run of the workflow. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { EvaluateForm } from '../parts/evaluateForm.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { relativeTo } from '../parts/time.ts';
import { shortRunId } from '../runs/shortRunId.ts';

interface ExpressionTabProps {
  /** Undefined for a new workflow. */
  readonly workflow: string | undefined;
  /** Ids of the top-level steps of the text. */
  readonly steps: readonly string[];
  /** The expression at the cursor. */
  readonly first: string | undefined;
}

const runsMax = 20;

export function ExpressionTab({ workflow = '', steps, first }: ExpressionTabProps) {
  const { data, error, isPending } = useQuery({
    queryKey: ['runs', 'of', workflow],
    queryFn: ({ signal }) => client.runs.list({ workflow, limit: `${runsMax}` }, { signal }),
    enabled: workflow !== '',
  });
  const [chosen, choose] = useState<string>();
  const [step, setStep] = useState('');
  const runs = data?.data ?? [];
  const run = chosen ?? runs[0]?.id;
  if (workflow !== '' && isPending) return <Skeleton />;
  if (error !== null && data === undefined) return <ProblemNote error={error} />;
  if (run === undefined)
    return <Empty title="It has no run yet">Once it has run, expressions are tried here on the values of a run.</Empty>;
  return (
    <div className="col expression-tab">
      <label className="field">
        <span className="label">On the values of</span>
        <select className="input" value={run} onChange={({ target }) => choose(target.value)}>
          {runs.map(({ id, status, version, createdAt }) => (
            <option key={id} value={id}>
              {`${shortRunId(id)}, ${version === null ? 'text sent with it' : `version ${version}`}, ${status}, ${relativeTo(createdAt)}`}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span className="label">As seen by</span>
        <select className="input" value={step} onChange={({ target }) => setStep(target.value)}>
          <option value="">the outputs of the workflow</option>
          {steps.map((id) => (
            <option key={id} value={id}>{`the step ${id}`}</option>
          ))}
        </select>
      </label>
      <EvaluateForm
        key={first}
        run={run}
        {...(step !== '' && { step })}
        {...(first !== undefined && { first })}
        example={steps[0] === undefined ? 'inputs' : `steps.${steps[0]}.output`}
      />
    </div>
  );
}
