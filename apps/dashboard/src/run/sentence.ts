/** What is the matter with a run, in one sentence: why it waits, why it failed, what follows, what a person may do. */
import type { Run, TracedStep } from '@baton/engine';

import { durationText, relativeText } from '../parts/time.ts';
import type { RunMoment } from './fold.ts';

const namedMax = 3;

export function sentenceOf({ run, trace }: RunMoment, nowMs: number): string {
  const { steps } = trace;
  switch (run.status) {
    case 'queued':
      return queued(run, nowMs);
    case 'running':
    case 'waiting':
      return isCancelling(run) ? cancelling(run, steps) : underWay(run, steps, nowMs);
    case 'succeeded':
      return succeeded(run, steps);
    case 'failed':
      return failed(run, steps);
    case 'cancelled':
      return cancelled(run);
  }
}

export const isCancelling = (run: Run): boolean => cancelOf(run) !== undefined && !isEnded(run);

const cancelOf = (run: Run) => ('cancel' in run ? run.cancel : undefined);

/** When it was claimed first, or requested. */
export function startOf(run: Run): number {
  if ('startedAt' in run) return run.startedAt;
  return ('execution' in run ? run.execution?.startedAt : undefined) ?? run.createdAt;
}
export const isEnded = ({ status }: Run): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

function queued({ notBefore }: Run, nowMs: number): string {
  if (notBefore !== undefined && notBefore > nowMs) return `It starts ${relativeText(notBefore, nowMs)}.`;
  return 'It waits for a worker that is free.';
}

function cancelling(run: Run, steps: readonly TracedStep[]): string {
  const cancel = cancelOf(run);
  const open = active(steps);
  const what = open.length === 0 ? 'What remains to be undone is under way.' : `${named(open)} may finish first.`;
  return `${cancel?.by ?? 'A person'} cancelled it. ${what}`;
}

const active = (steps: readonly TracedStep[]): TracedStep[] =>
  steps.filter(({ status }) => status === 'running' || status === 'waiting' || status === 'retrying');

/** It holds other steps, and does nothing itself. */
export const isControl = ({ verb }: TracedStep): boolean =>
  verb === 'parallel' || verb === 'steps' || verb === 'switch' || verb === 'forEach' || verb === 'repeat';

function underWay(run: Run, steps: readonly TracedStep[], nowMs: number): string {
  const open = active(steps);
  const leaves = open.filter((step) => !isControl(step));
  const asked = leaves.find(({ awaiting, status }) => status === 'waiting' && awaiting?.for === 'answer');
  if (asked?.awaiting?.for === 'answer') return questionSentence(asked, asked.awaiting.question, nowMs);
  const running = leaves.filter(({ status }) => status === 'running');
  if (running.length > 0) return runningSentence(open, running);
  const [first] = leaves;
  if (first !== undefined)
    return waitSentence(first, nowMs) + (leaves.length > 1 ? ` So do ${leaves.length - 1} more steps.` : '');
  return run.status === 'waiting' ? 'It waits.' : 'A worker has it, and decides what comes next.';
}

function runningSentence(open: readonly TracedStep[], running: readonly TracedStep[]): string {
  const loop = open.find(({ verb, total }) => verb === 'forEach' && total !== undefined);
  const items = loop === undefined ? '' : ` ${loop.finished ?? 0} of ${loop.total} items of ${loop.path} are done.`;
  const verb = running.length === 1 ? 'is' : 'are';
  return `${named(running)} ${verb} running.${items}`;
}

function questionSentence(
  { path }: TracedStep,
  { message, expiresAt }: { readonly message: string; readonly expiresAt?: number },
  nowMs: number,
): string {
  const until = expiresAt === undefined ? '' : `, which expires ${relativeText(expiresAt, nowMs)}`;
  return `${path} waits for an answer to “${excerpt(message)}”${until}.`;
}

export function waitSentence(
  { path, status, awaiting, resumeAt, attempts, failure }: TracedStep,
  nowMs: number,
): string {
  if (status === 'retrying') {
    const last = failure ?? attempts.at(-1)?.failure;
    const why = last === undefined ? '' : ` (${last.code})`;
    const when = resumeAt === undefined ? 'soon' : relativeText(resumeAt, nowMs);
    return `Attempt ${attempts.length} of ${path} failed${why}; the next one begins ${when}.`;
  }
  switch (awaiting?.for) {
    case 'time':
      return `${path} waits; it continues ${relativeText(awaiting.until, nowMs)}.`;
    case 'signal':
      return `${path} waits for the signal ${awaiting.name}.`;
    case 'child':
      return `${path} waits for its run of ${awaiting.workflow}.`;
    case 'sample':
      return `${path} waits for the model of the client that called it.`;
    default:
      return `${path} waits.`;
  }
}

function succeeded(run: Run, steps: readonly TracedStep[]): string {
  const ended = steps.filter(({ status }) => status === 'succeeded').length;
  const writes = steps.filter(
    ({ call, status }) => call?.verb === 'tool' && call.effect === 'write' && status === 'succeeded',
  );
  const changes = writes.length === 0 ? 'It changed nothing in the world' : `It made ${count(writes.length, 'write')}`;
  return `${count(ended, 'step')} succeeded in ${tookText(run)}. ${changes}.`;
}

function failed({ failure }: Extract<Run, { status: 'failed' }>, steps: readonly TracedStep[]): string {
  const step =
    failure.step === undefined
      ? steps.findLast(({ status }) => status === 'failed')
      : steps.find(({ path }) => path === failure.step);
  const undone = steps.filter(({ isUndone }) => isUndone === true).length;
  const tries = step?.attempts.length ?? 0;
  const where = step === undefined ? 'It failed' : `${step.path} failed${tries > 1 ? ` after ${tries} attempts` : ''}`;
  const after = undone === 0 ? '' : ` ${count(undone, 'step')} ${undone === 1 ? 'was' : 'were'} undone.`;
  return `${where}: ${ended(excerpt(failure.message))}${after}`;
}

const cancelled = ({ failure }: Extract<Run, { status: 'cancelled' }>): string =>
  `It was cancelled: ${ended(excerpt(failure.message))}`;

const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

export const count = (n: number, noun: string): string => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

const tookText = (run: Run): string => durationText(run.at - startOf(run));

function named(steps: readonly TracedStep[]): string {
  const names = steps.slice(0, namedMax).map(({ path }) => path);
  const rest = steps.length - names.length;
  if (rest > 0) return `${names.join(', ')} and ${rest} more`;
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? 'Nothing');
}

const excerptMax = 240;

export function excerpt(text: string, most = excerptMax): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
