import { type TracedStep, foundOutWords, isFoundOut, waitSentence } from '@baton/engine';
import { durationText } from '@baton/primitives';

import { UndoChip } from '../undoChip.tsx';
import type { TimeScale } from './timeScale.ts';

const keptWords = 'The outcome is that of the run before: nothing was called.';

interface AttemptBarProps {
  readonly step: TracedStep;
  readonly scale: TimeScale;
  readonly nowMs: number;
}

/** The attempts of a step as segments over time; waiting is hatched. */
export function AttemptBar({ step, scale, nowMs }: AttemptBarProps) {
  const { attempts, decidedAt, status, undoEnd, isKept } = step;
  return (
    <span className="t-track">
      {decidedAt !== undefined && (
        <i
          className={`seg point s-${status}`}
          style={{ left: `min(${scale.share(decidedAt) * 100}%, 100% - 3px)` }}
          title={withoutCall(step)}
        />
      )}
      {attempts.map(({ n, status: how, startedAt, endedAt, failure }, at) => {
        const from = scale.share(startedAt);
        const to = scale.share(endedAt ?? nowMs);
        const next =
          attempts[at + 1]?.startedAt ?? (status === 'retrying' && endedAt !== undefined ? nowMs : undefined);
        const state = how === 'waiting' && endedAt !== undefined ? status : how;
        return (
          <span key={`${n} ${startedAt}`}>
            <i
              className={`seg s-${state}${how === 'waiting' || step.awaiting !== undefined ? ' hatched' : ''}`}
              style={{ left: `min(${from * 100}%, 100% - 3px)`, width: `max(3px, ${(to - from) * 100}%)` }}
              title={segmentTitle(step, n, (endedAt ?? nowMs) - startedAt, failure?.message, nowMs)}
            />
            {next !== undefined && (
              <i className="seg gap" style={{ left: `${to * 100}%`, width: `${(scale.share(next) - to) * 100}%` }} />
            )}
          </span>
        );
      })}
      {undoEnd !== undefined && <UndoChip end={undoEnd} at="t-undone" />}
      {isFoundOut(step) && (
        <span className="t-undone chip warn" title={foundOutWords(step)}>
          {step.said === undefined ? 'found' : 'said'}
        </span>
      )}
      {isKept === true && (
        <span className="t-undone chip" title={keptWords}>
          kept
        </span>
      )}
    </span>
  );
}

function withoutCall(step: TracedStep): string {
  if (step.isKept === true) return keptWords;
  return `${step.status}, without a call${isFoundOut(step) ? `: ${foundOutWords(step)}` : ''}`;
}

function segmentTitle(step: TracedStep, n: number, tookMs: number, failure: string | undefined, nowMs: number): string {
  if (step.status === 'waiting' || step.status === 'retrying') return waitSentence(step, nowMs);
  return `Attempt ${n}: ${durationText(tookMs)}${failure === undefined ? '' : `\n${failure.slice(0, 300)}`}`;
}
