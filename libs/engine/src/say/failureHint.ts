/** Says what a person may do about a failure, with the same words in the terminal and on the page. */
import type { Failure } from '../failure.ts';

/** Commands are written as `` `baton …` ``. Undefined where the message itself names a command. */
export function failureHint({
  code,
  message,
}: { readonly code: string } & Pick<Failure, 'message'>): string | undefined {
  // A workflow may give any code with `fail`, also `constructor`.
  return message.includes('`baton ') || !Object.hasOwn(hints, code) ? undefined : hints[code];
}

const server = 'list the servers and their state with `baton servers ls`';
const tools = 'list what the server offers with `baton servers tools`';
const timeouts = 'give it more time with `timeout`, or find out why it is slow';

const hints: Readonly<Record<string, string>> = {
  'invalid-arguments': 'compare `with` with the tool’s input schema: `baton servers tools SERVER --json`',
  'tool-not-found': tools,
  'tool-changed': 'look at what changed, and deploy the workflow again',
  'server-unknown': 'configure it in mcp.json, or correct its name in the workflow',
  'server-unreachable': server,
  'server-unauthorized': 'check the credentials in the server configuration',
  'connection-lost': server,
  timeout: timeouts,
  'step-timed-out': timeouts,
  'run-timed-out': 'give the run more time with the workflow’s `timeout`',
  'model-unavailable': 'check the provider under `models` in the server configuration',
  'model-failed': 'check the model and the key under `models` in the server configuration',
  'outcome-unknown':
    'find out whether it happened before you run it again; `ifUnknown: check` or `ask` does that for you',
  'child-failed': 'look at the steps of the child run: `baton runs show` with its id',
  'worker-lost': 'read the log of the worker; `effect: idempotent` allows Baton to retry such a call',
  'budget-exceeded': 'raise the `budget`, or spend less',
  'repeat-exhausted': 'raise `max`, or find out why the condition stays false',
  'integrity-lost': 'find out what was changed: `baton audit verify`',
  'run-poisonous': 'look at the logs of the workers: every worker that took the run crashed',
};
