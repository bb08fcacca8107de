import type { Run } from '@baton/engine';
import { Link } from 'wouter';

import { CopyButton } from '../parts/copyButton.tsx';
import { StatusText } from '../parts/statusMark.tsx';
import { isCancelling } from './runState.ts';

export function RunTitle({ run }: { readonly run: Run }) {
  const { id, workflow, version, status } = run;
  return (
    <span className="row wrap run-title">
      {/* Read aloud when it changes. The sentence beneath would be: its times change each second. */}
      <span aria-live="polite">
        <StatusText status={status} word={isCancelling(run) ? 'cancelling' : status} />
      </span>
      <Link href={`/workflows/${workflow}`} className="plain">
        {workflow}
        {version !== undefined && <span className="faint">@{version}</span>}
      </Link>
      <span className="row run-id">
        <code className="faint">{id}</code>
        <CopyButton text={id} label="Copy the id" />
      </span>
    </span>
  );
}
