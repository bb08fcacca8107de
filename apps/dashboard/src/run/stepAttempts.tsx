/** Lists the attempts of a step: times, worker, session, and whether the call reached the server. */
import type { Run, RunEvent, TracedAttempt, TracedStep } from '@baton/engine';
import { durationText } from '@baton/primitives';
import { useMemo } from 'react';

import { CallerText } from '../parts/callerText.tsx';
import { StatusText } from '../parts/statusMark.tsx';
import { InstantText } from '../parts/timeText.tsx';
import { type EffectCall, effectsOf, knowledgeWords } from './effects.ts';
import type { RunMoment } from './fold.ts';

interface StepAttemptsProps {
  readonly moment: RunMoment;
  readonly events: readonly RunEvent[];
  readonly step: TracedStep;
}

export function StepAttempts({ moment, events, step }: StepAttemptsProps) {
  const calls = useMemo(
    () => effectsOf(events, moment.seq).filter(({ path }) => path === step.path),
    [events, moment, step],
  );
  return (
    <ol className="col">
      {step.attempts.map((attempt) => (
        <Attempt
          key={`${attempt.n} ${attempt.startedAt}`}
          attempt={attempt}
          made={calls.find(({ at, attempt: n }) => n === attempt.n && at === attempt.startedAt)}
          clientRun={moment.run.session === undefined ? undefined : moment.run}
        />
      ))}
    </ol>
  );
}

function clientOf({ trigger, by }: Run): string {
  const client = trigger.detail?.['client'];
  return typeof client === 'string' ? client : by;
}

interface AttemptProps {
  readonly attempt: TracedAttempt;
  /** Undefined if the attempt made no call. */
  readonly made: EffectCall | undefined;
  /** The run of a client's session at the gateway. */
  readonly clientRun: Run | undefined;
}

function Attempt({ attempt, made, clientRun }: AttemptProps) {
  const { n, status, startedAt, endedAt, failure, worker, session, login } = attempt;
  return (
    <li className="attempt">
      <div className="row wrap">
        <b className="num">{n}</b>
        <StatusText status={status} />
        <span className="num dim">{endedAt === undefined ? 'under way' : durationText(endedAt - startedAt)}</span>
      </div>
      {failure !== undefined && (
        <p className="small">
          <b className="red">{failure.code}</b> {failure.message.slice(0, 600)}
        </p>
      )}
      <dl className="facts small">
        <dt>Began</dt>
        <dd>
          <InstantText at={startedAt} digits={3} />
        </dd>
        {made !== undefined && (
          <>
            <dt>Delivery</dt>
            <dd>{knowledgeWords[made.knowledge]}</dd>
          </>
        )}
        {made !== undefined && 'server' in made.call && (
          <>
            <dt>Server</dt>
            <dd>{made.call.server}</dd>
          </>
        )}
        {session !== undefined && (
          <>
            <dt>Session</dt>
            <dd title="Counted by the worker, for each server from 1">
              <code>{session}</code>
            </dd>
          </>
        )}
        {login !== undefined && (
          <>
            <dt>Login</dt>
            <dd title="Whose login at the server the call used">
              <CallerText by={login} />
            </dd>
          </>
        )}
        {clientRun !== undefined && (
          <>
            <dt>Client</dt>
            <dd>{clientOf(clientRun)}</dd>
          </>
        )}
        {worker !== undefined && (
          <>
            <dt>Worker</dt>
            <dd>
              <code>{worker}</code>
            </dd>
          </>
        )}
      </dl>
    </li>
  );
}
