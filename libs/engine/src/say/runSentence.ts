/**
 * Describes the state of a run in one sentence: why it waits, why it failed, what follows, what a person may do. The
 * terminal and the page show the same words.
 */
import { type Effect, holdsOf } from '@baton/language';
import { durationText, relativeText } from '@baton/primitives';

import { type Failure, cancelledMessage, mayHaveHappened, notVerified, sentenceOf } from '../failure.ts';
import { asEnsured, ensuredIn } from '../state/ensured.ts';
import type { WaitCondition } from '../state/event.ts';
import { rowOf } from '../state/row.ts';
import { type Run, type RunStatus, isEnded } from '../state/run.ts';
import type { SaidOutcome } from '../state/saidOutcome.ts';
import { shownEffectOf } from '../state/shownEffectOf.ts';
import type { TracedStep } from '../state/trace.ts';
import { type UndoEnd, undoWords } from '../state/undoEnd.ts';

/** Instants are epoch milliseconds. */
export interface SentenceInput {
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** The run must not begin before this instant. */
  readonly notBefore: number | undefined;
  readonly failure: (Omit<Failure, 'code'> & { readonly code: string }) | undefined;
  readonly isCancelling: boolean;
  readonly cancelledBy: string | undefined;
  /** Number of open questions. */
  readonly questions: number;
  /** Set while a queued run waits because of its workflow's `concurrency`. */
  readonly awaitedTurn?: AwaitedTurn | undefined;
}

export interface AwaitedTurn {
  /** Runs at a time. */
  readonly limit: number;
  /** Id of a run that has one of the turns, or gets it first. */
  readonly heldBy: string;
}

export function sentenceInput(run: Run): SentenceInput {
  const { status, startedAt, endedAt, failure, isCancelling, questions } = rowOf(run);
  const cancelledBy = cancelledByOf(run);
  const { createdAt, notBefore } = run;
  return { status, createdAt, startedAt, endedAt, notBefore, failure, isCancelling, cancelledBy, questions };
}

function cancelledByOf(run: Run): string | undefined {
  if (isEnded(run)) return run.status === 'cancelled' ? run.cancelledBy : undefined;
  return run.cancel?.by;
}

const namedMax = 3;
/** Of steps that wait, each of which has a sentence. */
const waitsSaid = 2;

interface SentenceOptions {
  /** The reader sees the question beside the sentence, which then leaves it out. */
  readonly isQuestionShown?: boolean;
}

/** `steps`: in the order in which they began. */
export function runSentence(
  run: SentenceInput,
  steps: readonly TracedStep[],
  nowMs: number,
  { isQuestionShown = false }: SentenceOptions = {},
): string {
  switch (run.status) {
    case 'queued':
      return queued(run, nowMs);
    case 'running':
    case 'waiting':
      return run.isCancelling ? cancelling(run, steps) : underWay(run, steps, { nowMs, isQuestionShown });
    case 'succeeded':
      return succeeded(run, steps);
    case 'failed':
      return failed(run, steps);
    case 'cancelled':
      return cancelled(run, steps);
  }
}

function queued({ notBefore, isCancelling, cancelledBy, awaitedTurn }: SentenceInput, nowMs: number): string {
  if (isCancelling) return `${cancelledBy ?? 'A person'} cancelled it before it began.`;
  if (notBefore !== undefined && notBefore > nowMs) return `It starts ${relativeText(notBefore, nowMs)}.`;
  return awaitedTurn === undefined ? 'It waits for a worker that is free.' : turnSentence(awaitedTurn);
}

function turnSentence({ limit, heldBy }: AwaitedTurn): string {
  return `It waits for its turn behind run ${heldBy}: its workflow lets ${countText(limit, 'run')} begin at a time.`;
}

function cancelling({ cancelledBy }: SentenceInput, steps: readonly TracedStep[]): string {
  const open = active(steps);
  const what = open.length === 0 ? 'What remains to be undone is under way.' : `${named(open)} may finish first.`;
  return `${cancelledBy ?? 'A person'} cancelled it. ${what}`;
}

const active = (steps: readonly TracedStep[]): TracedStep[] =>
  steps.filter(({ status }) => status === 'running' || status === 'waiting' || status === 'retrying');

/** Whether the step only contains other steps. */
export const isControl = ({ verb }: Pick<TracedStep, 'verb'>): boolean => holdsOf(verb) !== 'nothing';

function underWay(
  run: SentenceInput,
  steps: readonly TracedStep[],
  { nowMs, isQuestionShown }: { readonly nowMs: number; readonly isQuestionShown: boolean },
): string {
  const open = active(steps);
  const leaves = open.filter((step) => !isControl(step));
  const asked = leaves.find(({ awaiting, status }) => status === 'waiting' && awaiting?.for === 'answer');
  if (asked?.awaiting?.for === 'answer') {
    const { question } = asked.awaiting;
    if (isQuestionShown) return questionSentence(asked, { ...question, message: undefined }, nowMs);
    return `${questionSentence(asked, question, nowMs)}${furtherQuestions(run.questions - 1)}`;
  }
  const running = leaves.filter(({ status }) => status === 'running');
  if (running.length > 0) return runningSentence(open, running);
  if (leaves.length > 0) {
    const said = leaves.slice(0, waitsSaid).map((step) => waitSentence(step, nowMs));
    const others = leaves.length - said.length;
    if (others > 0) said.push(others === 1 ? '1 more step waits.' : `${others.toLocaleString('en')} more steps wait.`);
    return said.join(' ');
  }
  return run.status === 'waiting' ? 'It waits.' : 'A worker has it, and decides what comes next.';
}

/** Of several questions the sentence quotes the first. */
const furtherQuestions = (count: number): string =>
  count <= 0 ? '' : ` ${countText(count, 'more question')} ${count === 1 ? 'waits' : 'wait'} for an answer.`;

function runningSentence(open: readonly TracedStep[], running: readonly TracedStep[]): string {
  const loop = open.find(({ verb, total }) => verb === 'forEach' && total !== undefined);
  const items = loop === undefined ? '' : ` ${loop.finished ?? 0} of ${loop.total} items of ${loop.path} are done.`;
  const verb = running.length === 1 ? 'is' : 'are';
  return `${named(running)} ${verb} running.${items}`;
}

function questionSentence(
  { path }: TracedStep,
  { message, expiresAt }: { readonly message: string | undefined; readonly expiresAt?: number },
  nowMs: number,
): string {
  const until = expiresAt === undefined ? '' : `, which expires ${relativeText(expiresAt, nowMs)}`;
  const question = message === undefined ? '' : ` to “${excerpt(message)}”`;
  return `${path} waits for an answer${question}${until}.`;
}

/** An instant that has come is no past one: what waits for it continues now. */
const whenText = (at: number, nowMs: number): string => relativeText(Math.max(at, nowMs + 1), nowMs);

export function waitSentence(
  { path, status, awaiting, resumeAt, attempts, failure }: TracedStep,
  nowMs: number,
): string {
  if (status === 'retrying') {
    const last = failure ?? attempts.at(-1)?.failure;
    const why = last === undefined ? '' : ` (${last.code})`;
    const when = resumeAt === undefined ? 'soon' : whenText(resumeAt, nowMs);
    return `Attempt ${attempts.length} of ${path} failed${why}; the next one begins ${when}.`;
  }
  switch (awaiting?.for) {
    case 'time':
      return `${path} waits; it continues ${whenText(awaiting.until, nowMs)}.`;
    case 'turn':
      return turnAtServer(path, awaiting, nowMs);
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

function turnAtServer(
  path: string,
  { server, until, isAway, login }: Extract<WaitCondition, { for: 'turn' }>,
  nowMs: number,
): string {
  if (login !== undefined) return `${path} waits until ${login} logs in: baton servers login ${server}.`;
  if (until === undefined || until <= nowMs) return `${path} waits for its turn at ${server}.`;
  const when = whenText(until, nowMs);
  return isAway === true
    ? `${path} waits for its turn at ${server}: the turns cannot be asked now, and are asked again ${when}.`
    : `${path} waits for its turn at ${server}, which comes ${when}.`;
}

const isOwn = ({ isKept }: TracedStep): boolean => isKept !== true;

function succeeded(run: SentenceInput, steps: readonly TracedStep[]): string {
  const acting = steps.filter((step) => !isControl(step));
  const kept = acting.filter(({ isKept }) => isKept === true).length;
  const own = acting.filter(isOwn);
  const ended = asEnsured(steps).filter(
    (step) => !isControl(step) && isOwn(step) && step.isCalledBefore !== true && step.status === 'succeeded',
  ).length;
  const missed = own.filter(({ status }) => status === 'failed').length;
  const but = missed === 0 ? '' : `, and ${missed.toLocaleString('en')} failed without ending it`;
  const before = kept === 0 ? '' : ` ${keptText(kept)}`;
  return `${countText(ended, 'step')} succeeded in ${durationOfRun(run)}${but}.${before} ${changesText(steps)}${ensuredText(steps)}`;
}

/** Of a retry or a rerun: outcomes that it has, or would have, from the run before. */
export const keptText = (count: number): string =>
  count === 1 ? 'The outcome of 1 step is kept.' : `The outcomes of ${count.toLocaleString('en')} steps are kept.`;

/** Counts what was read and found true; and what was not, where the author ignores, handles or collects that. */
function ensuredText(steps: readonly TracedStep[]): string {
  const ensured = ensuredIn(steps);
  const count = ensured.filter(({ status }) => status === 'succeeded').length;
  const failing = ensured.filter(({ status }) => status === 'failed');
  const unread = failing.filter(({ failure }) => failure?.code === notVerified).length;
  const untrue = failing.length - unread;
  const said = [
    ...(count === 0 ? [] : [`It ensured ${countText(count, 'condition')}.`]),
    ...(untrue === 0 ? [] : [`${shouldEnsure(untrue)} not true, and it went on.`]),
    ...(unread === 0 ? [] : [`${shouldEnsure(unread)} not known to be true, and it went on.`]),
  ];
  return said.map((words) => ` ${words}`).join('');
}

const shouldEnsure = (count: number): string =>
  `${countText(count, 'condition')} that it should ensure ${count === 1 ? 'was' : 'were'}`;

/** Counts the run's own calls that changed something. The journal of a child run says what the child did. */
function changesText(steps: readonly TracedStep[]): string {
  const effectOf = ({ call }: TracedStep): Effect => (call === undefined ? 'read' : shownEffectOf(call));
  const calls = steps.filter((step) => effectOf(step) !== 'read');
  const foundOut = calls.filter(isFoundOut);
  const made = (effect: Effect): number =>
    calls.filter((step) => effectOf(step) === effect && step.status === 'succeeded' && !isFoundOut(step)).length;
  const [writes, idempotent] = [made('write'), made('idempotent')];
  const unknown = calls.filter(({ status }) => status === 'unknown').length;
  const lost = calls.length - writes - idempotent - unknown - foundOut.length;
  const children = steps.filter(({ verb }) => verb === 'workflow').length;
  const changes = [
    ...(writes === 0 ? [] : [countText(writes, 'write')]),
    ...(idempotent === 0 ? [] : [countText(idempotent, 'idempotent call')]),
  ];
  const told = [
    ...(changes.length === 0 ? [] : [`It made ${changes.join(' and ')}.`]),
    ...foundOutText(foundOut),
    ...(unknown === 0 ? [] : [`${countText(unknown, 'call')} ${mayHaveHappened}.`]),
    ...(lost === 0 ? [] : [`${countText(lost, 'call')} that may change something did not succeed.`]),
    ...(children === 0 ? [] : [`See its ${countText(children, 'child run')} for what was done there.`]),
  ];
  return told.length === 0 ? 'It changed nothing in the world.' : told.join(' ');
}

/** A person said that its call happened, or a check found that a call of the run before did: no answer of it came here. */
export const isFoundOut = ({ status, said, isCalledBefore }: TracedStep): boolean =>
  status === 'succeeded' && (said?.happened === true || isCalledBefore === true);

function foundOutText(steps: readonly TracedStep[]): string[] {
  const sayers = new Set(steps.flatMap(({ said }) => (said === undefined ? [] : [said.by])));
  const said = steps.filter((step) => step.said !== undefined).length;
  const checked = steps.length - said;
  const [who] = sayers.size === 1 ? sayers : ['people'];
  return [
    ...(said === 0 ? [] : [`That ${countText(said, 'call')} happened, ${who} said: no answer of it came.`]),
    ...(checked === 0 ? [] : [`A check found that ${countText(checked, 'call')} of the run before happened.`]),
  ];
}

/** How it is known that the call of such a step happened: `it happened, bob said`. */
export const foundOutWords = ({ said }: TracedStep, nameOf: (by: string) => string = (by) => by): string =>
  said === undefined ? 'it happened, its check found' : `it happened, ${nameOf(said.by)} said`;

/** `bob said 3 m ago that it did not happen` */
export const saidSentence = ({ by, at, happened }: SaidOutcome, nowMs: number): string =>
  `${by} said ${relativeText(Math.min(at, nowMs), nowMs)} that it ${happened ? 'happened' : 'did not happen'}`;

function failed({ failure }: SentenceInput, steps: readonly TracedStep[]): string {
  // Without one it is the run that failed, such as its outputs. A step that failed too was ignored, or answered for.
  const step = failure?.step === undefined ? undefined : steps.find(({ path }) => path === failure.step);
  const tries = step?.attempts.length ?? 0;
  const isUnknown = step?.status === 'unknown' || failure?.code === 'outcome-unknown';
  const where =
    step === undefined ? 'It failed' : `${step.path}${isUnknown ? unknownWords(failure) : failedWords(tries)}`;
  return `${where}${messageSuffix(failure)}${undoText(steps)}`;
}

const failedWords = (tries: number): string => ` failed${tries > 1 ? ` after ${tries} attempts` : ''}`;

/** Once: the message of such a failure begins with it. */
const unknownWords = (failure: SentenceInput['failure']): string =>
  failure !== undefined && excerpt(failure.message).includes(mayHaveHappened) ? '' : ` ${mayHaveHappened}`;

/** Counts what was undone, and names what was not: a person must look at it. */
function undoText(steps: readonly TracedStep[]): string {
  const ended = (end: UndoEnd): readonly TracedStep[] => steps.filter(({ undoEnd }) => undoEnd === end);
  const count = ended('undone').length;
  const [failing, unknown] = [ended('failed'), ended('unknown')];
  const said = [
    ...(count === 0 ? [] : [`${countText(count, 'step')} ${count === 1 ? 'was' : 'were'} undone.`]),
    ...(failing.length === 0 ? [] : [`${named(failing)} ${undoWords.failed}.`]),
    ...(unknown.length === 0 ? [] : [`${named(unknown)} ${undoWords.unknown}.`]),
  ];
  return said.map((words) => ` ${words}`).join('');
}

function cancelled({ failure, cancelledBy }: SentenceInput, steps: readonly TracedStep[]): string {
  const by = cancelledBy === undefined ? '' : ` by ${cancelledBy}`;
  // The failure has the reason that was given, or says no more than this sentence.
  const hasReason = failure !== undefined && failure.message !== cancelledMessage;
  return `It was cancelled${by}${hasReason ? messageSuffix(failure) : '.'}${undoText(steps)}`;
}

const messageSuffix = (failure: SentenceInput['failure']): string =>
  failure === undefined ? '.' : `: ${sentenceOf(excerpt(failure.message))}`;

/** `1 step`, `1,200 steps`. */
export const countText = (n: number, noun: string): string => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

const durationOfRun = ({ createdAt, startedAt = createdAt, endedAt = startedAt }: SentenceInput): string =>
  durationText(endedAt - startedAt);

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
