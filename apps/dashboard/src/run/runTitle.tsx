/** The heading of a run's page. */
import { nameInPath } from '@baton/api/client';
import { type Ensured, ensuredIn } from '@baton/engine';
import { Link } from 'wouter';

import { CopyButton } from '../parts/copyButton.tsx';
import { StatusText } from '../parts/statusMark.tsx';
import { shortRunId } from '../runs/shortRunId.ts';
import type { RunMoment } from './fold.ts';
import { isCancelling } from './runState.ts';

export function RunTitle({ shown: { run, trace } }: { readonly shown: RunMoment }) {
  const { id, workflow, version, status } = run;
  const begun = ensuredIn(trace.steps);
  const ensured = begun.filter((one) => one.status === 'succeeded');
  const isWhole = ensured.length === begun.length;
  return (
    <span className="row wrap run-title">
      {/* Read aloud when it changes. The sentence beneath would be: its times change each second. */}
      <span aria-live="polite">
        <StatusText status={status} word={isCancelling(run) ? 'cancelling' : status} />
      </span>
      {status === 'succeeded' && ensured.length > 0 && isWhole && (
        <span className="chip" title={ensured.map(conditionText).join('\n')}>
          ensured
        </span>
      )}
      <Link href={`/workflows/${nameInPath(workflow)}`} className="plain">
        {workflow}
        {version !== undefined && <span className="faint">@{version}</span>}
      </Link>
      <span className="row run-id">
        <code className="faint" title={id}>
          {shortRunId(id)}
        </code>
        <CopyButton text={id} label="Copy the id" />
      </span>
    </span>
  );
}

const conditionText = ({ that, read }: Ensured): string => `${that} (${read})`;
