/** The panel of one step: state, arguments, result and attempts. */
import { type RunEvent, type TracedStep, isEnded } from '@baton/engine';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copyButton.tsx';
import { EvaluateForm } from '../parts/evaluateForm.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useFocusReturn } from '../parts/useFocusReturn.ts';
import { ValueView } from '../parts/valueView.tsx';
import { CompareTab } from './compareTab.tsx';
import type { RunMoment } from './fold.ts';
import { StepAttempts } from './stepAttempts.tsx';
import { StepOverview } from './stepOverview.tsx';

function TryTab({ moment: { run, seq }, path }: { readonly moment: RunMoment; readonly path: string }) {
  const example = path.includes('/') ? 'inputs' : `steps.${path}.output`;
  return <EvaluateForm run={run.id} step={path} after={seq} example={example} />;
}

interface StepPanelProps {
  readonly moment: RunMoment;
  readonly events: readonly RunEvent[];
  readonly path: string;
  readonly onClose: () => void;
}

type View = (typeof tabs)[number]['name'];

const tabs = [
  { name: 'overview', label: 'Overview' },
  { name: 'arguments', label: 'Arguments' },
  { name: 'result', label: 'Result' },
  { name: 'attempts', label: 'Attempts' },
  { name: 'compare', label: 'Compare' },
  { name: 'try', label: 'Try' },
] as const;

export function StepPanel({ moment, events, path, onClose }: StepPanelProps) {
  const [view, setView] = useState<View>('overview');
  const step = moment.trace.step(path);
  const place = useRef<HTMLElement>(null);
  useFocusReturn(place, path);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) onClose();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <aside ref={place} className="panel" aria-label={`Step ${path}`}>
      <header className="row">
        <h2 className="cut grow" title={path}>
          {path}
        </h2>
        <CopyButton text={path} label="Copy the path" />
        <Button look="quiet" isTiny label="Close the step" icon={<X size={15} />} onClick={onClose} />
      </header>
      {step === undefined ? (
        <p className="dim panel-body">
          {isEnded(moment.run) ? 'It did not begin.' : 'It has not begun at this moment.'}
        </p>
      ) : (
        <>
          <Tabs label="Parts of the step" tabs={tabs} chosen={view} onChoose={setView} />
          <div className="panel-body">
            {view === 'overview' && <StepOverview moment={moment} events={events} step={step} />}
            {view === 'arguments' && <Arguments runId={moment.run.id} step={step} />}
            {view === 'result' && <Result runId={moment.run.id} step={step} />}
            {view === 'attempts' && <StepAttempts moment={moment} events={events} step={step} />}
            {view === 'try' && <TryTab moment={moment} path={path} />}
            {view === 'compare' && <CompareTab run={moment.run} step={step} />}
          </div>
        </>
      )}
    </aside>
  );
}

function Arguments({ runId, step: { call, awaiting } }: { readonly runId: string; readonly step: TracedStep }) {
  if (call !== undefined)
    return <ValueView runId={runId} value={call.verb === 'sample' ? call.request : call.arguments} />;
  if (awaiting?.for === 'child') return <ValueView runId={runId} value={awaiting.inputs} />;
  if (awaiting?.for === 'answer') {
    return (
      <div className="code">
        <pre>{awaiting.question.message}</pre>
      </div>
    );
  }
  return <p className="dim">It takes no arguments.</p>;
}

function Result({ runId, step }: { readonly runId: string; readonly step: TracedStep }) {
  const { value, path, status } = step;
  if (value === undefined)
    return <p className="dim">{status === 'succeeded' ? 'It gave nothing.' : 'There is no result.'}</p>;
  const isTop = !path.includes('/');
  return <ValueView runId={runId} value={value} expression={isTop ? `steps.${path}` : undefined} />;
}
