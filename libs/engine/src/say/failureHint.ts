/** Says what a person may do about a failure, with the same words in the terminal and on the page. */
import { isObject } from '@baton/primitives';

import type { Failure, FailureCode } from '../failure.ts';

/** Commands are written as `` `baton …` ``. Undefined where the message itself names a command. */
export function failureHint({
  code,
  message,
  details,
}: { readonly code: string } & Pick<Failure, 'message' | 'details'>): string | undefined {
  if (code === 'expression-failed' && isObject(details) && typeof details['hint'] === 'string') return details['hint'];
  const checked = code === 'outcome-unknown' && isObject(details) ? details['checked'] : undefined;
  if (typeof checked === 'string' && Object.hasOwn(afterCheck, checked)) return afterCheck[checked];
  // A workflow may give any code with `fail`, also `constructor`.
  return message.includes('`baton ') || !Object.hasOwn(hints, code) ? undefined : hints[code as keyof typeof hints];
}

/** What the check of a call of unknown outcome found. */
const afterCheck: Readonly<Record<string, string>> = {
  undecided:
    'its check could not say whether it happened: `baton runs retry` checks again before it makes the call; or find out at the server, and say so with `--happened STEP` or `--not-happened STEP`',
  'not-happened': 'its check found that it did not happen: `baton runs retry` makes it again',
};

const server = 'connect to the server alone, and see what it says: `baton servers test SERVER`';
const tools = 'list what the server offers with `baton servers tools SERVER`';
const timeouts = 'give it more time with `timeout`, or find out why it is slow';
const outputSchema = 'compare the answer with the tool’s output schema: `baton servers tools SERVER --json`';

/** Of a workflow's own failure, a tool's and a cancellation, the message says all that Baton knows. */
const hints: Readonly<Record<Exclude<FailureCode, 'workflow-failed' | 'tool-failed' | 'cancelled'>, string>> = {
  'invalid-inputs': 'give what `inputs` of the workflow asks for, or add a default there',
  'expression-failed': 'correct the expression, or the input or step that gave the value',
  'expression-budget': 'work with fewer items, or let a tool do this work',
  'invalid-arguments': 'compare `with` with the tool’s input schema: `baton servers tools SERVER --json`',
  'tool-not-found': tools,
  'tool-changed': 'look at what changed, and deploy the workflow again',
  'server-unknown': 'configure it in mcp.json, or correct its name in the workflow',
  'server-unreachable': server,
  'server-rejected': tools,
  'server-error': 'read the log of the server; `retry` of the step says how often Baton tries again',
  'server-overloaded': 'give the step a longer `retry`, or fewer calls at once with `maxParallel`',
  'server-unauthorized': 'check the credentials in the server configuration',
  'session-lost': server,
  'connection-lost': server,
  timeout: timeouts,
  'invalid-result': outputSchema,
  'result-too-large': 'ask the tool for less at a time, such as one page',
  'model-unavailable': 'check the provider under `models` in the server configuration',
  'model-failed': 'check the model and the key under `models` in the server configuration',
  'caller-absent': 'start it from an MCP client that offers sampling, or name a `model` in the step',
  'output-invalid': 'make the schema of `output` simpler, or say in the prompt what it asks for',
  'worker-lost': 'read the log of the worker; `effect: idempotent` allows Baton to retry such a call',
  'outcome-unknown':
    'find out whether it happened, then tell the retry, on the page or by `baton runs retry`: `--happened STEP` goes on after it, `--not-happened STEP` makes it again; with `ifUnknown: check` or `ask` the run finds out itself',
  'child-failed': 'look at the steps of the child run: `baton runs show` with its id',
  'question-expired': 'give `expires` of the `ask` more time, or an answer for that case with `onExpire`',
  'wait-expired': 'give `timeout` of the `wait` more time, or find out why the signal was not sent',
  'step-timed-out': timeouts,
  'run-timed-out': 'give the run more time with the workflow’s `timeout`',
  'budget-exceeded': 'raise the `budget`, or spend less',
  'limit-exceeded': 'divide the work among more steps or runs, so that each stays below the limit',
  'repeat-exhausted': 'raise `max`, or find out why the condition stays false',
  'not-achieved': 'find out why it is not so; `within` gives it more time to become true',
  'not-verified':
    'make it readable again, then let `baton runs retry` ensure it: what succeeded is kept, and only a `finally` runs again',
  'state-changed': 'run it again: the new run sees what the other one wrote',
  'state-unfit': 'declare a type that takes what is there, or give the key another name',
  'integrity-lost': 'find out what was changed: `baton audit verify`',
  'run-poisonous': 'look at the logs of the workers: every worker that took the run crashed',
};
