/** One line of the tree, before it is laid out. */
import { type StepStatus, type TracedStep, foundOutWords, isFoundOut } from '@baton/engine';
import { durationText } from '@baton/primitives';

import { keyNameOf } from '../output/text.ts';
import { type TreeNode, hasFailed } from './nodes.ts';

export interface TreeRow {
  readonly depth: number;
  readonly status: StepStatus;
  readonly label: string;
  readonly target?: string | undefined;
  readonly bar?: ProgressBar | undefined;
  /** A note about its state. */
  readonly note?: string | undefined;
  readonly tookMs?: number | undefined;
}

export interface ProgressBar {
  /** From 0 to 1. */
  readonly part: number;
  readonly text: string;
}

export function rowOf(node: TreeNode, depth: number, nowMs: number): TreeRow {
  const { step, outlined } = node;
  const label = labelOf(node);
  const target = step?.target ?? outlined?.target;
  if (step === undefined)
    return { depth, status: 'pending', label, target: target ?? plainVerb(label, outlined?.verb) };
  return {
    depth,
    status: step.status,
    label,
    target: target ?? saidTarget(step) ?? plainVerb(label, step.verb),
    bar: step.status === 'running' ? barOf(step) : undefined,
    note: noteOf(node, step, nowMs),
    tookMs: tookMs(step, nowMs),
  };
}

/** The title of the step; else its key, without the number of a generated key. */
const labelOf = ({ key, step, outlined }: TreeNode): string =>
  outlined?.label ?? (step !== undefined && isGenerated(key, step.verb) ? step.verb : key);

const isGenerated = (key: string, verb: string): boolean => verb === 'ensure' || key.startsWith(`${verb}-`);

const plainVerb = (label: string, verb: string | undefined): string | undefined => (verb === label ? undefined : verb);

/** Targets that the journal writes differently. */
function saidTarget({ verb, value, awaiting, total }: TracedStep): string | undefined {
  if (awaiting?.for === 'answer') return awaiting.question.message;
  if (verb === 'forEach' && total !== undefined) return `${total} ${total === 1 ? 'item' : 'items'}`;
  if (verb !== 'sample' || value === undefined || !('json' in value)) return undefined;
  const { json } = value;
  const model = json !== null && typeof json === 'object' && 'model' in json ? json['model'] : undefined;
  return typeof model === 'string' ? `sample · ${model}` : undefined;
}

function barOf({ verb, progress, finished = 0, total }: TracedStep): ProgressBar | undefined {
  if (verb === 'forEach') {
    return total === undefined || total === 0 ? undefined : { part: finished / total, text: `${finished} of ${total}` };
  }
  if (progress?.total === undefined || !(progress.total > 0)) return undefined;
  const part = Math.min(1, Math.max(0, progress.progress / progress.total));
  return { part, text: `${Math.floor(part * 100)} %` };
}

function noteOf({ outlined, frames }: TreeNode, step: TracedStep, nowMs: number): string | undefined {
  const last = step.attempts.at(-1)?.n ?? 1;
  const tries = (n: number): string => `attempt ${n}${outlined === undefined ? '' : ` of ${outlined.attempts}`}`;
  switch (step.status) {
    case 'retrying': {
      const left = (step.resumeAt ?? nowMs) - nowMs;
      return left > 0 ? `${tries(last + 1)}, again in ${durationText(left)}` : `${tries(last + 1)}, again now`;
    }
    case 'running':
      return joined(last > 1 ? tries(last) : undefined, runningNote(step, frames.length));
    case 'waiting':
      return waitingNote(step, nowMs);
    case 'succeeded':
      return joined(
        last > 1 ? `attempt ${last}` : undefined,
        failedItems(step, frames),
        by(step),
        foundOut(step),
        login(step),
        kept(step),
      );
    case 'failed':
      return joined(
        step.failure?.code,
        last > 1 ? `after ${last} attempts` : undefined,
        login(step),
        failedItems(step, frames),
        kept(step),
      );
    case 'unknown':
      return 'it may or may not have happened';
    case 'skipped':
      return kept(step);
    default:
      return undefined;
  }
}

const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined).join(' · ') || undefined;

const kept = ({ isKept }: TracedStep): string | undefined => (isKept === true ? 'kept' : undefined);

const by = ({ verb, by: who }: TracedStep): string | undefined =>
  verb === 'ask' && who !== undefined ? `answered by ${who}` : undefined;

/** Of a call of which no answer came. */
function foundOut(step: TracedStep): string | undefined {
  return isFoundOut(step) ? foundOutWords(step, keyNameOf) : undefined;
}

/** Whose login at the server the last call used. */
function login({ attempts }: TracedStep): string | undefined {
  const whose = attempts.at(-1)?.login;
  return whose === undefined ? undefined : `as ${keyNameOf(whose)}`;
}

function runningNote({ verb, progress, finished = 0 }: TracedStep, rounds: number): string | undefined {
  if (verb === 'ensure') return finished === 0 ? undefined : `read ${finished + 1}`;
  if (verb === 'repeat') return `round ${Math.max(rounds, finished + 1)}`;
  if (progress === undefined) return undefined;
  const count = progress.total === undefined ? String(progress.progress) : undefined;
  return joined(count, progress.message);
}

function failedItems({ verb, total }: TracedStep, frames: TreeNode['frames']): string | undefined {
  if (verb !== 'forEach') return undefined;
  const failed = frames.filter(({ nodes }) => nodes.some(hasFailed)).length;
  return failed === 0 ? undefined : `${failed} of ${total ?? frames.length} failed`;
}

function waitingNote({ awaiting }: TracedStep, nowMs: number): string | undefined {
  switch (awaiting?.for) {
    case 'time':
      return awaiting.until > nowMs ? `for another ${durationText(awaiting.until - nowMs)}` : undefined;
    case 'turn':
      return awaiting.login === undefined
        ? joined(`for its turn at ${awaiting.server}`, left(awaiting.until, nowMs))
        : `until ${awaiting.login} logs in: baton servers login ${awaiting.server}`;
    case 'signal':
      return joined('for the signal', left(awaiting.expiresAt, nowMs));
    case 'answer':
      return joined('for an answer', left(awaiting.question.expiresAt, nowMs));
    case 'child':
      return 'for the run of that workflow';
    default:
      return undefined;
  }
}

const left = (expiresAt: number | undefined, nowMs: number): string | undefined =>
  expiresAt === undefined ? undefined : `${durationText(expiresAt - nowMs)} left`;

/** The time from the first attempt to the last one's end, or to now. */
function tookMs({ attempts, status }: TracedStep, nowMs: number): number | undefined {
  const startedAt = attempts[0]?.startedAt;
  if (startedAt === undefined) return undefined;
  const endedAt = status === 'retrying' ? undefined : attempts.at(-1)?.endedAt;
  return Math.max(0, (endedAt ?? nowMs) - startedAt);
}
