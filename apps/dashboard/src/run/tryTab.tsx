/** Evaluates an expression with the values that the expressions of this step saw. */
import { EvaluateForm } from '../parts/evaluateForm.tsx';
import type { RunMoment } from './fold.ts';

interface TryTabProps {
  readonly moment: RunMoment;
  readonly path: string;
}

export function TryTab({ moment: { run, seq }, path }: TryTabProps) {
  const example = path.includes('/') ? 'inputs' : `steps.${path}.output`;
  return <EvaluateForm run={run.id} step={path} after={seq} example={example} />;
}
