/** Run again: from which step, with which inputs; what is kept, and which calls happen again. */
import type { RepeatedCall } from '@baton/api/client';
import { countText } from '@baton/engine';
import { isObject } from '@baton/primitives';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { useWorkflow } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { parseJson, prettyJson } from '../parts/json.ts';
import { ProblemNote, Warning } from '../parts/notes.tsx';
import type { RunMoment } from './fold.ts';

const shownMax = 20;

/** What the dialog asks for, and what the new run would do. */
function useRerun({ run, trace }: RunMoment, onClose: () => void) {
  const [, go] = useLocation();
  const failed = trace.steps.find(({ status, path }) => status === 'failed' && !path.includes('/'))?.path;
  const [from, setFrom] = useState(failed ?? '');
  const before = 'json' in run.inputs ? prettyJson(run.inputs.json) : undefined;
  const [text, setText] = useState(before ?? '');
  const parsed = parseJson(text);
  const isChanged = before !== undefined && text !== before;
  const inputs = isChanged && 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined;
  const [version, setVersion] = useState<number>();
  const body = {
    ...(version === undefined ? {} : { version }),
    ...(from === '' ? {} : { from }),
    ...(inputs === undefined ? {} : { inputs }),
  };
  const preview = useQuery({
    queryKey: ['rerun', run.id, body],
    queryFn: () => client.runs.rerun(run.id, { ...body, preview: true }),
    staleTime: 0,
    gcTime: 0,
  });
  const start = useMutation({
    mutationFn: () => client.runs.rerun(run.id, body),
    onSuccess: ({ id }) => {
      onClose();
      if (id !== undefined) go(`/runs/${id}`);
    },
  });
  const problem = isChanged && 'problem' in parsed ? parsed.problem : undefined;
  return {
    from,
    setFrom,
    version,
    setVersion,
    text,
    setText,
    hasInputs: before !== undefined,
    problem,
    preview,
    start,
  };
}

export function RerunDialog({ moment, onClose }: { readonly moment: RunMoment; readonly onClose: () => void }) {
  const { run, trace } = moment;
  const { from, setFrom, version, setVersion, text, setText, hasInputs, problem, preview, start } = useRerun(
    moment,
    onClose,
  );
  const again = preview.data?.again ?? [];
  const writes = again.filter(({ effect }) => effect === 'write').length;
  return (
    <Dialog
      title="Run again"
      onClose={onClose}
      isWide
      footer={
        <Button
          look="main"
          isBusy={start.isPending}
          disabled={preview.data === undefined || problem !== undefined}
          onClick={() => start.mutate()}
        >
          {writes === 0 ? 'Run again' : `Run again, and make ${countText(writes, 'write')} again`}
        </Button>
      }
    >
      <VersionChoice run={run} chosen={version} onChoose={setVersion} />
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
      {hasInputs && (
        <label className="field">
          <span className="label">Inputs</span>
          <textarea
            className="input"
            spellCheck={false}
            rows={6}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {problem !== undefined && <span className="hint red">{problem}</span>}
        </label>
      )}
      <ProblemNote error={preview.error ?? start.error} />
      {preview.data !== undefined && <Preview {...preview.data} writes={writes} />}
    </Dialog>
  );
}

interface VersionChoiceProps extends Pick<RunMoment, 'run'> {
  /** Undefined: the version of the run. */
  readonly chosen: number | undefined;
  readonly onChoose: (version: number | undefined) => void;
}

const versionsMax = 50;

function VersionChoice({ run: { workflow, version: own }, chosen, onChoose }: VersionChoiceProps) {
  const { data: newest } = useWorkflow(own === undefined ? undefined : workflow);
  if (newest === undefined || own === undefined || newest.version === 1) return null;
  const others = Array.from({ length: Math.min(newest.version, versionsMax) }, (_, at) => newest.version - at);
  return (
    <label className="field">
      <span className="label">On the version</span>
      <select
        className="input"
        value={chosen ?? own}
        onChange={({ target }) => onChoose(Number(target.value) === own ? undefined : Number(target.value))}
      >
        {[...new Set([...others, own])].map((version) => (
          <option key={version} value={version}>
            {version}
            {version === own && ', as this run'}
            {version === newest.version && ', the newest'}
          </option>
        ))}
      </select>
    </label>
  );
}

interface PreviewProps {
  readonly kept: number;
  readonly again: readonly RepeatedCall[];
  readonly unmatched: readonly string[];
  readonly writes: number;
}

function Preview({ kept, again, unmatched, writes }: PreviewProps) {
  return (
    <div className="col">
      {writes > 0 && <Warning>{countText(writes, 'call')} with the effect write would be made again.</Warning>}
      {unmatched.length > 0 && (
        <p className="dim">
          That version does not have {unmatched.slice(0, 3).join(', ')}
          {unmatched.length > 3 && ` and ${unmatched.length - 3} more`}.
        </p>
      )}
      <p>
        The outcomes of {countText(kept, 'step')} are kept.{' '}
        {again.length === 0
          ? 'No call of the old run is made again.'
          : `${countText(again.length, 'call')} may be made again:`}
      </p>
      <ul className="again">
        {again.slice(0, shownMax).map(({ path, target, effect, outcome }) => (
          <li key={path} className="row">
            <span className={`chip ${effect ?? 'read'}`}>{effect ?? 'read'}</span>
            <span className="cut grow">
              {path} <span className="faint">{target}</span>
            </span>
            <span className="small dim">{outcome} before</span>
          </li>
        ))}
        {again.length > shownMax && <li className="dim small">and {again.length - shownMax} more</li>}
      </ul>
    </div>
  );
}
