/** Describes an event of a journal in a few words. */
import {
  type EventOf,
  type RunEvent,
  type Trace,
  type TracedStep,
  type WaitCondition,
  excerpt,
  shownEffectOf,
} from '@baton/engine';

/** `trace`: the trace of the run, to look up steps. */
export function eventText(event: RunEvent, trace: Trace): string {
  switch (event.type) {
    case 'run.requested':
      return `${event.by} requested the run (${event.trigger.kind})`;
    case 'run.claimed':
      return `${event.worker} claimed the run, claim ${event.claim}`;
    case 'run.waiting':
      return 'the worker released the run';
    case 'run.cancelRequested':
      return `${event.by} asked to cancel the run`;
    case 'run.stopped':
      return excerpt(event.failure.message);
    case 'run.rewound':
      return `Postgres has lost ${new Date(event.from).toISOString()} to ${new Date(event.to).toISOString()}; ${event.by} let the run go on`;
    case 'run.ending':
    case 'run.finished':
      return 'failure' in event && event.failure !== undefined
        ? `${event.status}: ${excerpt(event.failure.message)}`
        : event.status;
    case 'state.read':
      return excerpt(Object.keys(event.values).join(', '));
    case 'signal.received':
      return `${event.name}, by ${event.by}`;
    default:
      return 'path' in event ? stepText(event, trace) : '';
  }
}

type StepEvent = Extract<RunEvent, { readonly path: string }>;

function stepText(event: StepEvent, trace: Trace): string {
  switch (event.type) {
    case 'step.started':
      return event.call?.verb === 'tool'
        ? `attempt ${event.attempt} of ${event.call.server}/${event.call.tool} (${shownEffectOf(event.call)})`
        : `attempt ${event.attempt}, ${event.verb}`;
    case 'step.waiting':
      return waitText(event.awaiting);
    case 'step.progressed':
      return `${event.progress}${event.total === undefined ? '' : ` of ${event.total}`} ${excerpt(event.message ?? '')}`;
    case 'step.retrying':
      return `${event.failure.code} (${event.delivery}): ${excerpt(event.failure.message)}`;
    case 'step.unknown':
    case 'step.failed':
      return `${event.failure.code}: ${excerpt(event.failure.message)}`;
    case 'step.cancelled':
      return event.reason;
    case 'item.finished':
      return itemText(event, trace.step(event.path)?.verb);
    case 'question.asked':
      return excerpt(event.question.message);
    case 'question.answered':
      return `by ${event.by}${saidText(trace.step(event.path), event)}`;
    case 'sample.answered':
      return `by ${event.by}`;
    case 'child.started':
      return `${event.runId} continues by itself`;
    case 'child.finished':
      return `${event.runId} ${event.status}`;
    default:
      return 'kept' in event && event.kept !== undefined ? 'kept from the run before' : '';
  }
}

/** What was said of a lost call. */
const saidText = (step: TracedStep | undefined, { at }: EventOf<'question.answered'>): string =>
  step?.said?.at === at ? `: it ${step.said.happened ? 'happened' : 'did not happen'}` : '';

function itemText({ index, failure }: EventOf<'item.finished'>, verb: TracedStep['verb'] | undefined): string {
  const what = itemName(index, verb);
  return failure === undefined ? what : `${what}, ${failure.code}: ${excerpt(failure.message)}`;
}

function itemName(index: number, verb: TracedStep['verb'] | undefined): string {
  if (verb === 'steps') return 'its steps are over';
  if (verb === 'ensure') return `read ${index + 1}: not so yet`;
  return verb === 'repeat' ? `round ${index}` : `item ${index}`;
}

function waitText(awaiting: WaitCondition): string {
  if (awaiting.for !== 'turn') return `for ${awaiting.for}`;
  const { server, login } = awaiting;
  return login === undefined ? `for its turn at ${server}` : `until ${login} logs in to ${server}`;
}
