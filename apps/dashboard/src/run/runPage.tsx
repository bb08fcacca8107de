/** The page of one run: its state, timeline, effects, journal and actions. */
import { useDeferredValue, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { EffectsView } from './effectsView.tsx';
import { GraphTab } from './graphTab.tsx';
import { JournalView } from './journalView.tsx';
import { RunActions } from './runActions.tsx';
import { RunData } from './runData.tsx';
import { RunSummary } from './runSummary.tsx';
import { RunTitle } from './runTitle.tsx';
import { Slider, useDragged } from './slider.tsx';
import { StepPanel } from './stepPanel.tsx';
import { Timeline } from './timeline/timeline.tsx';
import { type RunView, useRun } from './useRun.ts';

import './run.css';

const views = ['timeline', 'graph', 'effects', 'journal', 'data'] as const;
type View = (typeof views)[number];

const names: Readonly<Record<View, string>> = {
  timeline: 'Timeline',
  graph: 'Graph',
  effects: 'Side effects',
  journal: 'Journal',
  data: 'Inputs and outputs',
};

export interface RunPlace {
  readonly view: View;
  readonly step: string | undefined;
  readonly at: number | undefined;
  readonly go: (change: Partial<Record<'view' | 'step' | 'at', string | undefined>>, isReplacing?: boolean) => void;
}

function usePlace(id: string): RunPlace {
  const search = useSearch();
  const [, navigate] = useLocation();
  return useMemo(() => {
    const params = new URLSearchParams(search);
    const wanted = params.get('view');
    const at = Number(params.get('at') ?? Number.NaN);
    return {
      view: views.find((one) => one === wanted) ?? 'timeline',
      step: params.get('step') ?? undefined,
      at: Number.isInteger(at) && at > 0 ? at : undefined,
      go: (change, isReplacing = false) => {
        const next = new URLSearchParams(search);
        for (const [name, value] of Object.entries(change)) {
          if (value === undefined) next.delete(name);
          else next.set(name, value);
        }
        navigate(`/runs/${id}${next.size === 0 ? '' : `?${next}`}`, { replace: isReplacing });
      },
    };
  }, [search, navigate, id]);
}

export function RunPage({ id }: { readonly id: string }) {
  const place = usePlace(id);
  const moment = useDragged(place.at, (at) => place.go({ at: at === undefined ? undefined : String(at) }, true));
  // The slider moves first: the rows of ten thousand steps may follow a frame later.
  const view = useRun(id, useDeferredValue(moment.at));
  const { shown, now, error } = view;
  if (error !== undefined) {
    return (
      <>
        <PageHead title="Run" />
        <div className="body">
          <ProblemNote error={error} />
          <Empty
            title="This run cannot be shown"
            action={
              <Link href="/runs" className="btn">
                Show the runs
              </Link>
            }
          />
        </div>
      </>
    );
  }
  if (shown === undefined || now === undefined) {
    return (
      <>
        <PageHead title="Run" />
        <Skeleton rows={10} />
      </>
    );
  }
  return (
    <>
      <PageHead
        title={<RunTitle shown={now} />}
        windowTitle={`${now.run.status} · ${now.run.workflow}`}
        actions={<RunActions moment={now} />}
      />
      <RunSummary view={view} shown={shown} onStep={(step) => place.go({ step })} />
      <Tabs
        label="Views of the run"
        chosen={place.view}
        onChoose={(chosen) => place.go({ view: chosen === 'timeline' ? undefined : chosen })}
        tabs={views.map((name) => ({ name, label: names[name] }))}
      />
      <div className={`run-split${place.step === undefined ? '' : ' with-panel'}`}>
        <div className="run-view">
          <Chosen view={view} place={place} />
          {(place.view === 'timeline' || place.view === 'graph' || place.view === 'effects') && (
            <Slider view={view} moment={moment} />
          )}
        </div>
        {place.step !== undefined && (
          <StepPanel
            moment={shown}
            events={view.events}
            path={place.step}
            onClose={() => place.go({ step: undefined })}
          />
        )}
      </div>
    </>
  );
}

function Chosen({ view, place }: { readonly view: RunView; readonly place: RunPlace }) {
  const { shown, now, events } = view;
  if (shown === undefined || now === undefined) return null;
  const onStep = (step: string): void =>
    place.go({ step: step === place.step ? undefined : step }, place.step !== undefined);
  switch (place.view) {
    case 'timeline':
      return <Timeline moment={shown} isLive={view.isLive} chosen={place.step} onStep={onStep} />;
    case 'graph':
      return <GraphTab moment={shown} chosen={place.step} onStep={onStep} />;
    case 'effects':
      return <EffectsView moment={shown} events={events} onStep={onStep} />;
    case 'journal':
      return (
        <JournalView
          runId={shown.run.id}
          events={events}
          trace={now.trace}
          onAt={(at) => place.go({ at: String(at), view: undefined })}
        />
      );
    case 'data':
      return <RunData run={shown.run} />;
  }
}
