/** What a workflow remembers between its runs: each value, what wrote it, and the values before. */
import type { StateValue, StateWrite } from '@baton/api/client';
import { useState } from 'react';
import { Link } from 'wouter';

import { useWorkflowState, useStateWrites } from '../api/figures.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { CallerText } from '../parts/callerText.tsx';
import { prettyJson } from '../parts/json.ts';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { SetStateDialog } from './setStateDialog.tsx';

export function StateTab({ id }: { readonly id: string }) {
  const { data, error } = useWorkflowState(id);
  if (data === undefined) return error === null ? <Skeleton /> : <ProblemNote error={error} />;
  if (data.values.length === 0) {
    return (
      <Empty title="It remembers nothing between its runs">
        <code>state:</code> at the top of its file declares values that a step or a trigger writes, and that later runs
        read.
      </Empty>
    );
  }
  return (
    <div className="body">
      {data.values.map((value) => (
        <KeySection key={value.key} workflow={id} value={value} />
      ))}
    </div>
  );
}

function KeySection({ workflow, value }: { readonly workflow: string; readonly value: StateValue }) {
  const { key, type, fits, revision, written } = value;
  const mayWrite = useMay('runs:write');
  const [isSetting, setSetting] = useState(false);
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="section">
      <h2>
        <code className="chip">{key}</code>
        {type === undefined && <span className="chip warn">not declared any more</span>}
        {!fits && <span className="chip bad">does not fit: each run fails</span>}
      </h2>
      <Shown value={value} />
      <p className="row wrap">
        {written === undefined ? (
          <span className="dim">The default: nothing has written it.</span>
        ) : (
          <Writer {...written} />
        )}
        {mayWrite && type !== undefined && <Button onClick={() => setSetting(true)}>Set…</Button>}
        {revision > 1 && (
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the values before' : 'Values before'}
          </Button>
        )}
      </p>
      {isOpen && <History workflow={workflow} named={key} />}
      {isSetting && <SetStateDialog workflow={workflow} value={value} onClose={() => setSetting(false)} />}
    </section>
  );
}

/** Without a value: the reader sees no values of runs. */
const Shown = ({ value: { value } }: { readonly value: Pick<StateValue, 'value'> }) =>
  value === undefined ? (
    <p className="dim">Hidden: your role may not read values.</p>
  ) : (
    <div className="code">
      <pre>{prettyJson(value)}</pre>
    </div>
  );

const Writer = ({ at, by, runId }: Pick<StateWrite, 'at' | 'by'> & { readonly runId?: string }) => (
  <>
    <span className="dim">
      {runId === undefined ? (
        <>
          <CallerText by={by} /> wrote it
        </>
      ) : (
        <>
          <Link href={`/runs/${runId}`}>A run</Link> of <CallerText by={by} /> wrote it
        </>
      )}
    </span>
    <TimeText at={at} />
  </>
);

function History({ workflow, named }: { readonly workflow: string; readonly named: string }) {
  const { data, error } = useStateWrites(workflow, named);
  if (data === undefined) return error === null ? <Skeleton /> : <ProblemNote error={error} />;
  return (
    <ol className="col" reversed aria-label={`Values of ${named} before`}>
      {data.data.slice(1).map((write) => (
        <li key={write.revision} className="col">
          <span className="row wrap">
            <Writer {...write} />
          </span>
          <Shown value={write} />
        </li>
      ))}
    </ol>
  );
}
