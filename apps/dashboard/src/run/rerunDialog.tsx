/** Runs a run again: choice of first step and inputs, and a preview of kept outcomes and repeated calls. */
import { defined } from '@baton/primitives';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { parseMap, prettyJson } from '../parts/json.ts';
import { JsonField } from '../parts/jsonField.tsx';
import { AgainDialog } from './againDialog.tsx';
import type { RunMoment } from './fold.ts';
import { useAgain } from './useAgain.ts';

/** The state of the dialog, and the preview of the new run. */
function useRerun({ run, trace }: RunMoment, onClose: () => void) {
  const [, go] = useLocation();
  const failed = trace.steps.find(({ status, path }) => status === 'failed' && !path.includes('/'))?.path;
  const [from, setFrom] = useState(failed ?? '');
  const before = 'json' in run.inputs ? prettyJson(run.inputs.json) : undefined;
  const [text, setText] = useState(before ?? '');
  const edited = before === undefined || text === before ? undefined : parseMap(text);
  const inputs = edited !== undefined && 'value' in edited ? edited.value : undefined;
  const [version, setVersion] = useState<number>();
  const body = {
    ...defined({ version }),
    ...(from === '' ? {} : { from }),
    ...defined({ inputs }),
  };
  const again = useAgain({
    kind: 'rerun',
    runId: run.id,
    body,
    call: (given) => client.runs.rerun(run.id, given),
    onStarted: (id) => {
      onClose();
      if (id !== undefined) go(`/runs/${id}`);
    },
  });
  const problem = edited !== undefined && 'problem' in edited ? edited.problem : undefined;
  return {
    from,
    setFrom,
    version,
    setVersion,
    text,
    setText,
    hasInputs: before !== undefined,
    problem,
    again,
  };
}

export function RerunDialog({ moment, onClose }: { readonly moment: RunMoment; readonly onClose: () => void }) {
  const { run, trace } = moment;
  const { from, setFrom, version, setVersion, text, setText, hasInputs, problem, again } = useRerun(moment, onClose);
  return (
    <AgainDialog
      title="Run again"
      run={run}
      version={version}
      onVersion={setVersion}
      again={again}
      isHeld={problem !== undefined}
      onClose={onClose}
    >
      <label className="field">
        <span className="label">From the step</span>
        <select className="input" value={from} onChange={(event) => setFrom(event.target.value)}>
          <option value="">the first step</option>
          {trace.steps
            .filter(({ path }) => !path.includes('/'))
            .map(({ path, status }) => (
              <option key={path} value={path}>
                {path} ({status})
              </option>
            ))}
        </select>
      </label>
      {hasInputs && <JsonField label="Inputs" rows={6} text={text} problem={problem} onText={setText} />}
    </AgainDialog>
  );
}
