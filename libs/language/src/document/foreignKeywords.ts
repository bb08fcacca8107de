/** Keywords of other tools, and the keys of this language that they mean. */
import { didYouMean, nearest } from '../source/nearest.ts';

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
};

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
