/** The page of one run: its state, timeline, effects, journal and actions. */
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useIsNarrow } from '../parts/useIsNarrow.ts';
import { PageHead } from '../shell/pageHead.tsx';
import { EffectsSection } from './effectsView.tsx';
import type { RunMoment } from './fold.ts';
import { GraphTab } from './graphTab.tsx';
import { JournalView } from './journalView.tsx';
import { RunActions } from './runActions.tsx';
import { RunData } from './runData.tsx';
import { RunSummary } from './runSummary.tsx';
import { RunTitle } from './runTitle.tsx';
import { RunTree } from './runTree.tsx';
import { Slider, useDragged } from './slider.tsx';
import { StepPanel } from './stepPanel.tsx';
import { Timeline } from './timeline/timeline.tsx';
import { type FollowedRun, useRun } from './useRun.ts';

import './run.css';

interface PanelProps {
  readonly view: FollowedRun;
  /** At the chosen moment. */
  readonly shown: RunMoment;
  readonly now: RunMoment;
  readonly place: RunPlace;
  readonly onStep: (step: string) => void;
}

interface Panel {
  /** In the address of the page. */
  readonly name: string;
  readonly label: string;
  readonly View: (props: PanelProps) => ReactNode;
  /** Shows the run at the moment that the slider chooses. */
  readonly hasSlider?: true;
  /** What stands beneath it, and beneath the slider. */
  readonly Beneath?: (props: PanelProps) => ReactNode;
}

const timeline: Panel = {
  name: 'timeline',
  label: 'Timeline',
  hasSlider: true,
  View: ({ shown, view, place, onStep }) => (
    <Timeline moment={shown} isLive={view.isLive} chosen={place.step} onStep={onStep} />
  ),
  Beneath: ({ shown, view: { events }, onStep }) => (
    <>
      <RunTree moment={shown} />
      <EffectsSection moment={shown} events={events} onStep={onStep} />
    </>
  ),
};

const panels: readonly Panel[] = [
  timeline,
  {
    name: 'graph',
    label: 'Graph',
    hasSlider: true,
    View: ({ shown, place, onStep }) => <GraphTab moment={shown} chosen={place.step} onStep={onStep} />,
  },
  {
    name: 'journal',
    label: 'Journal',
    View: ({ shown, now, view: { events }, place }) => (
      <JournalView
        runId={shown.run.id}
        events={events}
        trace={now.trace}
        onAt={(at) => place.go({ at: String(at), view: undefined })}
      />
    ),
  },
  { name: 'data', label: 'Inputs and outputs', View: ({ shown: { run } }) => <RunData run={run} /> },
];

interface RunPlace {
  readonly panel: Panel;
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
      panel: panels.find(({ name }) => name === wanted) ?? timeline,
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

/** Opens the step that the run failed at, until the person chooses or closes one. On a phone it would cover the rest. */
function useFailedStep(place: RunPlace, { now, isLive }: FollowedRun): RunPlace {
  const [isOver, setOver] = useState(place.step !== undefined);
  const isNarrow = useIsNarrow();
  const { go, panel, step } = place;
  const failedAt = now?.run.status === 'failed' ? now.run.failure.step : undefined;
  const isOpened = !isOver && isLive && !isNarrow && panel === timeline && failedAt !== undefined;
  return useMemo(
    () => ({
      ...place,
      step: step ?? (isOpened && now?.trace.step(failedAt) !== undefined ? failedAt : undefined),
      go: (change, isReplacing) => {
        if ('step' in change) setOver(true);
        go(change, isReplacing);
      },
    }),
    [place, go, step, isOpened, failedAt, now],
  );
}

export function RunPage({ id }: { readonly id: string }) {
  const asked = usePlace(id);
  const moment = useDragged(asked.at, (at) => asked.go({ at: at === undefined ? undefined : String(at) }, true));
  // The slider moves first: the rows of ten thousand steps may follow a frame later.
  const view = useRun(id, useDeferredValue(moment.at));
  const place = useFailedStep(asked, view);
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
  const onStep = (step: string): void =>
    place.go({ step: step === place.step ? undefined : step }, place.step !== undefined);
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
        chosen={place.panel.name}
        onChoose={(chosen) => place.go({ view: chosen === timeline.name ? undefined : chosen })}
        tabs={panels.map(({ name, label }) => ({ name, label }))}
      />
      <div className={`run-split${place.step === undefined ? '' : ' with-panel'}`}>
        <div className="run-view">
          <place.panel.View view={view} shown={shown} now={now} place={place} onStep={onStep} />
          {place.panel.hasSlider === true && <Slider view={view} moment={moment} />}
          {place.panel.Beneath !== undefined && (
            <place.panel.Beneath view={view} shown={shown} now={now} place={place} onStep={onStep} />
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
