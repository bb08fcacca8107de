/**
 * Selects the outcomes of a finished run with which a run of another version begins. Pure.
 *
 * Simulates the new version with the id and start time of the old run. Where it would make a call, ask a question, wait
 * or request a child run, and the old run did so at the same path with the same arguments, it gets the old outcome;
 * every other step stays open. The events it reaches are those that both versions agree on. The new version computes
 * `set`, conditions and lists of items itself.
 */
import type { References } from '@baton/expressions';
import type { Block, Plan } from '@baton/language';
import { type Json, isSameJson } from '@baton/primitives';

import { raceIsOver } from '../decide/parallel.ts';
import { type SettledRun, settle, valueIn } from '../decide/settle.ts';
import { targetOfCall } from '../state/calledName.ts';
import type { DefinitionPart } from '../state/definitionPart.ts';
import { ensureAround, isOfRun } from '../state/ensure.ts';
import type { Call, EventOf, RunEvent, ToldOutcome, WaitCondition } from '../state/event.ts';
import { evolve, replay } from '../state/evolve.ts';
import { findStep, handlerOf, stateAt, stepFor } from '../state/locate.ts';
import { partAt } from '../state/part.ts';
import { type Path, framePrefix, isInsideAny } from '../state/path.ts';
import type { Run } from '../state/run.ts';
import { type StoredState, stateAtStart, stateOfRerun } from '../state/runState.ts';
import { type Blobs, type Value, positionIn, resolve } from '../state/value.ts';
import { type CarriedOutcomes, type CarryOptions, type KeptChildRun, notUndoneIn } from './carriedOutcomes.ts';
import {
  type Lookup,
  answeredInRerun,
  lookupOf,
  lookupsIn,
  lostCallOf,
  toldBelow,
  toldOf,
  unknownInRerun,
} from './lookup.ts';
import type { OpenCall } from './openCalls.ts';
import { OverSteps } from './overSteps.ts';
import { type Intents, type StepEndEvent, PastSteps } from './pastSteps.ts';
import { isCompensation, isInCheck } from './repeatedCalls.ts';
import { isSameIntent } from './sameIntent.ts';

export interface VersionChange extends Omit<CarryOptions, 'hasNewInputs'> {
  /** Id of the old run. */
  readonly runId: string;
  /** Inputs of the new run. */
  readonly inputs: Value;
  /** The part of the new version, if the run is an item of a `forEach`. */
  readonly part?: DefinitionPart | undefined;
  readonly blobs: Blobs;
  /** Of the runs that the old one goes on from: it kept their outcomes without their calls. */
  readonly intents?: Intents;
}

/** Throws `BlobsNeeded` where a value of the old run must be fetched first. */
export function carryToVersion(plan: Plan, journal: readonly RunEvent[], change: VersionChange): CarriedOutcomes {
  const past = new PastSteps(journal);
  const played = new VersionPlay(plan, journal, past, change).untilVersionsDiffer();
  const agreed = withReopened(withoutUnfinished(plan, played).map((event) => ({ ...event, at: atOf(event, change) })));
  const over = new OverSteps(plan, played.run, agreed);
  const stillLost = agreed.filter((event) => event.type !== 'step.unknown' || !over.has(event.path));
  const events = stillLost.flatMap((event) => [event, ...answerTo(event, played.lost, change.at)]);
  const unmatched = unmatchedPaths(plan, journal);
  const isOver = (path: Path): boolean => over.has(path) || isInsideAny(path, unmatched);
  const keptChildren = played.keptChildren.filter(({ kept }) => !isOver(kept.step));
  return {
    events: [...events, ...keptChildren.map(({ kept }) => kept)],
    unmatched: [...unmatched],
    isRepeated: (path) => !isCompensation(path) && !isOver(path),
    notUndone: notUndoneIn(past, events),
    lookups: lookupsIn(events, (path) => played.lost.get(path)?.lookup),
    lost: played.mayBeTold,
    nextCalls: played.events.flatMap((event) => nextCall(event, isOver)),
    keptChildren,
  };
}

/** What a person said of the call, if the event begins with it. */
function answerTo(event: RunEvent, lost: PlayedVersion['lost'], at: number): readonly RunEvent[] {
  if (event.type !== 'step.unknown') return [];
  const told = lost.get(event.path)?.told;
  return told === undefined ? [] : answeredInRerun(at, event, told);
}

/** The call, if the new run makes it and the simulation knows with which arguments. */
function nextCall(event: RunEvent, isOver: (path: Path) => boolean): readonly OpenCall[] {
  if (event.type !== 'step.started' || event.call?.verb !== 'tool' || isOver(event.path)) return [];
  const { path, call } = event;
  return 'json' in call.arguments ? [{ path, target: targetOfCall(call), arguments: call.arguments.json }] : [];
}

/** A kept outcome keeps its time; an event that the new version computed gets the time of the new run. */
const atOf = (event: RunEvent, { at }: VersionChange): number => ('kept' in event ? event.at : at);

/** The simulation sees what the old run saw. */
const noState: StoredState = new Map();

/** A signal that never comes: a step that waits for it stays open for the rest of the simulation. */
const neverSignal = '@never';

type ChildWait = Extract<WaitCondition, { for: 'child' }>;

interface PlayedVersion {
  /** After the claim. */
  readonly events: readonly RunEvent[];
  /** With the events folded in. */
  readonly run: Run;
  readonly keptChildren: readonly KeptChildRun[];
  /** Of steps that failed, too: the failure is not kept where its handler did not finish. */
  readonly lost: ReadonlyMap<Path, LostHere>;
  readonly mayBeTold: ReadonlySet<Path>;
}

interface LostHere {
  readonly event: EventOf<'step.unknown'>;
  readonly lookup: Lookup;
  readonly told: ToldOutcome | undefined;
}

type OldOutcome = EventOf<'step.succeeded' | 'step.failed' | 'step.unknown'>;

class VersionPlay {
  readonly #plan: Plan;
  readonly #journal: readonly RunEvent[];
  readonly #past: PastSteps;
  readonly #change: VersionChange;
  /** The journal of the simulation. */
  readonly #played: RunEvent[];
  /** How many of its events are before the first step. */
  readonly #begun: number;
  readonly #nowMs: number;
  readonly #keptChildren: KeptChildRun[] = [];
  readonly #lost = new Map<Path, LostHere>();
  readonly #mayBeTold = new Set<Path>();
  #run: Run;

  constructor(plan: Plan, journal: readonly RunEvent[], past: PastSteps, change: VersionChange) {
    this.#plan = plan;
    this.#journal = journal;
    this.#past = past;
    this.#change = change;
    const [first] = journal;
    const claim = journal.find((event) => event.type === 'run.claimed');
    const { inputs, part } = change;
    const requested = { ...(first as EventOf<'run.requested'>), inputs, ...(part && { part }) };
    this.#nowMs = claim?.at ?? requested.at;
    const claimed: RunEvent = { type: 'run.claimed', at: this.#nowMs, worker: 'play', claim: 1 };
    const seen = [requested, ...stateOfRerun(journal, change.runId, this.#nowMs)];
    const declared = stateAtStart(plan, replay(change.runId, seen), noState, this.#nowMs);
    this.#played = [...seen, claimed, ...declared.filter(({ type }) => type === 'state.read')];
    this.#begun = this.#played.length;
    this.#run = replay(change.runId, this.#played);
  }

  /** Simulates until nothing follows that both versions agree on. */
  untilVersionsDiffer(): PlayedVersion {
    for (let isMoving = true; isMoving;) isMoving = this.#advance();
    return {
      events: this.#played.slice(this.#begun),
      run: this.#run,
      keptChildren: this.#keptChildren,
      lost: this.#lost,
      mayBeTold: this.#mayBeTold,
    };
  }

  /** Simulates one step further. False where nothing more follows. */
  #advance(): boolean {
    const { events, abort } = this.#settled(true);
    if (events.length === 0) return this.#cancelLosers(abort);
    const news = events.some((event) => this.#isObstacle(event)) ? this.#stepPastObstacles() : events;
    if (news === undefined || news.length === 0) return false;
    news.forEach((event) => this.#take(this.#markUnchanged(event)));
    // In their old order, because the first success decides a race.
    news
      .flatMap((event) => this.#oldOutcomeFor(event) ?? [])
      .toSorted((a, b) => (a.kept ?? 0) - (b.kept ?? 0))
      .forEach((answer) => this.#take(answer));
    return true;
  }

  /** The events of one decision, with its obstacles held open; undefined where one of them cannot be. */
  #stepPastObstacles(): readonly RunEvent[] | undefined {
    const { events } = this.#settled(false);
    const obstacles = events.filter((event) => this.#isObstacle(event));
    if (obstacles.length === 0) return events;
    const holds = obstacles.map((event) => this.#heldOpen(event));
    return holds.includes(undefined) ? undefined : holds.filter((event) => event !== undefined);
  }

  /** Cancels the simulated calls that lost a race: no report of their end will come. */
  #cancelLosers(abort: ReadonlyMap<Path, string>): boolean {
    const losers = [...abort].filter(([, reason]) => reason === raceIsOver);
    for (const [path, reason] of losers) {
      const attempt = stateAt(this.#run, path)?.attempt ?? 1;
      this.#take({ type: 'step.cancelled', at: this.#nowMs, path, attempt, reason });
    }
    return losers.length > 0;
  }

  #settled(isWhole: boolean): Pick<SettledRun, 'events' | 'abort'> {
    const blobs: Blobs = (key) => this.#value(key);
    // The old run has already waited between its rounds, so the simulation does not.
    const offload = (event: RunEvent): RunEvent =>
      event.type === 'item.finished' && event.resumeAt !== undefined ? { ...event, resumeAt: this.#nowMs } : event;
    return settle(this.#plan, this.#run, [], { nowMs: this.#nowMs, blobs, offload, shouldContinue: () => isWhole });
  }

  /** A value of the simulation, or of the old run. */
  #value(key: string): Json | undefined {
    const position = positionIn(key);
    if (position === undefined) return this.#change.blobs(key);
    const event = this.#played[position - 1];
    if (event === undefined) return undefined;
    return valueIn(event) ?? (event.type === 'step.succeeded' ? resolve(event.value, this.#change.blobs) : undefined);
  }

  #take(event: RunEvent): void {
    this.#run = evolve(this.#run, event);
    this.#played.push(event);
  }

  /** Whether the simulation must not apply the event: a run's end, an unhandled failure, or the step to rerun from. */
  #isObstacle(event: RunEvent): boolean {
    if (!('path' in event)) return true;
    if (event.path === this.#change.from && event.type !== 'item.finished') return true;
    // What is written differs from what the old run wrote: the new run writes it.
    if (event.type === 'step.succeeded' && event.verb === 'state') return !('kept' in this.#markUnchanged(event));
    if (event.type === 'step.cancelled') return event.reason !== raceIsOver;
    return event.type === 'step.failed' && !this.#isHandled(event.path, event.failure.code);
  }

  #isHandled(path: Path, code: string): boolean {
    const step = stepFor(this.#plan, this.#run, path);
    return step !== undefined && (step.onError === 'ignore' || handlerOf(step, code) !== undefined);
  }

  #heldOpen(event: RunEvent): RunEvent | undefined {
    if (!('path' in event) || stateAt(this.#run, event.path) !== undefined) return undefined;
    const step = stepFor(this.#plan, this.#run, event.path);
    const awaiting = { for: 'signal', name: neverSignal } as const;
    return step && { type: 'step.waiting', at: this.#nowMs, path: event.path, verb: step.verb, attempt: 1, awaiting };
  }

  /** Marks an outcome as kept where both versions computed the same. */
  #markUnchanged(event: RunEvent): RunEvent {
    if (event.type !== 'step.succeeded' && event.type !== 'step.skipped') return event;
    const ended = this.#past.get(event.path)?.ended;
    const before = ended === undefined ? undefined : this.#journal[ended];
    if (ended === undefined || before?.type !== event.type) return event;
    const { blobs } = this.#change;
    const isSame =
      before.type === 'step.skipped' ||
      event.type === 'step.skipped' ||
      isSameJson(resolve(before.value, blobs), resolve(event.value, blobs));
    return isSame ? { ...event, at: before.at, kept: ended + 1 } : event;
  }

  /** The old run's outcome of the call or wait that the event begins, if it was the same one. */
  #oldOutcomeFor(event: RunEvent): OldOutcome | undefined {
    if (event.type !== 'step.started' && event.type !== 'step.waiting') return undefined;
    const intent = event.type === 'step.started' ? event.call : event.awaiting;
    if (intent === undefined) return undefined;
    const { path } = event;
    if (this.#past.undone.has(path) || !this.#mayStillHold(path)) return undefined;
    const outcome = this.#sameOutcome(path, intent);
    if (outcome === undefined && 'for' in intent && intent.for === 'child') this.#goOn(path, intent);
    const lost = this.#lostAt(path, intent);
    if (lost !== undefined) this.#lost.set(path, lost);
    return outcome ?? lost?.event;
  }

  /** A call that the old run made, and whose outcome it did not learn. */
  #lostAt(path: Path, now: Call | WaitCondition): LostHere | undefined {
    const { blobs } = this.#change;
    const past = this.#past.get(path);
    // Where `ifUnknown: retry` has the simulation call again, the new run begins with the loss all the same, and once.
    const lost = past && !this.#lost.has(path) ? lostCallOf(past) : undefined;
    if (lost === undefined || 'for' in now || !isSameIntent(lost.call, now, blobs)) return undefined;
    const step = stepFor(this.#plan, this.#run, path);
    if (step?.verb === 'tool') this.#mayBeTold.add(path);
    const told = step && toldOf(step, path, this.#change.told);
    const lookup = step && lookupOf(step, (reads) => this.#isSame(reads), told);
    return lookup && { event: unknownInRerun({ at: this.#nowMs, path }, lost), lookup, told };
  }

  /** Whether an expression gives what it gave in the old run, where that is certain. */
  #isSame({ names, steps }: References): boolean {
    const { blobs, inputs } = this.#change;
    const [first] = this.#journal;
    const hasSameInputs =
      first?.type === 'run.requested' && isSameJson(resolve(first.inputs, blobs), resolve(inputs, blobs));
    const isNew = (event: RunEvent): boolean =>
      event.type === 'step.succeeded' && event.kept === undefined && steps.includes(event.path.split('/').at(-1) ?? '');
    const isSameName = (name: string): boolean => seenOfCall.has(name) || (name === 'inputs' && hasSameInputs);
    return names.every(isSameName) && !this.#played.some(isNew);
  }

  /** A read for an `ensure` is repeated, unless the old run went on because of what it found; a check always is. */
  #mayStillHold(path: Path): boolean {
    if (isInCheck(path)) return false;
    const ensure = ensureAround(path);
    if (ensure === undefined) return true;
    const ended = this.#past.get(ensure)?.ended;
    return !isOfRun(ensure) && ended !== undefined && this.#journal[ended]?.type === 'step.succeeded';
  }

  #sameOutcome(path: Path, intent: Call | WaitCondition): OldOutcome | undefined {
    const past = this.#past.get(path);
    if (past?.ended === undefined) return undefined;
    // A person may have been asked about the call after it.
    const own = 'for' in intent ? past.intent : (past.call ?? past.intent);
    const before = own ?? this.#change.intents?.get(path);
    if (before === undefined) return undefined;
    if (!isSameIntent(before, intent, this.#change.blobs)) return undefined;
    if (this.#change.asksAgain === true && mayHaveAsked(intent)) return undefined;
    return this.#asCarried(this.#journal[past.ended] as StepEndEvent, past.ended);
  }

  /** The child of the new run begins with the outcomes of the old one, if that had the same inputs. */
  #goOn(path: Path, now: ChildWait): void {
    const { at, asksAgain = false, blobs, children, told } = this.#change;
    const runId = children?.get(path);
    const before = this.#past.get(path)?.intent;
    if (runId === undefined || before === undefined || !('for' in before) || before.for !== 'child') return;
    const { version: _before, ...old } = before;
    const { version: _now, ...wanted } = now;
    if (!isSameIntent(old, wanted, blobs)) return;
    const part = now.item === true ? partAt(this.#plan, this.#run, path, (key) => this.#value(key)) : undefined;
    const more = { ...(asksAgain && { asksAgain }), ...toldBelow(path, told) };
    const kept = { type: 'child.kept', at, step: path, runId, ...more } as const;
    this.#keptChildren.push({ kept, ...(part && { part }) });
  }

  #asCarried(end: StepEndEvent, position: number): OldOutcome | undefined {
    const { path } = end;
    const step = stepFor(this.#plan, this.#run, path);
    if (step === undefined) return undefined;
    const { verb, undo } = step;
    const base = { at: end.at, path, verb, kept: position + 1 };
    if (end.type === 'step.succeeded') {
      const { attempt, value, by } = end;
      const undoable = undo === undefined ? {} : { undoable: true as const };
      return { type: 'step.succeeded', ...base, attempt, value, ...(by === undefined ? {} : { by }), ...undoable };
    }
    if (end.type === 'step.skipped' || !this.#isHandled(path, end.failure.code)) return undefined;
    return { type: 'step.failed', ...base, attempt: end.attempt, failure: end.failure };
  }
}

/** Names whose values follow from the call, and from outcomes that are kept. */
const seenOfCall: ReadonlySet<string> = new Set(['call', 'result', 'steps', 'secrets']);

/** A child run may have asked. */
const mayHaveAsked = (intent: Call | WaitCondition): boolean =>
  'for' in intent && (intent.for === 'answer' || intent.for === 'child');

/** Leaves out calls and waits, whose outcomes stand for them, and failures whose handlers did not finish. */
function withoutUnfinished(plan: Plan, { events, run, lost }: PlayedVersion): readonly RunEvent[] {
  const failed = events.flatMap((event) => {
    if (event.type !== 'step.failed') return [];
    const step = stepFor(plan, run, event.path);
    const handler = step === undefined || step.onError === 'ignore' ? undefined : handlerOf(step, event.failure.code);
    // A step without a state is in an item that has ended.
    const isInOpenFrame = stateAt(run, event.path) !== undefined;
    const isOpen = isInOpenFrame && handler && !isDone(handler, framePrefix(event.path, '@onError'), run);
    return isOpen ? [event.path] : [];
  });
  const unhandled = new Set(failed);
  const calls = new Set(events.flatMap((event) => (isIntent(event) ? [event.path] : [])));
  const isUnfinished = (path: Path): boolean => isInsideAny(path, unhandled);
  return events.flatMap((event) => {
    if (!('path' in event) || isIntent(event)) return [];
    const { path } = event;
    // The call lost a race; without its `step.started` there is nothing to cancel.
    if (event.type === 'step.cancelled' && calls.has(path)) return [];
    if (!isUnfinished(path)) return [event];
    const isOutermost =
      event.type === 'step.failed' && !isUnfinished(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
    return isOutermost ? (lost.get(path)?.event ?? []) : [];
  });
}

const isIntent = (event: RunEvent): event is EventOf<'step.started'> | EventOf<'step.waiting'> =>
  event.type === 'step.waiting' || (event.type === 'step.started' && event.call !== undefined);

function isDone({ steps }: Block, prefix: string, run: Run): boolean {
  return steps.every((step) => {
    const path = prefix + step.key;
    const state = stateAt(run, path);
    if (state?.status !== 'failed') return state?.status === 'succeeded' || state?.status === 'skipped';
    const handler = handlerOf(step, state.failure.code);
    return step.onError === 'ignore' || (handler !== undefined && isDone(handler, framePrefix(path, '@onError'), run));
  });
}

/** Lists in `reopened` the items below the last kept one that have no kept events: `forEach` would not begin them. */
function withReopened(events: readonly RunEvent[]): readonly RunEvent[] {
  const frames = new Map<Path, Set<number>>();
  for (const event of events) {
    if (!('path' in event)) continue;
    if (event.type === 'item.finished') framesAt(frames, event.path).add(event.index);
    const segments = event.path.split('/');
    for (const [at, name] of segments.slice(0, -1).entries())
      if (/^\d+$/.test(name)) framesAt(frames, segments.slice(0, at).join('/')).add(Number(name));
  }
  return events.map((event) => {
    if (event.type !== 'step.started' || event.verb !== 'forEach') return event;
    const begun = frames.get(event.path) ?? new Set<number>();
    const below = Array.from({ length: Math.max(0, ...begun) }, (_, index) => index);
    const reopened = below.filter((index) => !begun.has(index));
    return reopened.length === 0 ? event : { ...event, reopened };
  });
}

function framesAt(frames: Map<Path, Set<number>>, path: Path): Set<number> {
  const known = frames.get(path) ?? new Set<number>();
  frames.set(path, known);
  return known;
}

/** Paths of the outermost steps of the old run that the plan does not have. */
function unmatchedPaths(plan: Plan, journal: readonly RunEvent[]): ReadonlySet<Path> {
  const missing = new Set<Path>();
  for (const event of journal) {
    if (!('path' in event) || isCompensation(event.path)) continue;
    if (!isInsideAny(event.path, missing) && findStep(plan, event.path) === undefined) missing.add(event.path);
  }
  return missing;
}
