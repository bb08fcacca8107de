/** Shows the state of a step, the reason for it, and the facts about its call. */
import {
  type Failure,
  type RunEvent,
  type TracedStep,
  failureHint,
  isFoundOut,
  saidSentence,
  shownEffectOf,
  waitSentence,
} from '@baton/engine';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';

import { JsonView } from '../parts/jsonView.tsx';
import { StatusText } from '../parts/statusMark.tsx';
import { useNow } from '../parts/time.ts';
import { DurationText, InstantText } from '../parts/timeText.tsx';
import { LinkedRuns } from '../runs/linkedRuns.tsx';
import { effectsOf, knowledgeWords } from './effects.ts';
import type { RunMoment } from './fold.ts';

interface StepOverviewProps {
  readonly moment: RunMoment;
  readonly events: readonly RunEvent[];
  readonly step: TracedStep;
}

const failureCharacters = 4_000;

export function StepOverview({ moment, events, step }: StepOverviewProps) {
  const now = useNow();
  const { status, failure } = step;
  return (
    <>
      <StatusText status={status} />
      {step.isKept === true && <p className="dim">The outcome is that of the run before: nothing was called.</p>}
      {step.said !== undefined && (
        <p>
          Its answer was lost: {saidSentence(step.said, now)}.
          {isFoundOut(step) && step.isCalledBefore === true && ' The run before made the call; this one made none.'}
        </p>
      )}
      {(status === 'waiting' || status === 'retrying') && <p>{waitSentence(step, now)}</p>}
      {failure !== undefined && (
        <div className="note bad">
          <div className="col">
            <b>{failure.code}</b>
            <span className="pre">
              <LinkedRuns text={failure.message.slice(0, failureCharacters)} />
            </span>
            <Hint failure={failure} />
          </div>
        </div>
      )}
      <dl className="facts">
        <CallFacts moment={moment} events={events} step={step} />
        <TimeFacts step={step} />
      </dl>
      {failure?.details !== undefined && (
        <section className="section">
          <h3>Details</h3>
          <div className="code">
            <JsonView value={failure.details} />
          </div>
        </section>
      )}
    </>
  );
}

/** The hint that the command line prints too. */
function Hint({ failure }: { readonly failure: Failure }) {
  const hint = failureHint(failure);
  return hint === undefined ? null : <span className="hint">Hint: {hint.replaceAll('`', '')}.</span>;
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

function CallFacts({ moment, events, step: { path, verb, target, call } }: StepOverviewProps) {
  const made = useMemo(
    () => effectsOf(events, moment.seq).findLast((one) => one.path === path),
    [events, moment, path],
  );
  return (
    <>
      <Fact name="Does">
        {verb} {target !== undefined && <code>{target}</code>}
      </Fact>
      {call?.verb === 'tool' && (
        <Fact name="Effect">
          <span className={`chip ${shownEffectOf(call)}`}>{shownEffectOf(call)}</span>
          {call.idempotencyKey !== undefined && <> with the key {call.idempotencyKey}</>}
        </Fact>
      )}
      {made !== undefined && (
        <Fact name="Known of it">{made.undoEnd === 'undone' ? 'undone later' : knowledgeWords[made.knowledge]}</Fact>
      )}
    </>
  );
}

function TimeFacts({ step: { status, verb, attempts, progress, by } }: Pick<StepOverviewProps, 'step'>) {
  const [first] = attempts;
  const last = attempts.at(-1);
  return (
    <>
      {first !== undefined && (
        <>
          <Fact name="Began">
            <InstantText at={first.startedAt} digits={3} />
          </Fact>
          <Fact name="Took">
            <DurationText
              from={first.startedAt}
              to={last?.endedAt ?? (status === 'skipped' ? first.startedAt : undefined)}
            />
            {attempts.length > 1 && <span className="dim"> in {attempts.length} attempts</span>}
          </Fact>
        </>
      )}
      {last?.worker !== undefined && (
        <Fact name="Worker">
          <code>{last.worker}</code>
        </Fact>
      )}
      {progress !== undefined && (
        <Fact name="Progress">
          {progress.progress}
          {progress.total !== undefined && ` of ${progress.total}`} {progress.message}
        </Fact>
      )}
      {by !== undefined && <Fact name="By">{verb === 'workflow' ? <Link href={`/runs/${by}`}>{by}</Link> : by}</Fact>}
    </>
  );
}
