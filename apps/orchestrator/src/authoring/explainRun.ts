/** Explains a failed run to its author: the step, its arguments, the answer, and what may help. */
import type { Failure, RunEvent } from '@baton/engine';
import { replay, Trace } from '@baton/engine';
import { isObject } from '@baton/primitives';

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
  readonly error?: Pick<Failure, 'code' | 'message' | 'details'>;
  readonly fix: string;
}

/** Advice for a failure code. */
const advice: Readonly<Record<string, string>> = {
  'invalid-arguments':
    'Change `with` of the step so that it fits the inputSchema of the tool: find_tools with its name shows it.',
  'invalid-inputs': 'Give other inputs, or a default in `inputs` of the workflow.',
  'expression-failed':
    'The expression met a value that it does not expect: look at the answer of the step that it reads, and use `a.?b.orValue(…)` where something may be missing.',
  'tool-failed':
    'The tool itself refused: read its answer, and change the arguments, or handle it with `onError`. It is called again only with `retry: { on: [tool-failed], … }`.',
  cancelled: 'The run was cancelled: nothing has to be corrected. retry_run goes on where it ended.',
  'tool-not-found': 'The server has no tool of that name: find_tools lists what there is.',
  'tool-changed': 'The tool has changed since the check: check the workflow, and deploy it again.',
  'server-unreachable':
    'The server cannot be reached. Nothing is wrong with the workflow; retry the run when it is back.',
  'server-overloaded':
    'The server limits the rate of calls: give the step a longer `retry`, or a smaller `maxParallel`.',
  timeout: 'No answer came in time: give the step a longer `timeout`.',
  'outcome-unknown':
    'The call may or may not have happened. Find out at the server, then say with `ifUnknown` or `check` what is to follow next time.',
  'output-invalid':
    'The model’s answer did not fit `output`: make the schema simpler, or say in the prompt what it must be.',
  'budget-exceeded': 'Raise `budget`, or do less.',
  'question-expired': 'The question had no answer in time: give `expires` more time, or an `onExpire`.',
};

/** A workflow may give any code with `fail`, also `constructor`. */
const adviceFor = (code: string): string =>
  (Object.hasOwn(advice, code) ? advice[code] : undefined) ??
  'Read the message; get_run shows every step with its attempts.';

const secretAdvice = 'Nothing is wrong with the workflow: store the secret as the message says, then retry_run.';

/** What an unfinished run needs. */
function waitFor(runId: string, events: readonly RunEvent[], status: string): string {
  const open = questionsIn(runId, events).find(({ isOpen }) => isOpen);
  if (open !== undefined)
    return `It waits for an answer at ${open.path}: ask the person, then answer_question with { "id": "${open.id}", "answer": … }; get_run shows the form.`;
  const signal = Trace.of(events).steps.find((step) => step.status === 'waiting' && step.awaiting?.for === 'signal');
  if (signal?.awaiting?.for === 'signal') return `It waits for the signal ${signal.awaiting.name} at ${signal.path}.`;
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
  const { code, message, details } = step?.failure ?? failure;
  return {
    ...base,
    ...(failure.step === undefined ? {} : { step: failure.step }),
    ...(step?.target === undefined ? {} : { target: step.target }),
    ...(given === undefined ? {} : { arguments: 'json' in given ? given.json : 'too large to be shown' }),
    error: { code, message, ...(details === undefined ? {} : { details }) },
    fix: isObject(details) && 'secrets' in details ? secretAdvice : adviceFor(code),
  };
}

/** The line of the step in the source, from 1; undefined if it is not found. */
function lineOfStep(source: string, path: string): number | undefined {
  const key = path.split('/').findLast((segment) => !segment.startsWith('@') && !/^\d+$/.test(segment)) ?? '';
  const lines = source.split('\n');
  const byId = lines.findIndex((line) => new RegExp(`\\bid:\\s*["']?${escaped(key)}["']?\\s*([,}]|$)`).test(line));
  return byId < 0 ? undefined : byId + 1;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns the source with the finding as a comment above the step. */
export function annotateSource(source: string, { step = '', error, arguments: given }: RunExplanation): string {
  const line = lineOfStep(source, step);
  if (line === undefined || error === undefined) return source;
  const lines = source.split('\n');
  const indent = /^\s*/.exec(lines[line - 1] ?? '')?.[0] ?? '';
  const jsonResult = [
    `failed: ${error.code}: ${error.message}`,
    ...(given === undefined ? [] : [`it was called with ${JSON.stringify(given)}`]),
  ];
  const comments = jsonResult.map((one) => `${indent}# ${one.replace(/\s+/g, ' ').slice(0, 400)}`);
  return [...lines.slice(0, line - 1), ...comments, ...lines.slice(line - 1)].join('\n');
}
