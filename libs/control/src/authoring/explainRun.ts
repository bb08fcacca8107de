/** Explains a failed run to its author: the step, its arguments, the answer, and what may help. */
import { type Call, type Failure, type RunEvent, failureHint, replay, Trace } from '@baton/engine';
import { defined, isObject } from '@baton/primitives';

import { questionsIn } from '../questions/openQuestions.ts';

export interface RunExplanation {
  readonly run: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly status: string;
  readonly step?: string;
  readonly target?: string;
  /** The arguments as Baton sent them. */
  readonly arguments?: unknown;
  /** How often the call was made, where it was more than once. */
  readonly attempts?: number;
  readonly error?: Pick<Failure, 'code' | 'message' | 'details'>;
  readonly fix: string;
}

/**
 * What an author over MCP may do, where that is not what a person at a terminal or on the page may do (`failureHint`):
 * tools of this server in place of commands.
 */
const advice: Readonly<Record<string, string>> = {
  'invalid-arguments':
    'Change `with` of the step so that it fits the inputSchema of the tool: find_tools with its name shows it.',
  'tool-failed': 'The tool itself refused: read its answer, and change the arguments, or handle it with `onError`.',
  cancelled: 'The run was cancelled: nothing has to be corrected. retry_run goes on where it ended.',
  'tool-not-found': 'The server has no tool of that name: find_tools lists what there is.',
  'invalid-result': 'Compare the answer with the outputSchema of the tool: find_tools with its name shows it.',
  'server-unreachable': 'The server cannot be reached. Nothing is wrong with the workflow: retry_run when it is back.',
  'child-failed': 'Look at the child run: explain_run with its id.',
};

/** A workflow may give any code with `fail`, also `constructor`. */
function adviceFor(failure: Failure, attempts: number, call: Call | undefined): string {
  const { code } = failure;
  const again = attempts > 1 ? `All ${attempts} attempts failed. ` : '';
  if (Object.hasOwn(advice, code))
    return `${again}${advice[code] ?? ''}${attempts > 1 ? '' : whetherAgain(code, call)}`;
  const hint = failureHint(failure);
  // An author over MCP has no command line.
  return hint === undefined || hint.includes('`baton ')
    ? `${again}Read the message; get_run shows every step with its attempts.`
    : `${again}${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
}

function whetherAgain(code: string, call: Call | undefined): string {
  if (code !== 'tool-failed') return '';
  return call?.verb === 'tool' && call.effect === 'write' && call.isKeyed !== true
    ? ' It is a `write`: Baton makes no write again that was answered, also with `retry`.'
    : ' It is called again only with `retry: { on: [tool-failed], … }`.';
}

const secretAdvice = 'Nothing is wrong with the workflow: store the secret as the message says, then retry_run.';

/** What an unfinished run needs. */
function waitFor(runId: string, events: readonly RunEvent[], status: string): string {
  const open = questionsIn(runId, events).find(({ isOpen }) => isOpen);
  if (open !== undefined)
    return `It waits for an answer at ${open.path}: ask the person, then answer_question with { "id": "${open.id}", "answer": … }; get_run shows the form.`;
  const signal = Trace.of(events).steps.find((step) => step.status === 'waiting' && step.awaiting?.for === 'signal');
  if (signal?.awaiting?.for === 'signal')
    return `It waits for the signal ${signal.awaiting.name} at ${signal.path}: send_signal with { "id": "${runId}", "name": ${JSON.stringify(signal.awaiting.name)}, "payload": … }.`;
  return `The run is ${status}; ask again when it is over.`;
}

export function explainRun(runId: string, events: readonly RunEvent[]): RunExplanation {
  const run = replay(runId, events);
  const { workflow, version = null, status } = run;
  const failure = 'failure' in run ? run.failure : undefined;
  const base = { run: runId, workflow, version, status };
  if (failure === undefined) {
    return {
      ...base,
      fix: status === 'succeeded' ? 'There is nothing to correct: the run succeeded.' : waitFor(runId, events, status),
    };
  }
  const trace = Trace.of(events);
  const step = failure.step === undefined ? undefined : trace.step(failure.step);
  const call = step?.call;
  const given = call?.verb === 'sample' ? call.request : call?.arguments;
  const shown = step?.failure ?? failure;
  const attempts = step?.attempts.length ?? 0;
  const { code, message, details } = shown;
  return {
    ...base,
    ...defined({ step: failure.step }),
    ...(step?.target === undefined ? {} : { target: step.target }),
    ...(given === undefined ? {} : { arguments: 'json' in given ? given.json : 'too large to be shown' }),
    ...(attempts > 1 ? { attempts } : {}),
    error: { code, message, ...defined({ details }) },
    fix: isObject(details) && 'secrets' in details ? secretAdvice : adviceFor(shown, attempts, call),
  };
}
