/** Reports each event as a line, for logs and pipes. */
import type { ConnectionState, FollowedEvent } from '@baton/api/client';
import {
  type Run,
  type RunEvent,
  type WaitCondition,
  foundOutWords,
  isFoundOut,
  rowOf,
  undoWords,
} from '@baton/engine';
import { durationText } from '@baton/primitives';

import type { Output } from '../output/output.ts';
import { oneLine } from '../output/text.ts';
import { drawFailures } from '../tree/failures.ts';
import { colourOf, glyphOf, type Status } from '../tree/glyphs.ts';
import type { Reporter } from './reporter.ts';
import type { WatchedRun } from './watchedRun.ts';

export class LineReporter implements Reporter {
  readonly #output: Pick<Output, 'paint' | 'line'>;
  #isCut = false;

  constructor(output: Pick<Output, 'paint' | 'line'>) {
    this.#output = output;
  }

  event({ event }: FollowedEvent, view: WatchedRun): void {
    const said = lineOf(event, view);
    if (said === undefined) return;
    const { paint } = this.#output;
    // A kept outcome has the time of the run before.
    const atMs = isKept(event) ? (view.run?.createdAt ?? event.at) : event.at;
    const at = paint.dim(new Date(atMs).toISOString());
    this.#output.line(`${at} ${colourOf(said.status, paint)(glyphOf(said.status))} ${oneLine(said.text)}`);
  }

  /** Reported once per interruption. */
  connection({ state }: ConnectionState): void {
    const isCut = state === 'cut';
    if (isCut !== this.#isCut) this.#output.line(isCut ? 'connection lost; reconnecting' : 'the connection is back');
    this.#isCut = isCut;
  }

  pause(): void {}
  resume(): void {}

  end({ picture }: WatchedRun): void {
    if (picture === undefined) return;
    for (const line of drawFailures(picture.head, picture.steps, this.#output, picture.outline))
      this.#output.line(line);
  }
}

interface EventLine {
  readonly status: Status;
  readonly text: string;
}

const isKept = (event: RunEvent): boolean => 'kept' in event && event.kept !== undefined;

/** Undefined for events that matter only to the engine. */
function lineOf(event: RunEvent, view: WatchedRun): EventLine | undefined {
  return 'path' in event ? stepLine(event, view) : runLine(event, view);
}

type StepEvent = Extract<RunEvent, { readonly path: string }>;

function runLine(event: Exclude<RunEvent, StepEvent>, { runId, run }: WatchedRun): EventLine | undefined {
  switch (event.type) {
    case 'run.requested': {
      const version = event.version === undefined ? '' : `@${event.version}`;
      return { status: 'queued', text: `run ${runId} of ${event.workflow}${version} was requested by ${event.by}` };
    }
    case 'run.claimed':
      return { status: 'running', text: `worker ${event.worker} took the run` };
    case 'run.waiting':
      return { status: 'waiting', text: 'the run waits' };
    case 'run.cancelRequested':
      return { status: 'cancelled', text: `${event.by} cancelled the run` };
    case 'run.stopped':
      return { status: 'failed', text: `the run is stopping: ${event.failure.message}` };
    case 'run.rewound':
      return { status: 'running', text: `${event.by} let the run go on after Postgres had gone back in time` };
    case 'run.ending':
    case 'state.read':
    case 'child.kept':
      return undefined;
    case 'run.finished':
      return {
        status: event.status,
        text: `the run ${ended[event.status]} in ${durationText(event.at - startOf(run, event.at))}`,
      };
    case 'session.closed':
      return { status: 'running', text: `${event.by} ended the session` };
    case 'signal.received':
      return { status: 'running', text: `signal ${event.name} came from ${event.by}` };
  }
}

/** The time of the first claim, else of the request. */
const startOf = (run: Run | undefined, otherwise: number): number =>
  run === undefined ? otherwise : (rowOf(run).startedAt ?? run.createdAt);

const ended = { succeeded: 'succeeded', failed: 'failed', cancelled: 'was cancelled' } as const;

function stepLine(event: StepEvent, { trace }: WatchedRun): EventLine | undefined {
  const step = trace.step(event.path);
  const target = step?.target === undefined ? '' : ` ${step.target}`;
  const last = step?.attempts.at(-1);
  const took = last === undefined ? '' : ` in ${durationText(event.at - last.startedAt)}`;
  const kept = isKept(event) ? ' in the run before, which is kept' : '';
  const found = step !== undefined && isFoundOut(step) ? `: ${foundOutWords(step)}` : '';
  const said = (status: Status, text: string): EventLine => ({ status, text: `${event.path} ${text}` });
  switch (event.type) {
    case 'step.started':
      return said(
        'running',
        `started${target || plainVerb(event)}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`,
      );
    case 'step.waiting':
      return said('waiting', `waits${waitingFor[event.awaiting.for] ?? ''}${target}${asked(event.awaiting)}`);
    case 'step.progressed':
      return said(
        'running',
        `progress ${event.progress}${event.total === undefined ? '' : ` of ${event.total}`} ${event.message ?? ''}`,
      );
    case 'step.succeeded':
      return said('succeeded', `succeeded${kept || found || took}`);
    case 'step.retrying': {
      const againIn = durationText(event.resumeAt - event.at);
      return said(
        'retrying',
        `failed, attempt ${event.attempt}, again in ${againIn}: ${event.failure.code}: ${event.failure.message}`,
      );
    }
    case 'step.unknown':
      return said('unknown', `may or may not have happened${kept && ' in the run before'}: ${event.failure.message}`);
    case 'step.failed':
      return said('failed', `failed${kept || took}: ${event.failure.code}: ${event.failure.message}`);
    case 'step.cancelled':
      return said('cancelled', `was cancelled: ${event.reason}`);
    case 'step.skipped':
      return said('skipped', `was skipped${kept}`);
    case 'step.undone':
      return said('cancelled', undoWords[step?.undoEnd ?? 'undone']);
    case 'item.finished':
      // The end of a group is not reported: its steps report theirs.
      if (step?.verb === 'steps') return undefined;
      return said(event.failure === undefined ? 'succeeded' : 'failed', `[${event.index}] is over`);
    case 'question.answered':
      return said('running', `was answered by ${event.by}`);
    case 'child.started':
      return said('running', `run ${event.runId} continues by itself`);
    case 'child.finished':
      return said(event.status, `run ${event.runId} ${ended[event.status]}`);
    // An event of a newer server.
    default:
      return undefined;
  }
}

/** The target, if the step is not named after it. */
const plainVerb = ({ path, verb }: Extract<RunEvent, { readonly type: 'step.started' }>): string =>
  path.slice(path.lastIndexOf('/') + 1).startsWith(verb) ? '' : ` ${verb}`;

const asked = (awaiting: WaitCondition): string =>
  awaiting.for === 'answer' ? ` to “${awaiting.question.message}”; see: baton answer` : '';

const waitingFor: Readonly<Record<string, string>> = {
  time: '',
  signal: ' for the signal',
  answer: ' for an answer',
  sample: ' for the caller’s model',
  turn: ' for its turn at its server',
  child: ' for a run of',
};
