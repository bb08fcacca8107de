/** Keywords of other tools, and the keys of this language that they mean. */
import { didYouMean, nearest } from '@baton/expressions';

const elsewhere: Readonly<Record<string, readonly string[]>> = {
  tool: ['uses', 'use', 'call', 'action', 'run', 'invoke', 'mcp', 'function', 'task'],
  sample: ['llm', 'ai', 'generate', 'completion', 'chat', 'model'],
  ask: ['approve', 'approval', 'confirm', 'question', 'human', 'elicit'],
  wait: ['sleep', 'delay', 'pause'],
  forEach: ['for', 'each', 'map', 'loop', 'with_items', 'withItems', 'matrix'],
  parallel: ['concurrent', 'concurrently', 'all', 'branches'],
  switch: ['case', 'cases', 'choose', 'choice', 'match'],
  repeat: ['while', 'until', 'poll', 'doWhile'],
  fail: ['throw', 'raise', 'error', 'abort'],
  set: ['let', 'assign', 'var', 'vars', 'variables', 'const'],
  workflow: ['subworkflow', 'subflow', 'child', 'callWorkflow'],
  title: ['name', 'label', 'description'],
  with: ['args', 'arguments', 'params', 'parameters', 'input', 'inputs'],
  if: ['when', 'condition', 'only_if'],
  needs: ['depends', 'depends_on', 'dependsOn', 'after'],
  onError: ['catch', 'continueOnError', 'continue-on-error', 'on_error', 'rescue'],
  retry: ['retries', 'attempts'],
  maxParallel: ['concurrency', 'maxConcurrency', 'concurrencyLimit', 'parallelism'],
  every: ['delay', 'interval', 'rate', 'sleep', 'pause'],
  attempts: ['max', 'count', 'times', 'maxAttempts', 'limit'],
  delay: ['interval', 'initialDelay'],
  steps: ['jobs', 'tasks', 'do', 'then', 'nodes'],
  on: ['triggers', 'trigger'],
  inputs: ['with', 'args', 'arguments', 'params', 'parameters', 'input'],
  append: ['prompt', 'text', 'input'],
  modelPreferences: ['model'],
  systemPrompt: ['system'],
  usd: ['dollars', 'cost', 'price'],
  toolCalls: ['calls'],
  when: ['case', 'if'],
  else: ['default', 'otherwise'],
  schedule: ['cron', 'crontab'],
  at: ['once', 'runAt', 'date'],
  webhook: ['hook', 'http'],
  undo: ['rollback', 'compensate', 'compensation', 'revert'],
  key: ['idempotencyKey', 'idempotency_key', 'idempotency-key', 'requestId'],
  onExpire: ['onTimeout', 'on_timeout'],
  finally: ['ensure', 'always', 'cleanup'],
  onFailure: ['on_failure', 'onFail'],
  expires: ['expiry', 'expiresIn', 'deadline'],
};

const twoBranches = 'two branches are `switch: [{ when: …, steps: […] }, { else: […] }]`';
const noEarlyEnd =
  'a loop over a list has no early end: filter the list, or write `repeat: { max: …, until: …, steps: … }`';
const anyPerson = 'anyone who may answer can answer: name the person in the text, and tell them with a tool before';
const namedResult = 'give the step an `id`: what it gave is `steps.<id>.output`';
const handled = 'a failure is handled by `onError` on the step, or on a group of steps: `{ steps: […], onError: … }`';
const byTool = 'calls are made by tools: `tool: server/name`; docs/importing.md has a server for HTTP and shells';

/** What other tools have as a key, and Baton in another form: by key, or by verb and key. */
const idioms: ReadonlyMap<string, string> = new Map([
  ['then', `the verb stands beside \`if\`; ${twoBranches}`],
  ['else', twoBranches],
  ['elif', twoBranches],
  ['switch.default', '`else` is the last case of the list: `- else: […]`'],
  ['switch.else', '`else` is the last case of the list: `- else: […]`'],
  ['unless', 'write `if: "!(…)"`'],
  ['forEach.while', noEarlyEnd],
  ['forEach.until', noEarlyEnd],
  ['forEach.break', noEarlyEnd],
  ['forEach.batch', 'lists of several items are `forEach: "${{ chunk(list, 10) }}"`'],
  ['forEach.batchSize', 'lists of several items are `forEach: "${{ chunk(list, 10) }}"`'],
  ['break', noEarlyEnd],
  ['continue', 'an item is skipped by `if` on the step, or `filter` on the list'],
  ['ask.to', anyPerson],
  ['ask.assignee', anyPerson],
  ['ask.assignees', anyPerson],
  ['ask.approvers', anyPerson],
  ['ask.recipients', anyPerson],
  ['ask.user', anyPerson],
  ['ask.options', 'a choice is in the form: `form: { choice: { enum: [a, b] } }`'],
  ['ask.choices', 'a choice is in the form: `form: { choice: { enum: [a, b] } }`'],
  ['sample.model', 'it belongs inside: `sample: { modelPreferences: { hints: [{ name: … }] } }`'],
  ['sample.prompt', 'it belongs inside: `sample: { append: … }`'],
  ['wait.until', 'it belongs inside: `wait: { until: … }`'],
  ['wait.for', 'it belongs inside: `wait: 5m`'],
  ['workflow.async', 'write `await: false` to go on at once'],
  ['workflow.detached', 'write `await: false` to go on at once'],
  ['fail.message', 'the message is the value: `fail: …`'],
  ['fail.reason', 'the message is the value: `fail: …`'],
  ['ask.default', 'a default belongs to its key in `form`; the answer by expiry is `onExpire`'],
  ['return', 'what a workflow gives is `outputs`, beside `steps`; a step that has no more to do is left out by `if`'],
  ['register', namedResult],
  ['output', namedResult],
  ['outputs', namedResult],
  ['saveAs', namedResult],
  ['store', namedResult],
  ['result', namedResult],
  ['try', handled],
  ['except', handled],
  ['depends_on', 'steps run from top to bottom; `needs` is for steps of one `parallel`'],
  ['dependsOn', 'steps run from top to bottom; `needs` is for steps of one `parallel`'],
  ['needs', 'steps run from top to bottom; `needs` is for steps of one `parallel`'],
  ['http', byTool],
  ['fetch', byTool],
  ['request', byTool],
  ['curl', byTool],
  ['shell', byTool],
  ['script', byTool],
  ['bash', byTool],
  ['log', 'the run keeps what each step was given and gave; `set` names values'],
  ['print', 'the run keeps what each step was given and gave; `set` names values'],
  ['echo', 'the run keeps what each step was given and gave; `set` names values'],
  ['signal', 'a signal is waited for by `wait: { signal: … }`'],
  ['event', 'a signal is waited for by `wait: { signal: … }`'],
]);

/** A sentence on a key of other tools; `verb`: of the step. */
export function idiomFor(key: string, verb?: string): string | undefined {
  return idioms.get(`${verb}.${key}`) ?? idioms.get(key);
}

/** The one of `names` that other tools call `written`. */
export const calledElsewhere = (written: string, names: readonly string[]): string | undefined =>
  names.find((name) => Object.hasOwn(elsewhere, name) && elsewhere[name]?.includes(written) === true);

/** A misspelt keyword of other tools: `retires` is near `retries`, which is `retry` here. */
function nearElsewhere(written: string, names: readonly string[]): string | undefined {
  const isLong = (name: string): boolean => name.length >= aliasMin;
  return names.find(
    (name) => Object.hasOwn(elsewhere, name) && nearest(written, elsewhere[name]?.filter(isLong) ?? []).length > 0,
  );
}

/** Shorter words are similar to too many others. */
const aliasMin = 6;

/** What was meant: by a keyword of another tool, a similar name, or a similar keyword. */
export function meantBy(written: string, names: readonly string[]): string | undefined {
  const known = calledElsewhere(written, names);
  if (known !== undefined) return `did you mean "${known}"?`;
  const near = didYouMean(written, names);
  if (near !== undefined) return near;
  const slip = nearElsewhere(written, names);
  return slip && `did you mean "${slip}"?`;
}

/** The same, if there is only one candidate. */
export function plainlyMeant(written: string, names: readonly string[]): string | undefined {
  const [near, ...others] = nearest(written, names);
  return calledElsewhere(written, names) ?? (others.length === 0 ? near : undefined);
}
